"""The lock under which tables are changed, by one at a time."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import peewee

from ..common.repeated_failures import is_news
from ..storage.database import database, dialect_name, query, transaction

_log = logging.getLogger("comptoir.tables")

#: the number of PostgreSQL's advisory lock, within the database; any that nothing else uses
ADVISORY_LOCK = 0x636F6D70746F6972
#: the name of MariaDB's lock, which is one of the whole server
_NAME = "CONCAT('comptoir ', MD5(DATABASE()))"

_WAITING = "another server changes tables; waiting for it"


@contextmanager
def schema_lock() -> Iterator[None]:
    """Let one server at a time change tables. On SQLite the writing transaction is the lock.

    On MariaDB it is a lock of the connection, because each change of a table commits there.
    """
    kind = dialect_name()
    if kind == "mysql":
        with _named_lock():
            yield
        return
    if kind == "sqlite":
        with _without_references(), transaction(), _none_astray():
            yield
        return
    with transaction():
        query("SELECT pg_advisory_xact_lock(?)", (ADVISORY_LOCK,))
        yield


@contextmanager
def _named_lock() -> Iterator[None]:
    """Hold the lock of MariaDB; a node of a Galera cluster knows only its own.

    :raises peewee.OperationalError: the connection was lost, and the lock with it
    """
    while not query(f"SELECT GET_LOCK({_NAME}, 1)")[0][0]:
        if is_news(_WAITING):
            _log.info(_WAITING)
    opened: Any = database.obj
    connection, pinned = opened.connection(), opened.own.holds_lock
    opened.own.holds_lock = True
    try:
        yield
    finally:
        opened.own.holds_lock = pinned
        if opened._state.conn is connection:
            # Where the connection is lost, so is the lock
            with suppress(peewee.PeeweeException):
                query(f"SELECT RELEASE_LOCK({_NAME})")


class _Undone(BaseException):
    """Ends a trial."""


@contextmanager
def trial() -> Iterator[None]:
    """Change tables under the lock, and undo all of it. MariaDB commits each change of a table: only rows, there."""
    try:
        with _without_references(), transaction():
            with nullcontext() if dialect_name() == "mysql" else schema_lock():
                yield
            raise _Undone
    except _Undone:
        pass


@contextmanager
def _without_references() -> Iterator[None]:
    """SQLite looks at no references meanwhile: a table that others point at could not be made anew (`rebuild.py`)."""
    opened: Any = database.obj
    if opened.in_transaction() or dialect_name() != "sqlite":
        yield
        return
    opened.run("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        # A connection on which something failed has been given up
        with suppress(peewee.PeeweeException):
            opened.run("PRAGMA foreign_keys = ON")


@contextmanager
def _none_astray() -> Iterator[None]:
    """What is written meanwhile must not leave more that points nowhere than there was."""
    opened: Any = database.obj
    before = len(opened.run("PRAGMA foreign_key_check").fetchall())
    yield
    astray = opened.run("PRAGMA foreign_key_check").fetchall()
    if len(astray) > before:
        named = ", ".join(sorted({f"from {table} to {other}" for table, _, other, _ in astray}))
        raise peewee.IntegrityError(f"some rows would point to rows that don't exist: {named}")
