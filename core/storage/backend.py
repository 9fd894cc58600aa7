"""The contract of a database: `sqlite.py`, `postgresql.py` and `mysql.py` implement it.

Nothing else asks which database it is: whatever differs is a method or an attribute here. `RetryingDatabase` has what
all of them do alike. A further database is a further file.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import peewee

from .retrying_database import RetryingDatabase


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

    # Statements ------------------------------------------------------------------------------------------------------

    #: what a statement has for a value that is bound
    placeholder = "%s"

    def driver_sql(self, sql: str) -> str:
        """Return portable SQL, with ``?`` for each value, as the driver takes it."""
        raise NotImplementedError

    def quoted(self, name: str) -> str:
        """Return the name of a table, a column or an index as SQL has it."""
        return f"{self.quote[0]}{name}{self.quote[1]}"

    # Values and columns ----------------------------------------------------------------------------------------------

    #: whether exact decimals are kept as whole numbers of their last decimal place
    scaled_decimals = False

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
    #: whether a `CREATE TABLE` may list indexes
    inline_indexes = False
    #: what an index says of a column that may be NULL, so that it has the order of lists
    nulls_first = ""
    #: whether a column takes longer texts and larger numbers than it declares
    ignores_sizes = False
    #: peewee's kind of each type that `get_columns` reports
    column_kinds = {
        "BIGINT": "BIGINT", "BLOB": "BLOB", "BOOLEAN": "BOOL", "CHAR": "CHAR", "CHARACTER": "CHAR",
        "CHARACTER VARYING": "VARCHAR", "DATE": "DATE", "DATETIME": "DATETIME", "DECIMAL": "DECIMAL",
        "DOUBLE": "DOUBLE", "DOUBLE PRECISION": "DOUBLE", "FLOAT": "FLOAT", "INT": "INT", "INTEGER": "INT",
        "NUMERIC": "DECIMAL", "REAL": "FLOAT", "SMALLINT": "SMALLINT", "TEXT": "TEXT", "TIME": "TIME",
        "TINYINT": "BOOL", "VARCHAR": "VARCHAR",
    }  # fmt: skip
    #: what a model declares and the database reports as another kind: pairs; all whole numbers are ``whole``
    equal_kinds: frozenset[tuple[str, str]] = frozenset()

    def type_of(self, field: peewee.Field) -> str:
        """Return the SQL type of a field's column."""
        context: Any = self.get_sql_context()
        return str(context.sql(field.ddl_datatype(context)).query()[0])

    def table_settings(self) -> list[str]:
        """Return what a `CREATE TABLE` ends with."""
        return []

    # Changing tables -------------------------------------------------------------------------------------------------

    #: whether a transaction undoes changes of tables; otherwise each of them commits what was done before
    transactional_ddl = True

    @property
    def file(self) -> Path | None:
        """The file that the whole database is in; None: there is none."""
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

    def _column(self, column: ColumnDefinition) -> str:
        """Return a column as `CREATE TABLE` lists it."""
        parts = [self.quoted(column.name), column.kind, "NULL" if column.null else "NOT NULL"]
        parts += [f"DEFAULT {column.default}" if column.default else "", column.constraints, column.reference]
        return " ".join(part for part in parts if part)

    def set_default(self, table: str, column: ColumnDefinition) -> None:
        """Give the default of a column to new rows; none if it has none."""
        what = f"SET DEFAULT {column.default}" if column.default else "DROP DEFAULT"
        self.run(f"ALTER TABLE {self.quoted(table)} ALTER COLUMN {self.quoted(column.name)} {what}")

    def change_column(self, table: str, column: ColumnDefinition, value: str) -> None:
        """Give a column another type or default, or let it be NULL or not; a reference that it has stays.

        :param value: the SQL of what it holds then
        """
        raise NotImplementedError

    def drop_column(self, table: str, column: str) -> None:
        """Drop a column that no index and no reference has."""
        self.run(f"ALTER TABLE {self.quoted(table)} DROP COLUMN {self.quoted(column)}")

    def reclaim(self, table: str) -> bool:
        """Free what dropped columns still take of each row; return whether the database keeps them at all."""
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
        """Give an index another name."""
        raise NotImplementedError

    # Audit trail -----------------------------------------------------------------------------------------------------

    # Copies ----------------------------------------------------------------------------------------------------------
