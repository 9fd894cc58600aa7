"""The object `tables`, with which a migration changes tables in the same way on all databases.

A migration is called twice: first to preview its steps, then to make them. A preview ends where a migration reads rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import peewee

from ..common.runtime import active
from ..storage.column import Column
from ..storage.database import query, quote
from ..storage.fields import field_of
from .known_tables import foreign_tables
from .steps import Add, AddIndex, AddReference, Change, Drop, DropIndex, Rename, RenameTable, Run, Step
from .table import StepError, Table

#: makes a step of a table that was made from this
Do = Callable[[Step, Table | None], None]


class ReadsRows(BaseException):
    """A migration reads rows in a preview. It is no `Exception`, so that a migration doesn't catch it."""


class Tables:
    """The tables, as a migration changes them.

    :param tables: what the tables were made from, by name; each step changes it
    :param do: makes a step; None: this is a preview
    :param file: the migration, if the time of its code may be limited
    """

    def __init__(self, tables: dict[str, Table], do: Do | None = None, file: Path | None = None) -> None:
        self.tables = tables
        self._do = do
        self._file = file
        self._foreign, self._extended = foreign_tables(file.parents[1].name) if file else ({}, set())
        #: the steps of a preview; those that are made aren't kept, because there may be a million of them
        self.steps: list[Step] = []
        #: the last statement or step
        self.statement = ""

    def rename(self, table: str, column: str, to: str) -> None:
        """Rename a column; its values and indexes stay."""
        self.take(Rename(table, column, to))

    def add(self, table: str, column: str, field: peewee.Field, *, fill: Any = None) -> None:
        """Add a column, with its index if the field has one.

        :param fill: the value of existing rows; None: the field's default
        """
        self.take(Add(table, column, field, fill))

    def drop(self, table: str, column: str) -> None:
        """Drop a column, with its values and every index that it is part of."""
        self.take(Drop(table, column))

    def change(self, table: str, column: str, field: peewee.Field, *, lossy: bool = False, fill: Any = None) -> None:
        """Change the size, scale, default or index of a column, or whether it may be NULL; its kind stays.

        :param lossy: round decimals, half away from zero, and cut texts that don't fit; otherwise they are rejected
        :param fill: what replaces NULL if the column must have a value from now on
        """
        self.take(Change(table, column, field, lossy, fill))

    def reference(self, table: str, column: str, to: str) -> None:
        """Let a column refer to the rows of another table; every value must be the ID of one."""
        self.take(AddReference(table, column, to))

    def index(self, table: str, columns: str | Iterable[str], *, unique: bool = False) -> None:
        """Create an index over columns."""
        self.take(AddIndex(table, _names(columns), unique))

    def drop_index(self, table: str, columns: str | Iterable[str]) -> None:
        """Drop the index over columns."""
        self.take(DropIndex(table, _names(columns)))

    def rename_table(self, table: str, to: str) -> None:
        """Rename a table and the table of its extra fields."""
        self.take(RenameTable(table, to))

    def fill(self, sql: str, *values: Any) -> None:
        """Run a statement that changes rows, in portable SQL.

        :param sql: with ``?`` for each value; bind exact decimals with `exact`
        """
        _ensure_bindable(values)
        self.take(Run(sql, values))

    #: the same for any other statement
    execute = fill

    def set(self, table: str, values: Mapping[str, Any], where: str = "", *bound: Any) -> None:
        """Change rows: ``tables.set("loyalty_card", {"price": Decimal("1.50")}, "points > ?", 100)``.

        :param values: by column, in Python's types
        :param where: SQL with ``?`` for each of `bound`; empty: all rows
        """
        changes = ", ".join(f"{quote(column)} = ?" for column in values)
        kept = [_kept(self._column(table, column), value) for column, value in values.items()]
        _ensure_bindable(bound)
        self.take(Run(f"UPDATE {quote(table)} SET {changes}" + (f" WHERE {where}" if where else ""), (*kept, *bound)))

    def exact(self, table: str, column: str, value: Decimal | int | str) -> Any:
        """Return an exact decimal as a column keeps it, to be bound in a statement: SQLite keeps whole numbers."""
        found = self._column(table, column)
        if found.kind != "DECIMAL":
            raise StepError(f"{table}.{column} is not a column of exact decimals")
        return _kept(found, value if isinstance(value, Decimal) else Decimal(value))

    def decimal(self, table: str, column: str, kept: Any) -> Decimal | None:
        """Return the exact decimal of a column in a row of `rows`."""
        field: Any = field_of(self._column(table, column))
        made: Decimal | None = field.python_value(kept)
        return made

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows that a statement finds after all earlier steps.

        :param sql: with ``?`` for each value
        """
        if self._do is None:
            raise ReadsRows
        self.statement = sql
        with self._unlimited():
            return query(sql, values)

    def rows_of(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """Return the values of all rows in some columns, in Python's types."""
        fields: list[Any] = [field_of(self._column(table, column)) for column in columns]
        found = self.rows(f"SELECT {', '.join(map(quote, columns))} FROM {quote(table)}")
        return [tuple(field.python_value(kept) for field, kept in zip(fields, row, strict=True)) for row in found]

    def take(self, step: Step) -> None:
        """Take a step of the preview, or make it."""
        self._ensure_own(step)
        after = dict(self.tables)
        # A step that can't be made fails before anything is done
        step.plan(after)
        self.statement = step.sql if isinstance(step, Run) else step.words()
        if self._do is None:
            self.steps.append(step)
        else:
            with self._unlimited():
                self._do(step, self.tables.get(step.table))
        self.tables.clear()
        self.tables.update(after)

    def _ensure_own(self, step: Step) -> None:
        """Check that a step changes no table, and no column, of another module."""
        table = self.tables.get(step.table)
        if step.table not in self._foreign or table is None:
            return
        column = table.columns.get(getattr(step, "column", ""))
        if step.table not in self._extended or isinstance(step, RenameTable) or (column and not column.added):
            raise StepError(f"{step.table} belongs to the module {self._foreign[step.table]}")

    @contextmanager
    def _unlimited(self) -> Iterator[None]:
        """Don't limit the time of the database."""
        active.runtime.limit_migration(None)
        try:
            yield
        finally:
            active.runtime.limit_migration(self._file)

    def _column(self, table: str, column: str) -> Column:
        if table not in self.tables:
            raise StepError(f"there is no table {table}")
        return self.tables[table].column(column)


def _kept(column: Column, value: Any) -> Any:
    field: Any = field_of(column)
    kept = None if value is None else field.db_value(value)
    # Every database takes it exactly as text
    return str(kept) if isinstance(kept, Decimal) else kept


def _names(columns: str | Iterable[str]) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else tuple(columns)


def _ensure_bindable(values: Iterable[Any]) -> None:
    for value in values:
        if isinstance(value, (Decimal, float)):
            raise StepError(
                f"can't use {value!r} without its column; use tables.exact(table, column, value) or tables.set"
            )
