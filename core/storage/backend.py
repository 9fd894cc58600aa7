"""The contract of a database: `sqlite.py`, `postgresql.py` and `mysql.py` implement it.

Nothing else asks which database it is: whatever differs is a method or an attribute here. `RetryingDatabase` has what
all of them do alike. A further database is a further file.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from playhouse import db_url

from .retrying_database import RetryingDatabase
from .search_names import TRIGRAMS, WORDS, search_name

#: seconds in which a connection must be made
CONNECT_SECONDS = 3

#: shows how much of a copy is done, and of how much
Progress = Callable[[int, int], object]


class Backend(RetryingDatabase):
    """A kind of database.

    :ivar name: what URLs, tests and copies call it
    """

    name = ""

    # URLs and drivers ------------------------------------------------------------------------------------------------

    #: schemes of its URLs, the usual one first
    schemes: ClassVar[tuple[str, ...]] = ()
    #: modules, each of which can be its driver, and the package that provides one
    drivers: ClassVar[tuple[str, ...]] = ()
    driver_package = ""
    #: what it is opened with, unless the URL says otherwise
    default_options: ClassVar[dict[str, Any]] = {}

    @classmethod
    def from_url(cls, url: str, limit: int) -> Backend:
        """Return the database of a URL; connections are opened when they are needed.

        :param limit: seconds that a statement may take
        :raises ValueError: the URL is invalid, or the driver is missing
        """
        cls.check_url(url)
        return cls(autoconnect=False, limit=limit, **cls.options_of(url))

    @classmethod
    def check_url(cls, url: str) -> None:
        """Check that a URL is complete and that a driver is installed. Messages contain no password.

        :raises ValueError: what was expected, and what the URL has
        """
        raise NotImplementedError

    @classmethod
    def options_of(cls, url: str) -> dict[str, Any]:
        """Return the options with which the database of a URL is opened."""
        # One scheme, because peewee knows no other
        url = cls.name + url[url.index(":") :]
        return {**cls.default_options, **db_url.parse(url, unquote_password=True, unquote_user=True)}

    @classmethod
    def check_driver(cls) -> None:
        """Check that a driver is installed.

        :raises ValueError: none is
        """
        for each in cls.drivers:
            with suppress(ImportError):
                import_module(each)
                return
        raise ValueError(
            f"the {cls.name} driver is missing; install it: {sys.executable} -m pip install {cls.driver_package}"
        )

    @classmethod
    def file_of(cls, url: str) -> Path | None:
        """Return the file of the database of a URL; None: a server keeps it."""
        return None

    @classmethod
    def check_file(cls, url: str) -> None:
        """Check that the file of a database is usable, or can be created; accept a database without one.

        :raises ValueError: it isn't
        """

    # Connections -----------------------------------------------------------------------------------------------------

    def connection(self) -> Any:
        """Return the connection of this thread, for use without `execute_sql`."""
        return super().connection()  # type: ignore[no-untyped-call]

    # Statements ------------------------------------------------------------------------------------------------------

    #: what a statement has for a value that is bound
    placeholder = "%s"

    def driver_sql(self, sql: str) -> str:
        """Return portable SQL, with ``?`` for each value, as the driver takes it."""
        raise NotImplementedError

    # Values and columns ----------------------------------------------------------------------------------------------

    #: whether exact decimals are integers, in units of their last decimal
    scaled_decimals = False

    def value_reader(self, kind: str, scale: int) -> Callable[[Any], Any] | None:
        """Return what makes Python's value of what a column returns; None: it returns that already.

        :param kind: exact, decimal, datetime, date, time, boolean, float, bytes, small, big, integer or text
        :param scale: decimals of an exact column
        """
        return None

    def value_writer(self, kind: str, scale: int) -> Callable[[Any], Any] | None:
        """Return what makes the value of a column of Python's value; None: the column takes that."""
        return None

    def sum_columns(self, sql: str) -> tuple[str, ...]:
        """Return what to select for the exact sum of a number: the sum, or its upper part and its lower 32 bits.

        :param sql: the SQL of a column
        """
        return (f"SUM({sql})",)

    # Comparing and sorting text --------------------------------------------------------------------------------------

    #: the operator of patterns that ignores case, and what makes the backslash the escape character of a pattern
    like, escape = "LIKE", ""
    #: the type that `CAST` has for a text
    text_type = "TEXT"

    def like_operand(self, sql: str) -> str:
        """Return the SQL of what a pattern is compared with.

        :param sql: the SQL of a text
        """
        return sql

    def like_pattern(self, pattern: str) -> str:
        """Return a pattern as it is bound."""
        return pattern

    def like_condition(self, sql: str, pattern: str) -> tuple[str, tuple[str, ...]] | None:
        """Return the condition, with what it binds, for a pattern that `like` alone doesn't express; None: it does.

        :param sql: the SQL of a text
        """
        return None

    def ordering_operand(self, sql: str) -> str:
        """Return the SQL of a text that is compared as less or greater."""
        return sql

    def sort_key(self, sql: str) -> str:
        """Return the SQL of what a text is sorted by: case is ignored, accents count."""
        raise NotImplementedError

    def sort_index(self, sql: str, *, null: bool) -> str:
        """Return the SQL of a text in an index for sorted lists; empty: the database can't have such an index.

        :param null: whether the column may be NULL
        """
        return ""

    # Searching words -------------------------------------------------------------------------------------------------

    # Errors ----------------------------------------------------------------------------------------------------------

    # Tables ----------------------------------------------------------------------------------------------------------

    #: what a generated key needs so that no ID is given again; empty: nothing
    key_constraint = ""

    def table_settings(self) -> list[str]:
        """Return what a `CREATE TABLE` ends with."""
        return []

    # Changing tables -------------------------------------------------------------------------------------------------

    # Audit trail -----------------------------------------------------------------------------------------------------

    # Copies ----------------------------------------------------------------------------------------------------------

    #: whether `copy_pages` copies a database
    copies_pages = False
    #: the SQL of the schema that holds the tables
    _schema = ""

    def begin_snapshot(self) -> None:
        """Begin a transaction that reads what there is at this instant, whatever others write."""
        raise NotImplementedError

    def bulk_load(self) -> AbstractContextManager[None]:
        """Take rows in any order meanwhile; afterwards check what they reference.

        :raises peewee.IntegrityError: a row references a missing one
        """
        raise NotImplementedError

    def load_rows(self, table: str, columns: Sequence[str], rows: Sequence[Any]) -> None:
        """Insert rows, all or none of them."""
        names = ", ".join(name.join(self.quote) for name in columns)
        marks = ", ".join([self.placeholder] * len(columns))
        self.execute_sql("BEGIN")
        cursor = self.connection().cursor()
        try:
            cursor.executemany(f"INSERT INTO {table.join(self.quote)} ({names}) VALUES ({marks})", rows)
        except BaseException:
            self.execute_sql("ROLLBACK")
            raise
        finally:
            cursor.close()
        self.execute_sql("COMMIT")

    def stream(self, sql: str, size: int) -> Iterator[list[Any]]:
        """Yield the rows of a query, `size` at a time: all of them together may not fit into memory."""
        cursor = self._stream_cursor()
        try:
            cursor.execute(sql)
            while rows := cursor.fetchmany(size):
                yield rows
        finally:
            cursor.close()

    def _stream_cursor(self) -> Any:
        return self.connection().cursor()

    def copy_pages(self, target: Backend, progress: Progress) -> None:
        """Copy the whole database into an empty one of the same kind, exactly."""
        raise NotImplementedError

    def column_sizes(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Return (table, column) → digits and scale of decimals, or length of texts and 0."""
        found = self.execute_sql(
            "SELECT table_name, column_name, numeric_precision, numeric_scale, character_maximum_length, data_type "
            f"FROM information_schema.columns WHERE table_schema = {self._schema}"
        )
        return {
            (table, column): (int(length or digits or 0), int(scale or 0))
            for table, column, digits, scale, length, kind in found.fetchall()
            if kind.lower() in ("numeric", "decimal", "varchar", "char", "character varying", "character")
        }

    def id_counter(self, table: str, key: str) -> int | None:
        """Return the last ID that a table has generated; None: it generates none."""
        raise NotImplementedError

    def set_id_counter(self, table: str, key: str, number: int) -> None:
        """Let the next ID that a table generates be the one after a number."""
        raise NotImplementedError

    def remove_tables(self, names: Sequence[str]) -> None:
        """Drop tables, and what they are searched by, whatever references them."""
        for name in names:
            # The tables of FTS5 take their parts along
            for each in (search_name(WORDS, name), search_name(TRIGRAMS, name), name):
                self.execute_sql(f"DROP TABLE IF EXISTS {each.join(self.quote)}")
