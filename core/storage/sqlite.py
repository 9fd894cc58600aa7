"""SQLite: one file, one writer at a time, and a clock of its own."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date, datetime
from datetime import time as time_of_day
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import peewee

from ..common.masks import hide_password
from ..common.setting_checks import can_be_written
from .backend import Backend, Progress
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

    # URLs and drivers -------------------------------------------------------------------------------------------------

    schemes = ("sqlite",)
    default_options = {
        "pragmas": {
            "journal_mode": "wal",
            # FULL: an answered write survives a power cut
            "synchronous": "full",
            "foreign_keys": 1,
            "cache_size": -16000,
            "temp_store": "memory",
        },
        "lock_type": "IMMEDIATE",
    }

    @classmethod
    def from_url(cls, url: str, limit: int) -> Backend:
        """Return the database of a URL; the folder of its file is created."""
        cls.file_of(url).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return cls(autoconnect=False, limit=limit, **cls.options_of(url))

    @classmethod
    def check_url(cls, url: str) -> None:
        """Check that a URL has a file path."""
        with suppress(ValueError):
            parts = urlsplit(url)
            if not parts.netloc and parts.path.strip("/") and ":memory:" not in url:
                return
        raise ValueError(
            f"expected a file path after three slashes: sqlite:///data/comptoir.db, got {hide_password(url)}"
        )

    @classmethod
    def file_of(cls, url: str) -> Path:
        """Return the file of the database of a URL."""
        return Path(urlsplit(url).path[1:]).expanduser()

    @classmethod
    def check_file(cls, url: str) -> None:
        """Check that the file of a database is usable, or can be created."""
        file = cls.file_of(url)
        if file.is_dir():
            raise ValueError(f"expected a file, but {file} is a folder")
        can_be_written(file.parent)
        if file.exists() and not os.access(file, os.R_OK | os.W_OK):
            raise ValueError(f"expected a file that is readable and writable, but {file} is not")
        with suppress(OSError), file.open("rb") as opened:
            if opened.read(16) not in (b"", b"SQLite format 3\x00"):
                raise ValueError(f"{file} is not a SQLite database")

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

    def value_reader(self, kind: str, scale: int) -> Callable[[Any], Any] | None:
        """Return what makes Python's value of an integer or a text."""
        return (lambda value: Decimal(value).scaleb(-scale)) if kind == "exact" else _READERS.get(kind)

    def value_writer(self, kind: str, scale: int) -> Callable[[Any], Any] | None:
        """Return what makes an integer or a text of Python's value."""
        return (lambda value: _whole(value.scaleb(scale))) if kind == "exact" else _WRITERS.get(kind)

    def sum_columns(self, sql: str) -> tuple[str, ...]:
        """Return the sums of two halves: 64 bits hold no sum of 64-bit numbers."""
        return f"SUM({sql} >> 32)", f"SUM({sql} & 4294967295)"

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

    copies_pages = True

    def begin_snapshot(self) -> None:
        """Begin a transaction; the first read decides the instant."""
        self.execute_sql("BEGIN")
        self.execute_sql("SELECT COUNT(*) FROM sqlite_master").fetchall()

    @contextmanager
    def bulk_load(self) -> Iterator[None]:
        """Take rows in any order meanwhile, without waiting for the disk."""
        self.execute_sql("PRAGMA foreign_keys = off")
        self.execute_sql("PRAGMA synchronous = off")
        yield
        wrong = self.execute_sql("PRAGMA foreign_key_check").fetchall()
        if wrong:
            raise peewee.IntegrityError(f"a row in {wrong[0][0]} references a missing row in {wrong[0][2]}")
        self.execute_sql("PRAGMA synchronous = full")
        self.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self.execute_sql("PRAGMA foreign_keys = on")

    def copy_pages(self, target: Backend, progress: Progress) -> None:
        """Copy the whole database page by page; all of the copy comes into being at once."""
        self.connection().backup(
            target.connection(), pages=5000, progress=lambda status, left, all: progress(all - left, all)
        )

    def column_sizes(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Return (table, column) → length of texts and 0; decimals have no size of their own."""
        found = {}
        for table in self.get_tables():
            for row in self.execute_sql(f'PRAGMA table_info("{table}")').fetchall():
                length = str(row[2]).partition("(")[2].rstrip(")")
                if length.isdigit():
                    found[table, str(row[1])] = int(length), 0
        return found

    def id_counter(self, table: str, key: str) -> int | None:
        """Return the last ID that a table has generated."""
        if not self.execute_sql("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'").fetchall():
            # No table of this file generates IDs
            return None
        found = self.execute_sql("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchall()
        return int(found[0][0]) if found else None

    def set_id_counter(self, table: str, key: str, number: int) -> None:
        """Set the last ID that a table has generated."""
        self.execute_sql("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        self.execute_sql("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, number))

    def remove_tables(self, names: Sequence[str]) -> None:
        """Drop tables; from now on the connection checks no references."""
        self.execute_sql("PRAGMA foreign_keys = off")
        super().remove_tables(names)


def _of_text(read: Callable[[str], Any]) -> Callable[[Any], Any]:
    """Return a conversion of texts; any other value is one of Python's already."""
    return lambda value: read(value) if isinstance(value, str) else value


def _whole(value: Decimal) -> int:
    """Return a scaled decimal as an integer: exactly, or not at all."""
    if value != value.to_integral_value():
        raise ValueError(f"{value} has more digits than the column allows")
    return int(value)


#: kind of column → what makes Python's value of what SQLite keeps, and the way back
_READERS: dict[str, Callable[[Any], Any]] = {
    "decimal": lambda value: Decimal(str(value)),
    "datetime": _of_text(datetime.fromisoformat),
    "date": _of_text(lambda text: date.fromisoformat(text[:10])),
    "time": _of_text(time_of_day.fromisoformat),
    "boolean": bool,
}
_WRITERS: dict[str, Callable[[Any], Any]] = {
    "decimal": str,
    "datetime": lambda value: value.isoformat(" "),
    "date": date.isoformat,
    "time": time_of_day.isoformat,
    "boolean": int,
}


def make_private_file(path: str) -> None:
    """Make the file of a database that has none, for its owner alone: SQLite gives `-wal` and `-shm` its mode."""
    if path and not path.startswith((":", "file:")):
        # One that cannot be made is SQLite's to refuse
        with suppress(OSError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _is_locked(error: peewee.OperationalError) -> bool:
    code = getattr(getattr(error, "orig", None), "sqlite_errorcode", 0)
    return code & 255 == sqlite3.SQLITE_BUSY and code != sqlite3.SQLITE_BUSY_SNAPSHOT
