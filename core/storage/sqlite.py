"""SQLite: one file, one writer at a time, and a clock of its own."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import date, datetime
from datetime import time as time_of_day
from decimal import Decimal
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import peewee

from ..common.masks import hide_password
from ..common.setting_checks import can_be_written
from . import error_kinds as kinds
from .backend import Backend, ColumnDefinition, Condition, Progress
from .column import SCALE, Column
from .sqlite_lock import WriterQueue
from .sqlite_rebuild import definition_of, rebuild
from .texts import SearchedTable, joined, sqlite_like, without_ligatures

_log = logging.getLogger("comptoir.tables")

#: bytes of the write-ahead log that SQLite keeps when it starts the log again; it does so after 4 MB if nothing reads
MAX_LOG_BYTES = 16_000_000
#: the level of `PRAGMA synchronous` at which a COMMIT doesn't wait for the disk
NORMAL = 1
#: instructions of SQLite between two looks at the clock: searching long texts, some take milliseconds
INSTRUCTIONS_PER_CHECK = 5_000

#: the kind of a table of words. It keeps no text a second time: it is only asked for the IDs of rows
_WORDS = (
    "fts5(words, content='', detail=none, prefix='1 2 3', "
    "tokenize='unicode61 remove_diacritics 2 categories ''L* Nd''')"
)
_RULES = {
    "SQLITE_CONSTRAINT_UNIQUE": kinds.UNIQUE,
    "SQLITE_CONSTRAINT_PRIMARYKEY": kinds.UNIQUE,
    "SQLITE_CONSTRAINT_FOREIGNKEY": kinds.REFERENCE,
    "SQLITE_CONSTRAINT_NOTNULL": kinds.NULL,
}


class Sqlite(Backend, peewee.SqliteDatabase):
    """SQLite: transactions queue for its lock, and a statement that takes too long is interrupted."""

    name = "sqlite"

    # URLs and drivers -------------------------------------------------------------------------------------------------

    schemes = ("sqlite",)
    default_options = {
        "pragmas": {
            "journal_mode": "wal",
            # A write that was answered survives a power cut
            "synchronous": "full",
            # A log that a long read has made larger shrinks again
            "journal_size_limit": MAX_LOG_BYTES,
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
        return cls(autoconnect=False, limit=limit, **{**cls.options_of(url), "database": str(cls.file_of(url))})

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
        """Return the file of the database of a URL, in which `%23` stands for `#` and the like."""
        return Path(unquote(urlsplit(url).path[1:])).expanduser()

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
        path = str(self.database)
        if path and not path.startswith((":", "file:")):
            # For its owner only: SQLite gives `-wal` and `-shm` the same mode, and reports a file that can't be created
            with suppress(OSError):
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        return super()._open()

    def _configure(self, connection: Any) -> None:
        own = self.own
        connection.execute(f"PRAGMA busy_timeout = {self._busy_timeout()}")
        if self.limits()[0]:
            connection.set_progress_handler(lambda: time.monotonic() > own.deadline, INSTRUCTIONS_PER_CHECK)

    @cached_property
    def _queue(self) -> WriterQueue:
        return WriterQueue(self.file)

    # Statements -------------------------------------------------------------------------------------------------------

    placeholder = "?"
    batch_seconds = 2

    def has_open_transaction(self) -> bool:
        """Return whether this thread's connection has a transaction, even one begun by a statement of a module."""
        return super().has_open_transaction() or bool(self._state.conn.in_transaction)

    def _execute_cursor(self, sql: str, params: Any) -> Any:
        self.own.deadline = time.monotonic() + self._limit
        return super()._execute_cursor(sql, params)

    def begin(self, *arguments: Any) -> None:
        """Begin a transaction with the lock of the only writer.

        :raises LockTimeout: it isn't free in time
        """
        self._take_turn()
        try:
            super().begin(*arguments)
        except BaseException:
            self._end_turn()
            raise

    def _take_turn(self) -> None:
        if not self.own.has_turn:
            self._queue.take(self._lock_limit())
            self.own.has_turn = True

    def _end_turn(self) -> None:
        if self.own.has_turn:
            self.own.has_turn = False
            self._queue.leave()

    def _lock_limit(self) -> float:
        # A lock that is never released is a fault, even if there is no limit
        return self.own.lock_seconds or self.limits()[1] or 3600

    def _busy_timeout(self) -> int:
        """Return how long programs that don't queue are waited for, in milliseconds."""
        return int(self._lock_limit() * 1000)

    @contextmanager
    def lock_timeout(self, seconds: float) -> Iterator[None]:
        """Limit the wait for the lock of the only writer, and wait for the turn; begin outside of a transaction."""
        connection = self.connection()
        self.own.lock_seconds = seconds
        connection.execute(f"PRAGMA busy_timeout = {self._busy_timeout()}")
        try:
            self._take_turn()
            yield
        finally:
            self._end_turn()
            self.own.lock_seconds = 0.0
            if self._state.conn is connection:
                connection.execute(f"PRAGMA busy_timeout = {self._busy_timeout()}")

    def commit(self) -> None:
        """Commit a transaction."""
        super().commit()
        self._end_turn()

    def rollback(self) -> None:
        """Undo a transaction; if the database doesn't respond, by closing the connection."""
        super().rollback()
        self._end_turn()

    def drop(self) -> None:
        """Close this thread's connection, whatever state it is in."""
        super().drop()
        self._end_turn()

    one_writer = True

    def inserted_ids(self, cursor: Any, rows: int, key: str = "") -> list[Any]:
        """Return the IDs of inserted rows: one statement takes consecutive ones, and SQLite reports the last."""
        return [*range(cursor.lastrowid - rows + 1, cursor.lastrowid + 1)]

    def reserve_id(self, table: str, key: str) -> int | None:
        """Return the ID that follows the last one, which no other connection can take while this one has the lock."""
        newest = f"SELECT MAX({self.quoted(key)}) FROM {self.quoted(table)}"
        last = f"SELECT MAX((SELECT seq FROM sqlite_sequence WHERE name = ?), ({newest}))"
        found = self.run(last, (table,)).fetchone()[0]
        return None if found is None else int(found) + 1

    @contextmanager
    def synchronous_off(self) -> Iterator[None]:
        """Commit without waiting for the disk: a power cut may undo the last transactions."""
        self._take_turn()
        try:
            connection = self.connection()
            before = connection.execute("PRAGMA synchronous").fetchone()[0]
            connection.execute(f"PRAGMA synchronous = {min(before, NORMAL)}")
            try:
                yield
            finally:
                if self._state.conn is connection:
                    connection.execute(f"PRAGMA synchronous = {before}")
        finally:
            self._end_turn()

    # Values and columns -----------------------------------------------------------------------------------------------

    # Its own decimals are floating point numbers
    scaled_decimals = True
    dates_as_text = True

    def value_reader(self, column: Column) -> Callable[[Any], Any] | None:
        """Return the function that converts an integer or a text to Python's value."""
        if column.kind == "DECIMAL":
            return lambda value: Decimal(value).scaleb(-SCALE)
        return _READERS.get(column.kind)

    def value_writer(self, column: Column) -> Callable[[Any], Any] | None:
        """Return the function that converts Python's value to an integer or a text."""
        if column.kind == "DECIMAL":
            return lambda value: _whole(value.scaleb(SCALE))
        return _WRITERS.get(column.kind)

    def rounded(self, sql: str, scale: int) -> str:
        """Return the SQL of an exact decimal rounded half away from zero: both / and % truncate towards zero."""
        step = 10 ** (SCALE - scale)
        return f"({sql} / {step} + {sql} % {step} / {step // 2}) * {step}"

    def text_of(self, sql: str, places: int | None) -> str:
        """Return the SQL of the text of a value."""
        if places is None:
            return super().text_of(sql, places)
        unit = 10**SCALE
        text = f"SUBSTR('-', ({sql} >= 0) + 1) || printf('%d.%0{SCALE}d', ABS({sql}) / {unit}, ABS({sql}) % {unit})"
        return f"SUBSTR({text}, 1, LENGTH({text}) - {SCALE - places + (places == 0)})"

    def exact_sum(self, sql: str) -> str:
        """Return the sum as a text of its upper part and its lower 32 bits: SUM fails beyond 64 bits."""
        lower = f"SUM({sql} & 4294967295)"
        return f"(SUM({sql} >> 32) + ({lower} >> 32)) || ' ' || ({lower} & 4294967295)"

    def read_sum(self, value: Any) -> int:
        """Return the sum of both parts."""
        upper, _, lower = (value or "0 0").partition(" ")
        return (int(upper) << 32) + int(lower)

    # Comparing and sorting text ---------------------------------------------------------------------------------------

    def like_condition(self, sql: str, pattern: str) -> Condition:
        """Return the condition for a pattern."""
        return sqlite_like(sql, pattern)

    def sort_key(self, sql: str) -> str:
        """Return the SQL by which a text is sorted. Indexes use the collation, so it must be built into SQLite."""
        return f"{sql} COLLATE NOCASE"

    scans_indexes = True

    # Few of many rows -------------------------------------------------------------------------------------------------

    # SQLite has no statistics unless an administrator runs ANALYZE, and none about ranges
    guessed_operators = frozenset(["<", "<=", ">", ">=", "between", "=", "in"])

    def met_by_many(self, sql: str) -> str:
        """Return a condition with the hint that most rows meet it; an index that has the order still serves."""
        return f"likely({sql})"

    # Searching words --------------------------------------------------------------------------------------------------
    #
    # A table of FTS5 for each table, filled by triggers

    searches_unindexed = False

    def can_make_searches(self) -> bool:
        """Return whether the library has FTS5: it may be older, or built without."""
        return _has_tokenizer()

    def make_search(self, searched: SearchedTable) -> None:
        """Create the table of words and its triggers."""
        words, key = searched.words, searched.key
        self.run(f"CREATE VIRTUAL TABLE {words} USING {_WORDS}")
        added = f"INSERT INTO {words}(rowid, words) VALUES (NEW.{key}, {_words_sql(searched, 'NEW.')})"
        old = f"VALUES ('delete', OLD.{key}, {_words_sql(searched, 'OLD.')})"
        gone = f"INSERT INTO {words}({words}, rowid, words) {old}"
        other = " OR ".join(f"OLD.{each} IS NOT NEW.{each}" for each in searched.columns)
        for event, when, actions in (
            ("INSERT", "", added),
            (f"UPDATE OF {', '.join(searched.columns)}", f"WHEN {other} ", f"{gone}; {added}"),
            ("DELETE", "", gone),
        ):
            name = searched.trigger(event.partition(" ")[0])
            self.run(f"CREATE TRIGGER {name} AFTER {event} ON {searched.table} {when}BEGIN {actions}; END")

    def fill_search(self, searched: SearchedTable) -> str:
        """Return the statement that enters rows."""
        key = searched.key
        return (
            f"INSERT INTO {searched.words}(rowid, words) SELECT t.{key}, {_words_sql(searched, 't.')} "
            f"FROM {searched.table} AS t WHERE t.{key} > ? AND t.{key} <= ?"
        )

    def words_condition(self, searched: SearchedTable, words: Sequence[str]) -> Condition:
        """Return the condition for rows of the table of words."""
        found = f"SELECT rowid FROM {searched.words} WHERE {searched.words} MATCH ?"
        return f"t.{searched.key} IN ({found})", (" AND ".join(f'"{word}"*' for word in words),)

    # Errors -----------------------------------------------------------------------------------------------------------

    error_kinds = kinds.kinds_by_code({
        kinds.UNREACHABLE: "closed SQLITE_CANTOPEN SQLITE_IOERR SQLITE_CORRUPT SQLITE_NOTADB SQLITE_READONLY_DBMOVED",
        kinds.CONFLICT: "SQLITE_BUSY_SNAPSHOT",
        kinds.LOCKED: "SQLITE_BUSY SQLITE_LOCKED",
        kinds.TOO_LONG: "SQLITE_INTERRUPT",
        kinds.MISSING: "missing",
        kinds.DISK_FULL: "SQLITE_FULL",
        kinds.READ_ONLY: "SQLITE_READONLY",
    })  # fmt: skip
    refused_codes = frozenset(["SQLITE_CANTOPEN"])

    def error_code(self, error: BaseException) -> str:
        """Return SQLite's name of an error, without details that change nothing, or `missing` or `closed`."""
        original = getattr(error, "orig", error)
        if not isinstance(original, sqlite3.Error):
            return self.closed_code(original)
        text = str(original)
        if "no such table" in text or "no such column" in text or "has no column" in text:
            return "missing"
        if "closed database" in text:
            return "closed"
        name = str(getattr(original, "sqlite_errorname", None) or "")
        return name if name in self.error_kinds else "_".join(name.split("_")[:2])

    def integrity_problem(self, error: BaseException, table: str) -> kinds.IntegrityProblem:
        """Return which constraint a row breaks; SQLite doesn't report the columns of a reference."""
        original = getattr(error, "orig", error)
        rule = _RULES.get(getattr(original, "sqlite_errorname", ""), "")
        listed = str(original).partition(": ")[2] if rule == kinds.UNIQUE else ""
        columns = [name.rpartition(".") for name in listed.split(", ") if "." in name]
        return kinds.IntegrityProblem(rule, columns[0][0] if columns else "", tuple(column for *_, column in columns))

    # Tables -----------------------------------------------------------------------------------------------------------

    #: without it a new row gets the ID of the newest one that was deleted
    key_constraint = "AUTOINCREMENT"
    ignores_sizes = True
    # DECIMAL is left out: exact decimals are BIGINT here
    column_kinds = {**Backend.column_kinds, "DECIMAL": "NUMERIC", "NUMERIC": "NUMERIC"}
    equal_families = frozenset({("exact", "whole"), ("boolean", "whole"), ("whole", "boolean")})

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
            # A transaction can't change the setting
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

    def add_columns(self, table: str, columns: Sequence[ColumnDefinition]) -> None:
        """Add columns one by one: a statement adds one."""
        for each in columns:
            self.add_column(table, each)

    def change_column(self, table: str, column: ColumnDefinition, value: str) -> None:
        """Change a column with its reference."""
        rebuild(self, table, column.name, self._column(column), value)

    def add_reference(self, table: str, column: str, reference: str) -> None:
        """Build the table again: a reference is part of its column."""
        rebuild(self, table, column, f"{definition_of(self, table, column)} {reference}", self.quoted(column))

    def rename_index(self, table: str, name: str, to: str) -> None:
        """Create an index again under another name."""
        found = next(each for each in self.get_indexes(table) if each.name == name)
        columns = [self.quoted(each) for each in found.columns]
        self.create_index(table, to, columns, unique=bool(found.unique), replaces=[name])

    # Audit trail ------------------------------------------------------------------------------------------------------

    triggers_query = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?"

    def append_only(self, table: str, message: str) -> dict[str, list[str]]:
        """Return the triggers that make a table append-only."""
        return {
            f"{table}_{name}": [
                f"CREATE TRIGGER {table}_{name} BEFORE {event} ON {table} {when}"
                f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
            ]
            for name, event, when in (
                ("update", "UPDATE", ""),
                ("delete", "DELETE", ""),
                # INSERT OR REPLACE deletes rows without firing the DELETE trigger
                ("replace", "INSERT", f"WHEN EXISTS (SELECT 1 FROM {table} WHERE rowid = NEW.rowid) "),
            )
        }

    @contextmanager
    def changes_allowed(self, table: str, message: str) -> Iterator[None]:
        """Drop the triggers meanwhile: there is one writer, and a rollback restores them."""
        triggers = self.append_only(table, message)
        names = f"{table}_update", f"{table}_delete"
        for name in names:
            self.run(f"DROP TRIGGER IF EXISTS {name}")
        yield
        for name in names:
            self.run(triggers[name][0])

    # Copies -----------------------------------------------------------------------------------------------------------

    copies_pages = True

    def begin_snapshot(self) -> None:
        """Begin a transaction; the first read decides the instant."""
        self.run("BEGIN")
        self.read("SELECT COUNT(*) FROM sqlite_master").fetchall()

    @contextmanager
    def bulk_load(self) -> Iterator[None]:
        """Take rows in any order meanwhile, without waiting for the disk."""
        self.run("PRAGMA foreign_keys = off")
        self.run("PRAGMA synchronous = off")
        yield
        wrong = self.run("PRAGMA foreign_key_check").fetchall()
        if wrong:
            raise peewee.IntegrityError(f"a row in {wrong[0][0]} references a missing row in {wrong[0][2]}")
        self.run("PRAGMA synchronous = full")
        self.run("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self.run("PRAGMA foreign_keys = on")

    def copy_pages(self, target: Backend, progress: Progress) -> None:
        """Copy the whole database page by page; all of the copy comes into being at once."""
        self.connection().backup(
            target.connection(), pages=5000, progress=lambda status, left, all: progress(all - left, all)
        )

    def id_counter(self, table: str, key: str) -> int | None:
        """Return the last ID that a table has generated."""
        if not self.read("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'").fetchall():
            # No table of this file generates IDs
            return None
        found = self.read("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchall()
        return int(found[0][0]) if found else None

    def set_id_counter(self, table: str, key: str, number: int) -> None:
        """Set the last ID that a table has generated."""
        self.run("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        self.run("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, number))

    def remove_tables(self, names: Sequence[str]) -> None:
        """Drop tables; from now on the connection checks no references."""
        self.run("PRAGMA foreign_keys = off")
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
    "NUMERIC": lambda value: Decimal(str(value)),
    "DATETIME": _of_text(datetime.fromisoformat),
    "DATE": _of_text(lambda text: date.fromisoformat(text[:10])),
    "TIME": _of_text(time_of_day.fromisoformat),
    "BOOL": bool,
}
_WRITERS: dict[str, Callable[[Any], Any]] = {
    "NUMERIC": str,
    "DATETIME": lambda value: value.isoformat(" "),
    "DATE": date.isoformat,
    "TIME": time_of_day.isoformat,
    "BOOL": int,
}


@cache
def _has_tokenizer() -> bool:
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute(f"CREATE VIRTUAL TABLE searched USING {_WORDS}")
    except sqlite3.OperationalError as error:
        _log.error("can't search by `q`: SQLite %s does not support FTS5 (%s)", sqlite3.sqlite_version, error)
        return False
    return True


def _words_sql(searched: SearchedTable, alias: str) -> str:
    """Return the SQL of the words of a row: the tokenizer ignores accents, but not ligatures."""
    return without_ligatures(joined(searched.texts(alias)))
