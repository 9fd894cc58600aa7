"""SQLite: one file, one writer at a time, and a clock of its own."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from typing import Any

import peewee

from .backend import Backend, Condition
from .collation import sqlite_like
from .search import joined, trigram_phrases, without_ligatures
from .search_names import SearchedTable

_log = logging.getLogger("comptoir.tables")

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

    one_writer = True

    def inserted_ids(self, cursor: Any, rows: int, key: str = "") -> list[Any]:
        """Return the IDs of inserted rows: one statement takes consecutive ones, and SQLite reports the last."""
        return [*range(cursor.lastrowid - rows + 1, cursor.lastrowid + 1)]

    @contextmanager
    def synchronous_off(self) -> Iterator[None]:
        """Commit without waiting for the disk: a power cut may undo the last transactions."""
        level = self.execute_sql("PRAGMA synchronous").fetchone()[0]
        self.execute_sql(f"PRAGMA synchronous = {min(level, 1)}")
        try:
            yield
        finally:
            self.execute_sql(f"PRAGMA synchronous = {level}")

    # Values and columns -----------------------------------------------------------------------------------------------

    def sum_columns(self, sql: str) -> tuple[str, ...]:
        """Return the halves of a sum: 64 bits don't hold a sum of 64-bit numbers."""
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
    #
    # Two tables of FTS5 for each table, one of words and one of trigrams, filled by triggers. Neither keeps a text a
    # second time: each is only asked for the IDs of rows

    searches_unindexed = False
    words_order = "searched.rowid"
    has_trigram_table = True

    def can_make_searches(self) -> bool:
        """Return whether the library has trigrams: it may be older, or built without."""
        return _has_tokenizers()

    def make_search(self, searched: SearchedTable) -> bool:
        """Create the tables and their triggers."""
        words, grams, columns = searched.words, searched.trigrams, _gram_columns(searched)
        tokens = "unicode61 remove_diacritics 2 categories ''L* Nd''"
        self.run(
            f"CREATE VIRTUAL TABLE {words} USING fts5(words, content='', tokenize='{tokens}', prefix='1 2 3', "
            "detail=none)"
        )
        self.run(f"CREATE VIRTUAL TABLE {grams} USING fts5({columns}, content='', tokenize='trigram')")
        added, key, (said, texts) = self._search_inserts(searched, "NEW."), searched.key, self._said(searched, "OLD.")
        gone = [
            f"INSERT INTO {words}({words}, rowid, words) VALUES ('delete', OLD.{key}, {said})",
            f"INSERT INTO {grams}({grams}, rowid, {columns}) VALUES ('delete', OLD.{key}, {texts})",
        ]
        other = " OR ".join(f"OLD.{each} IS NOT NEW.{each}" for each in searched.columns)
        for event, when, actions in (
            ("INSERT", "", added),
            (f"UPDATE OF {', '.join(searched.columns)}", f"WHEN {other} ", [*gone, *added]),
            ("DELETE", "", gone),
        ):
            name = searched.trigger(event.partition(" ")[0])
            self.run(f"CREATE TRIGGER {name} AFTER {event} ON {searched.table} {when}BEGIN {'; '.join(actions)}; END")
        return True

    def fill_search(self, searched: SearchedTable) -> list[str]:
        """Return the statements that enter rows."""
        key = searched.key
        return self._search_inserts(searched, "t.", f"FROM {searched.table} AS t WHERE t.{key} > ? AND t.{key} <= ?")

    def _search_inserts(self, searched: SearchedTable, alias: str, source: str = "") -> list[str]:
        words, texts = self._said(searched, alias)
        how = f"SELECT {{}} {source}" if source else "VALUES ({})"
        return [
            f"INSERT INTO {searched.words}(rowid, words) " + how.format(f"{alias}{searched.key}, {words}"),
            f"INSERT INTO {searched.trigrams}(rowid, {_gram_columns(searched)}) "
            + how.format(f"{alias}{searched.key}, {texts}"),
        ]

    def _said(self, searched: SearchedTable, alias: str) -> tuple[str, str]:
        """Return the words of a row, and its texts as trigrams are made of them, as SQL."""
        texts = searched.texts(alias)
        # The tokenizer ignores accents, and knows no ligatures. Other databases take this letter for a small `i`
        return without_ligatures(joined(texts)), ", ".join(f"REPLACE({text}, '\u0130', 'i')" for text in texts)

    def _words_query(self, words: Sequence[str], whole: bool) -> str:
        """Return what FTS5 is asked."""
        return " AND ".join(f'"{word}"{"" if whole else "*"}' for word in words)

    def words_condition(self, searched: SearchedTable, words: Sequence[str], *, whole: bool) -> Condition:
        """Return the condition for rows of the table of words."""
        found = f"SELECT rowid FROM {searched.words} WHERE {searched.words} MATCH ?"
        return f"t.{searched.key} IN ({found})", (self._words_query(words, whole),)

    def words_source(
        self, searched: SearchedTable, words: Sequence[str], source: str, *, whole: bool
    ) -> tuple[str, Condition]:
        """Return the table of words first: a few rows are read one by one, without finding all."""
        found = f"searched.{searched.words} MATCH ? AND t.{searched.key} = searched.rowid"
        tables = f"{searched.words} AS searched CROSS JOIN {source}"
        return tables, (found, (self._words_query(words, whole),))

    def trigram_condition(self, searched: SearchedTable, column: int, pattern: str, most: int) -> Condition | None:
        """Return the condition for rows of the table of trigrams."""
        phrases = trigram_phrases(pattern)
        if not phrases:
            return None
        wanted = f"c{column} : ({' AND '.join(phrases)})"
        found = f"SELECT rowid FROM {searched.trigrams} WHERE {searched.trigrams} MATCH ?"
        if self.execute_sql(f"{found} LIMIT 1 OFFSET {most}", (wanted,)).fetchone():
            return None
        return f"t.{searched.key} IN ({found})", (wanted,)

    # Errors -----------------------------------------------------------------------------------------------------------

    # Tables -----------------------------------------------------------------------------------------------------------

    #: without it a new row gets the ID of the newest one that was deleted
    key_constraint = "AUTOINCREMENT"

    # Changing tables --------------------------------------------------------------------------------------------------

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


def make_private_file(path: str) -> None:
    """Make the file of a database that has none, for its owner alone: SQLite gives `-wal` and `-shm` its mode."""
    if path and not path.startswith((":", "file:")):
        # One that cannot be made is SQLite's to refuse
        with suppress(OSError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _is_locked(error: peewee.OperationalError) -> bool:
    code = getattr(getattr(error, "orig", None), "sqlite_errorcode", 0)
    return code & 255 == sqlite3.SQLITE_BUSY and code != sqlite3.SQLITE_BUSY_SNAPSHOT


@cache
def _has_tokenizers() -> bool:
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute("CREATE VIRTUAL TABLE grams USING fts5(words, tokenize='trigram')")
    except sqlite3.OperationalError as error:
        _log.error("can't search by `q`: SQLite %s does not support trigrams (%s)", sqlite3.sqlite_version, error)
        return False
    return True


def _gram_columns(searched: SearchedTable) -> str:
    return ", ".join(f"c{place}" for place in range(len(searched.columns)))
