"""The lock under which tables are changed, by one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import peewee

from ..storage.database import database, dialect_name, query, transaction
from ..storage.leases import leased, make_lease
from ..storage.table_mark import settle

#: the lease of whoever changes tables
SCHEMA = "schema"


@contextmanager
def schema_lock() -> Iterator[None]:
    """One at a time, over all workers and hosts. On SQLite the writing transaction itself is the lock."""
    kind = dialect_name()
    if kind == "mysql":
        # Statements that change tables commit by themselves there, and with them what a transaction has locked
        with leased(SCHEMA):
            yield
        return
    if kind == "sqlite":
        try:
            with _without_references(), transaction(), _none_astray():
                yield
        finally:
            # Also where what was announced has been undone
            settle()
        return
    make_lease(SCHEMA)
    with transaction():
        # Ends with the transaction, or with the connection
        query("SELECT name FROM comptoir_lease WHERE name = ? FOR UPDATE", (SCHEMA,))
        yield


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
