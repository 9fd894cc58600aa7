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
from .error_kinds import (
    CONFLICT,
    DISK_FULL,
    LOCKED,
    MISSING,
    NULL,
    READ_ONLY,
    REFERENCE,
    TOO_LONG,
    UNIQUE,
    UNREACHABLE,
    IntegrityProblem,
    kinds_by_code,
)  # fmt: skip

#: milliseconds that SQLite waits for a lock at a time
LOCK_STEP_MS = 5
#: instructions of SQLite between two looks at the clock: searching long texts, some take milliseconds
INSTRUCTIONS_PER_CHECK = 5_000

_RULES = {
    "SQLITE_CONSTRAINT_UNIQUE": UNIQUE,
    "SQLITE_CONSTRAINT_PRIMARYKEY": UNIQUE,
    "SQLITE_CONSTRAINT_FOREIGNKEY": REFERENCE,
    "SQLITE_CONSTRAINT_NOTNULL": NULL,
}


class Sqlite(Backend, peewee.SqliteDatabase):
    """SQLite: waits for a lock in short steps, and interrupts a statement that takes too long.

    The library's own steps grow to a tenth of a second, so that a later writer is often first: beside three others that
    write all the time, one request of a hundred took half a second. With short steps it takes 13 ms.
    """

    name = "sqlite"

    # Connections ------------------------------------------------------------------------------------------------------

    def _open(self) -> Any:
        make_private_file(str(self.database))
        return super()._open()

    def _configure(self, connection: Any) -> None:
        connection.execute(f"PRAGMA busy_timeout = {LOCK_STEP_MS}")
        own = self.own
        if self.limits()[0]:
            connection.set_progress_handler(lambda: time.monotonic() > own.deadline, INSTRUCTIONS_PER_CHECK)

    # Statements -------------------------------------------------------------------------------------------------------

    placeholder = "?"

    def driver_sql(self, sql: str) -> str:
        """Return portable SQL, which SQLite takes as it is."""
        return sql

    def has_open_transaction(self) -> bool:
        """Return whether this thread's connection has a transaction, also one begun by a statement of a module."""
        return self.in_transaction() or bool(self._state.conn.in_transaction)

    def data_version(self) -> Any:
        """Return a value that changes when another connection commits."""
        connection = self._state.conn
        return connection, connection.execute("PRAGMA data_version").fetchone()[0]

    def _send(self, sql: str, params: Any, *, reads: bool) -> Any:
        self.own.deadline = time.monotonic() + self._limit
        # A reader waits for no lock
        return self._execute_cursor(sql, params) if reads else self._once_free(self._execute_cursor, sql, params)

    def _begin(self, *arguments: Any) -> None:
        self._once_free(super()._begin, *arguments)

    def _once_free(self, run: Callable[..., Any], *arguments: Any) -> Any:
        began = time.monotonic()
        while True:
            try:
                return run(*arguments)
            except peewee.OperationalError as error:
                # A lock that is never released is a fault, even if there is no limit
                limit = self.own.lock_seconds or self.limits()[1] or 3600
                is_late = time.monotonic() - began > limit
                if self.classify(error) is not LOCKED or self.in_transaction() or is_late:
                    raise

    # Values and columns -----------------------------------------------------------------------------------------------

    # Its own decimals are floating point numbers
    scaled_decimals = True
    dates_as_text = True

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

    error_kinds = kinds_by_code({
        UNREACHABLE: "closed SQLITE_CANTOPEN SQLITE_IOERR SQLITE_CORRUPT SQLITE_NOTADB SQLITE_READONLY_DBMOVED",
        CONFLICT: "SQLITE_BUSY_SNAPSHOT",
        LOCKED: "SQLITE_BUSY SQLITE_LOCKED",
        TOO_LONG: "SQLITE_INTERRUPT",
        MISSING: "missing",
        DISK_FULL: "SQLITE_FULL",
        READ_ONLY: "SQLITE_READONLY",
    })  # fmt: skip
    undone_codes = frozenset(["SQLITE_BUSY_SNAPSHOT"])
    refused_codes = frozenset(["SQLITE_CANTOPEN"])

    def error_code(self, error: BaseException) -> str:
        """Return SQLite's name of an error, without details that change nothing, or `missing` or `closed`."""
        original = getattr(error, "orig", error)
        if not isinstance(original, sqlite3.Error):
            return self.closed_code(original, ())
        text = str(original)
        if "no such table" in text or "no such column" in text or "has no column" in text:
            return "missing"
        if "closed database" in text:
            return "closed"
        name = str(getattr(original, "sqlite_errorname", None) or "")
        return name if name in self.error_kinds else "_".join(name.split("_")[:2])

    def integrity_problem(self, error: BaseException, table: str) -> IntegrityProblem:
        """Return which constraint a row breaks; SQLite doesn't say which reference."""
        original = getattr(error, "orig", error)
        rule = _RULES.get(getattr(original, "sqlite_errorname", ""), "")
        listed = str(original).partition(": ")[2] if rule == UNIQUE else ""
        columns = [name.rpartition(".") for name in listed.split(", ") if "." in name]
        return IntegrityProblem(rule, columns[0][0] if columns else "", tuple(column for *_, column in columns))

    # Tables -----------------------------------------------------------------------------------------------------------

    #: without it a new row gets the ID of the newest one that was deleted
    key_constraint = "AUTOINCREMENT"

    # Changing tables --------------------------------------------------------------------------------------------------

    # Audit trail ------------------------------------------------------------------------------------------------------

    # Copies -----------------------------------------------------------------------------------------------------------


def make_private_file(path: str) -> None:
    """Create the file of a database for its owner only; SQLite gives `-wal` and `-shm` the same mode."""
    if path and not path.startswith((":", "file:")):
        # SQLite reports a file that can't be created
        with suppress(OSError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
