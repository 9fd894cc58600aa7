"""Retries of a request or a job whose transaction the database undid, such as one of two that block each other.

Nothing of it was written, so all of it is done again. It isn't if something remains that a rollback doesn't undo: a
transaction that was, or may have been, committed before, or a stored file.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

import peewee

from .database import database
from .error_kinds import reason_of

T = TypeVar("T")

#: maximum number of attempts, and seconds after which no further one begins
MAX_ATTEMPTS, MAX_SECONDS = 10, 3.0
#: seconds of the first pause at most; each further one may be twice as long, up to the second number
PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.01, 0.5

_log = logging.getLogger("comptoir.database")


def retry_undone(
    call: Callable[[], T], name: str, began: float | None = None, forget: Callable[[], object] = lambda: None
) -> T:
    """Call a function, and call it again as long as the database undoes all that it does.

    :param name: what the log calls it
    :param began: when it began, from `time.perf_counter`; None: now
    :param forget: called before each retry
    :raises peewee.PeeweeException: it can't be retried, or was retried too often
    """
    began = perf_counter() if began is None else began
    own = database.obj.own
    attempt = 0
    while True:
        attempt, own.irreversible = attempt + 1, False
        try:
            return call()
        except peewee.PeeweeException as error:
            is_late = attempt >= MAX_ATTEMPTS or perf_counter() - began > MAX_SECONDS
            if own.irreversible or is_late or not database.obj.is_undone(error):
                raise
            _log.info("%s is retried after attempt %d: %s", name, attempt, reason_of(error))
        forget()
        # A random pause keeps conflicting requests from meeting again
        time.sleep(random.uniform(0, min(MAX_PAUSE_SECONDS, PAUSE_SECONDS * 2 ** (attempt - 1))))


def prevent_retry() -> None:
    """Prevent a retry of the request or job, because a rollback doesn't undo one of its effects, such as a new file."""
    database.obj.own.irreversible = True
