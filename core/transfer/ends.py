"""The two ends of a copy: a database that is read as it is at one instant, and one that is written.

What differs between the three kinds of database stands in `kinds.py`; the rest of the room asks an end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import peewee

from ..storage.search_names import TRIGRAMS, WORDS, search_name

#: rows that travel at once
BATCH = 1000


class TransferError(Exception):
    """A copy, backup or restore that failed, with the reason and what to do."""


def _insist_on_own_sessions(database: Any) -> None:
    """Go on only if no pool gives the connection's session to others: what is said to it would hold for them, too.

    :raises TransferError: one does
    """
    own = getattr(database, "own", None)
    if own is not None and own.pooled:
        raise TransferError(
            "this command can't run through a connection pool such as PgBouncer; use the address of PostgreSQL itself "
            "(usually port 5432)"
        )


class End:
    """A database at one end of a copy, with this thread's connection to it."""

    kind: ClassVar[str]
    #: what is said to either end, to the one that is read, to the one that is written
    session: ClassVar[tuple[str, ...]] = ()
    reading: ClassVar[tuple[str, ...]] = ()
    writing: ClassVar[tuple[str, ...]] = ()

    def __init__(self, database: peewee.Database) -> None:
        self.database: Any = database
        #: the connection that sees the instant
        self._reading: Any = None
        self.connect()

    def connect(self) -> None:
        """Open the connection, unless it is open; its statements may take as long as they like."""
        own = getattr(self.database, "own", None)
        if own is not None:
            own.unlimited = True
        if self.database.is_closed():
            self.database.connect()
        _insist_on_own_sessions(self.database)
        for statement in self.session:
            self.run(statement)

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a statement; answers its rows.

        :raises TransferError: the connection that sees the instant is lost
        """
        cursor = self.database.execute_sql(sql, tuple(parameters) or None)
        if self._reading is not None and self.database.connection() is not self._reading:
            # A read may have been tried again on another one
            raise TransferError("the connection to the database was lost while reading; run the command again")
        return list(cursor.fetchall()) if cursor.description else []

    def quote(self, name: str) -> str:
        """A name as SQL spells it here."""
        return f'"{name}"'

    def begin_reading(self) -> None:
        """From now on what is read is what there is at this instant, whatever others write."""
        for statement in self.reading:
            self.run(statement)
        self._reading = self.database.connection()

    def end_reading(self) -> None:
        """Read what others have written meanwhile, again."""
        self._reading = None
        self.run("ROLLBACK")

    def prepare_writing(self) -> None:
        """Take rows in any order; `finish_writing` checks what names what."""
        for statement in self.writing:
            self.run(statement)

    def finish_writing(self) -> None:
        """Check what names what, and be sure that all is on the disk.

        :raises TransferError: a row names one that does not exist
        """

    def tables(self) -> list[str]:
        """The names of all tables."""
        return sorted(self.database.get_tables())

    def batches(self, sql: str) -> Iterator[list[Any]]:
        """The rows of a query, some at a time; all of them together may not fit into memory."""
        cursor = self._streaming()
        try:
            cursor.execute(sql)
            while rows := cursor.fetchmany(BATCH):
                yield rows
        finally:
            cursor.close()

    def _streaming(self) -> Any:
        return self.database.connection().cursor()

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Any]) -> None:
        """Insert rows."""
        marks = ", ".join([self.database.placeholder] * len(columns))
        names = ", ".join(self.quote(name) for name in columns)
        self.run("BEGIN")
        cursor = self.database.connection().cursor()
        try:
            cursor.executemany(f"INSERT INTO {self.quote(table)} ({names}) VALUES ({marks})", rows)
        except BaseException:
            self.run("ROLLBACK")
            raise
        finally:
            cursor.close()
        self.run("COMMIT")

    def last_number(self, table: str, key: str) -> int | None:
        """The number that the table's counter of identifiers has come to; None: it has none."""
        return None

    def set_last_number(self, table: str, key: str, number: int) -> None:
        """Let the next identifier be the one behind a number."""

    def sizes(self) -> dict[tuple[str, str], tuple[int, int]]:
        """(table, column) → digits and scale of decimals, or length of texts and 0, as the database itself says."""
        found = self.run(
            "SELECT table_name, column_name, numeric_precision, numeric_scale, character_maximum_length, data_type "
            f"FROM information_schema.columns WHERE table_schema = {self._schema}"
        )
        return {
            (table, column): (int(length or digits or 0), int(scale or 0))
            for table, column, digits, scale, length, kind in found
            if kind.lower() in ("numeric", "decimal", "varchar", "char", "character varying", "character")
        }

    _schema: ClassVar[str] = ""

    def drop(self, tables: Sequence[str]) -> None:
        """Drop tables, whatever names them."""
        for name in tables:
            # What it is searched by; the tables of FTS5 take their parts along
            for start in (WORDS, TRIGRAMS):
                self.run(f"DROP TABLE IF EXISTS {self.quote(search_name(start, name))}")
            self.run(f"DROP TABLE IF EXISTS {self.quote(name)}")
