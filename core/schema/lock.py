"""The lock under which tables are changed, by one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import peewee

from ..storage.database import database, dialect_name, transaction
from ..storage.table_mark import settle

#: any number that nothing else in the database locks
_LOCK = 715517
#: the same on MariaDB, whose locks are those of the whole server: another database's tables concern nobody here
_LOCK_NAME = "CONCAT('comptoir_schema_', MD5(DATABASE()))"


@contextmanager
def schema_lock() -> Iterator[None]:
    """One at a time, over all workers and hosts. On SQLite the writing transaction itself is the lock."""
    kind = dialect_name()
    if kind == "mysql":
        # Statements that change tables commit by themselves there, so the lock is one of the connection
        (mine,) = database.execute_sql(f"SELECT GET_LOCK({_LOCK_NAME}, 60)").fetchone()
        if not mine:
            raise peewee.OperationalError(1205, "another server has been changing tables for a minute")
        try:
            yield
        finally:
            database.execute_sql(f"SELECT RELEASE_LOCK({_LOCK_NAME})").fetchone()
        return
    if kind == "sqlite":
        try:
            with _without_references(), transaction(), _none_astray():
                yield
        finally:
            # Also where what was announced has been undone
            settle()
        return
    with transaction():
        database.execute_sql("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        yield


@contextmanager
def _without_references() -> Iterator[None]:
    """SQLite looks at no references meanwhile: a table that others point at could not be made anew (`rebuild.py`)."""
    opened: Any = database.obj
    if opened.in_transaction():
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
        named = ", ".join(sorted({f"{table} at {other}" for table, _, other, _ in astray}))
        raise peewee.IntegrityError(f"rows would point at nothing: {named}")
