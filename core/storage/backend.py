"""The contract of a database: `sqlite.py`, `postgresql.py` and `mysql.py` implement it.

Nothing else asks which database it is: whatever differs is a method or an attribute here. `RetryingDatabase` has what
all of them do alike. A backend may override its `_open`, `_configure` and `_execute_cursor`, and
enforces its `limits()`. Introspection (`get_tables`, `get_columns` …) comes from a class of peewee, which is a base
class after `Backend`. A further database is a further file.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import peewee
from playhouse import db_url

from . import error_kinds as kinds
from .column import Column
from .retrying_database import RetryingDatabase
from .texts import TRIGRAMS, WORDS, SearchedTable, search_name

#: seconds in which a connection must be made
CONNECT_SECONDS = 3

#: shows how much of a copy is done, and of how much
Progress = Callable[[int, int], object]

#: the SQL of a condition, and its bound values
Condition = tuple[str, tuple[Any, ...]]


@dataclass(frozen=True)
class ColumnDefinition:
    """A column as SQL.

    :ivar kind: its type
    :ivar default: the literal that new rows get; empty: none
    :ivar constraints: what else holds for its values; empty: nothing
    :ivar reference: its ``REFERENCES …``; empty: none
    """

    name: str
    kind: str
    null: bool = True
    default: str = ""
    constraints: str = ""
    reference: str = ""


class Backend(RetryingDatabase):
    """A kind of database.

    :ivar name: what URLs, tests and copies call it
    """

    name = ""

    # URLs and drivers ------------------------------------------------------------------------------------------------

    #: schemes of its URLs, the usual one first
    schemes: ClassVar[tuple[str, ...]] = ()
    #: modules, each of which can be its driver, the fastest first, and the package that provides one
    drivers: ClassVar[tuple[str, ...]] = ()
    driver_package = ""
    #: options of the connection, unless the URL has others
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
        # The one scheme that peewee supports
        url = cls.name + url[url.index(":") :]
        return {**cls.default_options, **db_url.parse(url, unquote_password=True, unquote_user=True)}

    @classmethod
    def driver(cls) -> Any:
        """Return the module of the first driver that is installed.

        :raises ValueError: none is
        """
        for each in cls.drivers:
            with suppress(ImportError):
                return import_module(each)
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

    # Statements ------------------------------------------------------------------------------------------------------

    #: what a statement has for a value that is bound; the same as peewee's `param`
    placeholder = "%s"
    #: values that a statement may bind
    max_values = 30_000
    #: seconds that a batch may write, unless a setting says otherwise
    batch_seconds = 8

    #: finds what holds no values, which is a text, a quoted name or a comment, and the marks between; None: a value is
    #: ``?`` for the driver also
    sql_parts: ClassVar[re.Pattern[str] | None] = None

    def driver_sql(self, sql: str) -> str:
        """Return portable SQL, with ``?`` for each value, as the driver takes it."""
        return sql if self.sql_parts is None else _to_percent_s(sql, self.sql_parts)

    #: whether one transaction writes at a time, and the others wait: rows need no locks
    one_writer = False

    @contextmanager
    def lock_timeout(self, seconds: float) -> Iterator[None]:
        """Limit the wait for the lock of a database with one writer; begin outside of a transaction."""
        yield

    def lock_rows(self, sql: str, *, skip_locked: bool = False) -> str:
        """Return a SELECT that locks the rows it finds until the transaction ends.

        :param skip_locked: leave out the rows that others have locked
        """
        return sql if self.one_writer else f"{sql} FOR UPDATE{' SKIP LOCKED' if skip_locked else ''}"

    #: whether a foreign key is checked after each row of a DELETE, and not after all of them
    checks_references_by_row = False

    def returning(self, key: str, rows: int = 1) -> str:
        """Return what an INSERT must end with so that `inserted_ids` finds the IDs of its rows.

        :param key: the SQL of the primary key
        """
        return ""

    def inserted_ids(self, cursor: Any, rows: int, key: str = "") -> list[Any]:
        """Return the IDs of the rows that an INSERT has just written, in their order; empty: unknown.

        :param key: the column of the primary key, if the INSERT returns columns of its author's choice. The rows that
            it returns can still be fetched
        """
        returned = cursor.fetchall()
        if not key:
            return [row[0] for row in returned]
        cursor.scroll(0, mode="absolute")
        place = next((at for at, each in enumerate(cursor.description) if each[0] == key), None)
        return [] if place is None else [row[place] for row in returned]

    def reserve_id(self, table: str, key: str) -> int | None:
        """Return the ID for the row that this transaction inserts next; None: only its INSERT reveals it."""
        return None

    def upsert(self, insert: str, key: str, changes: str) -> str:
        """Return an INSERT that changes the row with the same key instead if there is one.

        :param key: the columns of the unique key
        :param changes: assignments as after SET; ``excluded`` is the row that can't be inserted. A column is read
            before it is assigned: some databases assign from left to right
        """
        return f"{insert} ON CONFLICT ({key}) DO UPDATE SET {changes}"

    #: the statement that lets the COMMIT of a transaction return before the disk has it; empty: not supported
    asynchronous_commit = ""

    @contextmanager
    def synchronous_off(self) -> Iterator[None]:
        """Commit without waiting for the disk, if a connection can; begin outside of a transaction."""
        yield

    def asynchronous_insert(self, table: str, columns: Sequence[str]) -> str:
        """Return an INSERT, in portable SQL, that is committed without waiting for the disk.

        If the row is there already, it inserts nothing or fails with an `IntegrityError`.
        """
        return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"

    @classmethod
    def quoted(cls, name: str) -> str:
        """Return the name of a table, a column or an index as SQL has it."""
        return name.join(cls.quote)

    # Values and columns ----------------------------------------------------------------------------------------------

    #: whether exact decimals are kept as whole numbers: the value times 10^`SCALE`
    scaled_decimals = False
    #: whether dates and times are kept as text
    dates_as_text = False
    #: bytes that a text column without a length holds; 0: any number
    max_text_bytes = 0
    #: the type of a column for several of the longest texts
    long_text_type = "TEXT"

    def value_reader(self, column: Column) -> Callable[[Any], Any] | None:
        """Return the function that converts a column's value to Python's; None: no conversion is needed."""
        return None

    def value_writer(self, column: Column) -> Callable[[Any], Any] | None:
        """Return the function that converts Python's value to the column's; None: no conversion is needed."""
        return None

    def rounded(self, sql: str, scale: int) -> str:
        """Return the SQL of an exact decimal rounded half away from zero.

        :param sql: the SQL of an exact decimal with more decimal places
        """
        return f"ROUND({sql}, {scale})"

    def text_of(self, sql: str, places: int | None) -> str:
        """Return the SQL of the text of a value.

        :param places: decimal places, if it is an exact decimal
        """
        return f"CAST({sql} AS {self.text_type})"

    def exact_sum(self, sql: str) -> str:
        """Return the SQL of the exact sum of whole numbers or exact decimals, which `read_sum` reads.

        Equal sums are equal in SQL; they may not be ordered.

        :param sql: the SQL of a column
        """
        return f"SUM({sql})"

    def read_sum(self, value: Any) -> Any:
        """Return the number that `exact_sum` has found, as the column keeps it; 0 if there was no value."""
        return value or 0

    def get_binary_type(self) -> type[bytes]:
        """Return what a `BlobField` binds: each driver takes bytes, and their text is the same in each process."""
        return bytes

    def literal(self, value: Any) -> str:
        """Return a value as SQL that the driver takes."""
        if value is None:
            return "NULL"
        if isinstance(value, bool):
            return str(value).upper()
        if isinstance(value, (int, float, Decimal)):
            return f"{value:f}" if isinstance(value, Decimal) else str(value)
        if isinstance(value, (bytes, bytearray)):
            return f"X'{value.hex()}'"
        if isinstance(value, date):
            return self._text_literal(value.isoformat(" ") if isinstance(value, datetime) else value.isoformat())
        return self._text_literal(str(value))

    def _text_literal(self, text: str) -> str:
        quoted = "'" + text.replace("'", "''") + "'"
        return quoted if self.placeholder == "?" else quoted.replace("%", "%%")

    # Comparing and sorting text --------------------------------------------------------------------------------------

    #: the type that `CAST` has for a text
    text_type = "TEXT"

    #: whether reading an index takes much less time than reading its table, so that `like` gains from it
    scans_indexes = False

    def like_condition(self, sql: str, pattern: str) -> Condition:
        """Return the condition for a pattern of `like`, which ignores case (`texts.py`).

        :param sql: the SQL of a text
        """
        raise NotImplementedError

    def ordering_operand(self, sql: str) -> str:
        """Return the SQL of a text that is compared as less or greater."""
        return sql

    def sort_key(self, sql: str) -> str:
        """Return the SQL by which a text is sorted: case is ignored, accents count."""
        raise NotImplementedError

    def sort_index(self, sql: str, *, null: bool) -> str:
        """Return the SQL of a text in an index for sorted lists; empty: the database can't have such an index.

        :param null: whether the column may be NULL; only then lists mention it
        """
        return f"({self.sort_key(sql)}){self.nulls_order(descending=False) if null else ''}"

    def nulls_order(self, *, descending: bool) -> str:
        """Return the SQL after ASC or DESC, in a list or an index, that puts NULL before every value."""
        return ""

    # Few of many rows ------------------------------------------------------------------------------------------------

    #: operators of filters of which a plan only guesses how many rows they find: `records/ranges.py` counts them
    guessed_operators: frozenset[str] = frozenset()
    #: rows that are found and sorted in a few milliseconds
    few_rows = 5_000

    def among_rows(self, key: str, rows: str) -> str:
        """Return the condition for few rows, which are found by their keys.

        :param key: the SQL of the primary key
        :param rows: a SELECT of keys
        """
        return f"{key} IN ({rows})"

    def few_rows_of(self, key: str, rows: Condition, otherwise: Condition) -> Condition:
        """Return the condition for the rows of a query, by their IDs; if there are many, another condition.

        :param key: the SQL of the primary key
        :param rows: a SELECT of keys, and its bound values
        """
        found = self.read(f"{rows[0]} LIMIT {self.few_rows + 1}", rows[1]).fetchall()
        if len(found) > self.few_rows:
            return otherwise
        # As literals: the number of values of a statement is limited, and a filter may have several such conditions
        return f"{key} IN ({', '.join(self.literal(each) for (each,) in found) or 'NULL'})", ()

    def met_by_many(self, sql: str) -> str:
        """Return a condition that isn't used to find rows, because many meet it and would have to be sorted."""
        return sql

    # Searching words -------------------------------------------------------------------------------------------------
    #
    # `storage/texts.py` defines words. In conditions, the searched table is `t`

    #: whether words are also found without the tables of `make_search`, by reading the table
    searches_unindexed = True
    #: the kind of the objects that `make_search` creates, as in DROP
    search_parts = "TABLE"

    def can_make_searches(self) -> bool:
        """Return whether the database has what `make_search` needs; log what is missing, once."""
        return True

    def make_search(self, searched: SearchedTable) -> None:
        """Create what finds the words of a table.

        :raises peewee.OperationalError: the database isn't set up for it
        """
        raise NotImplementedError

    def fill_search(self, searched: SearchedTable) -> str:
        """Return the statement that enters the rows of a range of IDs: above the first value, up to the second."""
        return ""

    def words_condition(self, searched: SearchedTable, words: Sequence[str]) -> Condition:
        """Return the condition for rows that have words which begin with each of these."""
        raise NotImplementedError

    def page_condition(self, searched: SearchedTable, words: Sequence[str], *, by_id: bool) -> Condition:
        """Return this condition for a statement that reads a page of a list; it may read.

        :param by_id: the list is in the order of the ID
        """
        return self.words_condition(searched, words)

    # Errors ----------------------------------------------------------------------------------------------------------

    #: code → kind of the error. An OperationalError or InterfaceError with another code counts as a lost connection. An
    #: error that a backend raises itself is one of `kinds.OWN_KINDS`
    error_kinds: Mapping[str, kinds.DatabaseErrorKind] = {}
    #: codes of errors that another attempt to connect doesn't change
    refused_codes: frozenset[str] = frozenset()

    def error_code(self, error: BaseException) -> str:
        """Return the code of an error, or of peewee's error about it; empty: it isn't one of this database."""
        raise NotImplementedError

    def closed_code(self, error: BaseException) -> str:
        """Return `closed` if an error without a code says that the connection is closed, or can't be made."""
        names = {base.__name__ for base in type(error).__mro__}
        raised_by = type(error).__module__.partition(".")[0]
        is_closed = names & {"OperationalError", "InterfaceError"} and raised_by in ("peewee", *self.drivers)
        return "closed" if is_closed else ""

    def classify(self, error: BaseException) -> kinds.DatabaseErrorKind | None:
        """Return the kind of an error of the database or of its driver; None: another error."""
        original: Any = getattr(error, "orig", error)
        return kinds.OWN_KINDS.get(type(original)) or self.error_kinds.get(self.error_code(error))

    def is_undone(self, error: BaseException) -> bool:
        """Return whether the database has undone the transaction of an error, or does when it is rolled back."""
        return self.classify(error) in (kinds.CONFLICT, kinds.TABLE_CHANGED)

    def is_worth_waiting(self, error: BaseException) -> bool:
        """Return whether a database that could not be connected to may respond soon, rather than reject for good."""
        return self.error_code(error) not in self.refused_codes

    def integrity_problem(self, error: BaseException, table: str) -> kinds.IntegrityProblem:
        """Return which constraint a row breaks; of a unique one, its table and columns. It may read.

        :param error: an error of peewee
        :param table: the table that was written, for a database that reports none
        """
        raise NotImplementedError

    # Tables ----------------------------------------------------------------------------------------------------------

    #: constraint of a generated key that prevents reuse of IDs; empty: none is needed
    key_constraint = ""
    #: whether a `CREATE TABLE` may list indexes
    inline_indexes = False
    #: whether a column takes longer texts and larger numbers than it declares
    ignores_sizes = False
    #: the kind (`storage/column.py`) of each type that `get_columns` reports
    column_kinds = {
        "BIGINT": "BIGINT", "BINARY": "BLOB", "BLOB": "BLOB", "BOOLEAN": "BOOL", "CHAR": "CHAR", "CHARACTER": "CHAR",
        "CHARACTER VARYING": "VARCHAR", "DATE": "DATE", "DATETIME": "DATETIME", "DECIMAL": "DECIMAL",
        "DOUBLE": "DOUBLE", "DOUBLE PRECISION": "DOUBLE", "FLOAT": "FLOAT", "INT": "INT", "INTEGER": "INT",
        "MEDIUMINT": "INT", "NUMERIC": "DECIMAL", "REAL": "FLOAT", "SMALLINT": "SMALLINT", "TEXT": "TEXT",
        "TIME": "TIME", "TIMESTAMP": "DATETIME", "TINYINT": "SMALLINT", "VARBINARY": "BLOB", "VARCHAR": "VARCHAR",
    }  # fmt: skip
    #: pairs of a model's family of kinds and the one that the database reports for it
    equal_families: frozenset[tuple[str, str]] = frozenset({("decimal", "exact")})

    def columns(self, table: str) -> list[Column]:
        """Return the columns of a table, without their indexes and references; none if the table is missing.

        Their defaults aren't known, only whether there are any.
        """
        return [self._read_column(each) for each in self.get_columns(table)]

    def _read_column(self, found: peewee.ColumnMetadata) -> Column:
        declared = str(found.full_type)
        kind = self.column_kinds.get(declared.upper().partition("(")[0].replace(" UNSIGNED", "").strip(), "")
        first, second = [*(int(number) for number in re.findall(r"\d+", declared)), None, None][:2]
        is_decimal = kind in ("DECIMAL", "NUMERIC")
        if kind in ("VARCHAR", "CHAR") and not first:
            kind = "TEXT"
        return Column(
            found.name,
            kind,
            length=first if kind in ("VARCHAR", "CHAR") else None,
            digits=first if is_decimal else None,
            scale=second if is_decimal else None,
            null=found.null and not found.primary_key,
            computed=found.default is not None,
            unused=True,
        )

    def type_of(self, field: peewee.Field) -> str:
        """Return the SQL type of a field's column."""
        context: Any = self.get_sql_context()
        return str(context.sql(field.ddl_datatype(context)).query()[0])

    def table_settings(self) -> list[str]:
        """Return the options at the end of a `CREATE TABLE`."""
        return []

    # Changing tables -------------------------------------------------------------------------------------------------

    #: whether a transaction rolls back changes of tables; otherwise each of them commits the work before it
    transactional_ddl = True

    @property
    def file(self) -> Path | None:
        """The file of the database; None: a server keeps it, or it is in memory."""
        return None

    def copy_to(self, target: Path) -> None:
        """Copy what is committed into another file, if the database is one.

        :raises peewee.PeeweeException: the copy can't be written
        """
        raise NotImplementedError

    def unchecked_references(self) -> AbstractContextManager[None]:
        """Let a transaction inside replace tables that others refer to; its `schema_lock` checks the references."""
        return nullcontext()

    def schema_lock(self) -> AbstractContextManager[None]:
        """Let one connection at a time change tables; inside a transaction if the database undoes such changes.

        :raises kinds.LockTimeout: it wasn't free within `limits()`; or an error of the database that means the same
        :raises peewee.PeeweeException: the lock was lost, or rows would refer to rows that don't exist
        """
        raise NotImplementedError

    def add_column(self, table: str, column: ColumnDefinition, value: str = "") -> None:
        """Add a column to a table.

        :param value: the SQL of what existing rows get; empty: its default
        """
        first = value or column.default
        self.run(f"ALTER TABLE {self.quoted(table)} ADD COLUMN {self._column(replace(column, default=first))}")
        if first != column.default:
            self.set_default(table, column)

    def add_columns(self, table: str, columns: Sequence[ColumnDefinition]) -> None:
        """Add columns to a table; existing rows get their defaults."""
        added = ", ".join(f"ADD COLUMN {self._column(each)}" for each in columns)
        self.run(f"ALTER TABLE {self.quoted(table)} {added}")

    def _column(self, column: ColumnDefinition) -> str:
        """Return a column as `CREATE TABLE` lists it."""
        parts = [self.quoted(column.name), column.kind, "NULL" if column.null else "NOT NULL"]
        parts += [f"DEFAULT {column.default}" if column.default else "", column.constraints, column.reference]
        return " ".join(part for part in parts if part)

    def set_default(self, table: str, column: ColumnDefinition) -> None:
        """Give the default of a column to new rows; none if it has none."""
        what = f"SET DEFAULT {column.default}" if column.default else "DROP DEFAULT"
        self.run(f"ALTER TABLE {self.quoted(table)} ALTER COLUMN {self.quoted(column.name)} {what}")

    def rename_column(self, table: str, column: str, to: str) -> None:
        """Rename a column; its indexes keep their names."""
        self.run(f"ALTER TABLE {self.quoted(table)} RENAME COLUMN {self.quoted(column)} TO {self.quoted(to)}")

    def change_column(self, table: str, column: ColumnDefinition, value: str) -> None:
        """Give a column another type or default, or let it be NULL or not; its reference stays.

        :param value: the SQL of its new values
        """
        raise NotImplementedError

    def drop_column(self, table: str, column: str) -> None:
        """Drop a column that no index and no reference has."""
        self.run(f"ALTER TABLE {self.quoted(table)} DROP COLUMN {self.quoted(column)}")

    def add_reference(self, table: str, column: str, reference: str) -> None:
        """Let a column refer to rows of a table; every row must fit.

        :param reference: ``REFERENCES …``
        """
        self.run(f"ALTER TABLE {self.quoted(table)} ADD FOREIGN KEY ({self.quoted(column)}) {reference}")

    def drop_references(self, table: str, column: str = "", *, keep: str = "") -> None:
        """Drop the references of a table to others; one without a name is part of its column.

        :param column: only those of this column; empty: of all
        :param keep: the table to which references stay
        """
        for each in self.get_foreign_keys(table):
            if each.name and column in ("", each.column) and each.dest_table != keep:
                self.run(f"ALTER TABLE {self.quoted(table)} DROP CONSTRAINT {self.quoted(each.name)}")

    def rename_table(self, table: str, to: str) -> None:
        """Rename a table; references to it follow."""
        self.run(f"ALTER TABLE {self.quoted(table)} RENAME TO {self.quoted(to)}")

    def drop_table(self, table: str) -> None:
        """Drop a table to which no other table refers."""
        self.run(f"DROP TABLE {self.quoted(table)}")

    def reclaim(self, table: str) -> bool:
        """Free the space of dropped columns in each row; return whether the database keeps them at all."""
        return False

    def create_index(
        self, table: str, name: str, columns: Sequence[str], *, unique: bool, replaces: Sequence[str] = ()
    ) -> None:
        """Create an index.

        :param columns: the SQL of each
        :param replaces: the names of indexes that are dropped for it
        """
        for each in replaces:
            self.drop_index(table, each)
        what = "UNIQUE INDEX" if unique else "INDEX"
        self.run(f"CREATE {what} {self.quoted(name)} ON {self.quoted(table)} ({', '.join(columns)})")

    def drop_index(self, table: str, name: str) -> None:
        """Drop an index."""
        self.run(f"DROP INDEX {self.quoted(name)}")

    def rename_index(self, table: str, name: str, to: str) -> None:
        """Rename an index."""
        raise NotImplementedError

    # Audit trail -----------------------------------------------------------------------------------------------------

    #: whether creating a trigger may need a privilege that the owner of the tables lacks
    restricts_triggers = False

    #: the query for the names of the triggers of a table, by its name, without those that are disabled
    triggers_query = ""

    def trigger_names(self, table: str) -> list[str]:
        """Return the names of the triggers of a table."""
        return [name for (name,) in self.read(self.triggers_query, (table,)).fetchall()]

    def append_only(self, table: str, message: str) -> dict[str, list[str]]:
        """Return the statements that make a table append-only, by the name of the trigger or table they create.

        Its rows can't be changed or deleted except within `changes_allowed`, and it can't be emptied.

        :param message: what such a statement fails with
        """
        raise NotImplementedError

    def changes_allowed(self, table: str, message: str) -> AbstractContextManager[None]:
        """Let an open transaction change and delete rows of an append-only table."""
        raise NotImplementedError

    # Copies ----------------------------------------------------------------------------------------------------------

    #: whether `copy_pages` copies a database
    copies_pages = False

    def begin_snapshot(self) -> None:
        """Begin a transaction that reads one state of the database, whatever others write."""
        raise NotImplementedError

    def bulk_load(self) -> AbstractContextManager[None]:
        """Accept rows in any order within a `with` block; check their references at its end.

        :raises peewee.IntegrityError: a row references a missing one
        """
        raise NotImplementedError

    def load_rows(self, table: str, columns: Sequence[str], rows: Sequence[Any]) -> None:
        """Insert rows, all or none of them."""
        names = ", ".join(map(self.quoted, columns))
        marks = ", ".join([self.placeholder] * len(columns))
        self.run("BEGIN")
        cursor = self.connection().cursor()
        try:
            cursor.executemany(f"INSERT INTO {self.quoted(table)} ({names}) VALUES ({marks})", rows)
        except BaseException:
            self.run("ROLLBACK")
            raise
        finally:
            cursor.close()
        self.run("COMMIT")

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

    def id_counter(self, table: str, key: str) -> int | None:
        """Return the last ID that a table has generated; None: it generates none."""
        raise NotImplementedError

    def set_id_counter(self, table: str, key: str, number: int) -> None:
        """Let the next ID that a table generates be the one after a number."""
        raise NotImplementedError

    def remove_tables(self, names: Sequence[str]) -> None:
        """Drop tables and their search tables, even if others reference them."""
        for name in names:
            # The tables of FTS5 take their parts along
            for each in (search_name(WORDS, name), search_name(TRIGRAMS, name), name):
                self.run(f"DROP TABLE IF EXISTS {self.quoted(each)}")


@lru_cache(maxsize=512)
def _to_percent_s(sql: str, parts: re.Pattern[str]) -> str:
    """Return portable SQL with ``%s`` for each value."""
    return parts.sub(lambda part: "%s" if part[0] == "?" else part[0].replace("%", "%%"), sql)
