"""What a thread knows of its connection, besides what peewee does."""

from __future__ import annotations

import threading
from typing import Any


class Own(threading.local):
    """The state of a thread's connection."""

    #: what spoilt the transaction of this thread
    spoilt: BaseException | None = None
    #: whether statements of this thread may take as long as they like
    patient = False
    #: seconds for which this thread waits for SQLite's lock; 0: as long as a statement may
    hurry = 0.0
    #: when SQLite ends the statement that is running
    deadline = 0.0
    #: instructions of SQLite between two looks at the clock
    steps = 0
    #: whether a pool of connections stands between this thread and PostgreSQL
    pooled = False
    #: whether MariaDB answers the identifiers of rows that are inserted, as from 10.5 on
    returning = False
    #: what the recorder has noted of the transaction of this thread
    trail: Any = None
    #: the generation of the tables that what this thread does outside of a request was begun at; -1: it minds none
    generation = -1
    #: whether this thread's connection holds a lock, so that another one can't replace it
    pinned = False
    #: whether a transaction has begun, also one that peewee does not know of
    begun = False
    #: whether PostgreSQL is still to be sent BEGIN, with the first statement
    untold = False
    #: whether something has been done that a rollback doesn't undo, such as a COMMIT (`retry.py`)
    irreversible = False
