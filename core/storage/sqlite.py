"""SQLite: one file, one writer at a time, and a clock of its own."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import peewee

from .backend import Backend
from .collation import sqlite_like

#: milliseconds that SQLite waits for a lock before it is asked anew
STEP = 5
#: instructions of SQLite between two looks at the clock: where long texts are searched, some take milliseconds
STEPS = 5_000


class Sqlite(Backend, peewee.SqliteDatabase):
    """SQLite: waits for another's lock in short steps, and ends from within what takes too long.

    The library's own steps grow to a tenth of a second, so that whoever comes later is often first: beside three others
    that write all the time one request of a hundred took half a second. With these steps it takes 13 ms.
    """

    name = "sqlite"

    # Connections ------------------------------------------------------------------------------------------------------

    def _open(self) -> Any:
        make_private_file(str(self.database))
        return super()._open()

    def _settle(self, connection: Any) -> None:
        connection.execute(f"PRAGMA busy_timeout = {STEP}")
        own = self.own
        if self.limits()[0]:
            connection.set_progress_handler(lambda: time.monotonic() > own.deadline, STEPS)

    # Statements -------------------------------------------------------------------------------------------------------

    placeholder = "?"

    def driver_sql(self, sql: str) -> str:
        """Return portable SQL, which SQLite takes as it is."""
        return sql

    def _execute_cursor(self, sql: str, params: Any, **options: Any) -> Any:
        self.own.deadline = time.monotonic() + self._limit
        run = super()._execute_cursor
        # Who reads waits for nobody
        return run(sql, params, **options) if sql.startswith("SELECT") else self._once_free(run, sql, params, **options)

    def _begin(self, *arguments: Any) -> None:
        self._once_free(super()._begin, *arguments)

    def _once_free(self, run: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        begun = time.monotonic()
        while True:
            try:
                return run(*arguments, **options)
            except peewee.OperationalError as error:
                # A lock that is never let go is a fault, however patient one is
                waited = time.monotonic() - begun
                if (
                    not _is_locked(error)
                    or self.in_transaction()
                    or waited > (self.own.lock_seconds or self.limits()[1] or 3600)
                ):
                    raise

    # Values and columns -----------------------------------------------------------------------------------------------

    # Comparing and sorting text ---------------------------------------------------------------------------------------

    escape = " ESCAPE '\\'"

    def like_condition(self, sql: str, pattern: str) -> tuple[str, tuple[str, ...]] | None:
        """Return the condition for a pattern with characters whose case SQLite's LIKE doesn't ignore."""
        return sqlite_like(sql, pattern)

    def sort_key(self, sql: str) -> str:
        """Return what a text is sorted by, as SQL. Other programs know the collation too: indexes have it."""
        return f"{sql} COLLATE NOCASE"

    def sort_index(self, sql: str, *, null: bool) -> str:
        """Return a text as an index for sorted lists has it."""
        return self.sort_key(sql)

    # Searching words --------------------------------------------------------------------------------------------------

    # Errors -----------------------------------------------------------------------------------------------------------

    # Tables -----------------------------------------------------------------------------------------------------------

    #: without it a new row gets the ID of the newest one that was deleted
    key_constraint = "AUTOINCREMENT"

    # Changing tables --------------------------------------------------------------------------------------------------

    # Audit trail ------------------------------------------------------------------------------------------------------

    # Copies -----------------------------------------------------------------------------------------------------------


def make_private_file(path: str) -> None:
    """Make the file of a database that has none, for its owner alone: SQLite gives `-wal` and `-shm` its mode."""
    if path and not path.startswith((":", "file:")):
        # One that cannot be made is SQLite's to refuse
        with suppress(OSError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _is_locked(error: peewee.OperationalError) -> bool:
    code = getattr(getattr(error, "orig", None), "sqlite_errorcode", 0)
    return code & 255 == sqlite3.SQLITE_BUSY and code != sqlite3.SQLITE_BUSY_SNAPSHOT
