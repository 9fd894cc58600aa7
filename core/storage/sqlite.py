"""SQLite: one file, one writer at a time, and a clock of its own."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import peewee

from .backend import Backend, ColumnDefinition
from .collation import sqlite_like
from .sqlite_rebuild import rebuild

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

    scaled_decimals = True

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
    ignores_sizes = True
    equal_kinds = frozenset({("DECIMAL", "whole"), ("BOOL", "whole"), ("whole", "BOOL")})

    # Changing tables --------------------------------------------------------------------------------------------------

    @property
    def file(self) -> Path | None:
        """The database's file; None: it is in memory."""
        return None if self.database == ":memory:" else Path(self.database).expanduser().resolve()

    def copy_to(self, target: Path) -> None:
        """Copy what is committed into another file, which is whole without a log beside it."""
        # This connection may be in a transaction
        with (
            peewee.__exception_wrapper__,  # type: ignore[attr-defined]
            closing(sqlite3.connect(str(self.file))) as origin,
            closing(sqlite3.connect(target)) as copy,
        ):
            origin.backup(copy)
            copy.execute("PRAGMA journal_mode = delete")

    @contextmanager
    def unchecked_references(self) -> Iterator[None]:
        """Let `rebuild` replace tables that others refer to."""
        if self.in_transaction():
            # Where the setting can't be changed
            yield
            return
        self.run("PRAGMA foreign_keys = OFF")
        try:
            yield
        finally:
            # A connection on which something failed has been given up
            with suppress(peewee.PeeweeException):
                self.run("PRAGMA foreign_keys = ON")

    @contextmanager
    def schema_lock(self) -> Iterator[None]:
        """Check references at the end; the transaction that writes is the lock.

        :raises peewee.IntegrityError: more rows than before refer to rows that don't exist
        """
        before = len(self.run("PRAGMA foreign_key_check").fetchall())
        yield
        astray = self.run("PRAGMA foreign_key_check").fetchall()
        if len(astray) > before:
            named = ", ".join(sorted({f"from {table} to {other}" for table, _, other, _ in astray}))
            raise peewee.IntegrityError(f"some rows would point to rows that don't exist: {named}")

    def add_column(self, table: str, column: ColumnDefinition, value: str = "") -> None:
        """Add a column; `ALTER TABLE` adds none without a default, and doesn't change the default afterwards."""
        if value in ("", column.default) and (column.null or column.default):
            super().add_column(table, column)
        else:
            rebuild(self, table, column.name, self._column(column), value or "NULL")

    def change_column(self, table: str, column: ColumnDefinition, value: str) -> None:
        """Change a column with its reference."""
        rebuild(self, table, column.name, self._column(column), value)

    def rename_index(self, table: str, name: str, to: str) -> None:
        """Create an index again under another name."""
        found = next(each for each in self.get_indexes(table) if each.name == name)
        columns = [self.quoted(each) for each in found.columns]
        self.create_index(table, to, columns, unique=bool(found.unique), replaces=[name])

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
