"""What a migration is given: `tables`, with which it says what changes, alike on all databases.

It is called twice: first to learn what it would do, then that is done. A migration that reads rows in between can only
be learned by doing it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

import peewee

from ..storage.database import query, quote
from .columns import StepError
from .forms import ColumnForm, TableForm, field_of
from .steps import Add, AddIndex, Change, Drop, DropIndex, Rename, RenameTable, Run, Step, foretell, words_of


class Reads(BaseException):
    """A migration asks for rows while it is only planned. No error: whoever catches those must not catch this."""


class Tables:
    """The tables, as a migration changes them.

    :param forms: what the tables were made from, by name; they change with each step
    :param do: makes a step; None: it is only noted
    """

    def __init__(self, forms: dict[str, TableForm], do: Callable[[Step, TableForm | None], None] | None = None) -> None:
        self._forms = forms
        self._do = do
        #: those that are only noted: a migration may change a million rows
        self.steps: list[Step] = []
        #: what the database was asked for last
        self.statement = ""

    def rename(self, table: str, column: str, to: str) -> None:
        """Give a column another name, with its values and indexes."""
        self.take(Rename(table, column, to))

    def add(self, table: str, column: str, field: peewee.Field, *, fill: Any = None) -> None:
        """Add a column, with its index where the field asks for one.

        :param fill: what the rows that there are hold; None: the field's default
        """
        self.take(Add(table, column, field, fill))

    def drop(self, table: str, column: str) -> None:
        """Let a column go, with its values and every index that it is part of."""
        self.take(Drop(table, column))

    def change(self, table: str, column: str, field: peewee.Field, *, lossy: bool = False, fill: Any = None) -> None:
        """Change the size, scale, default or index of a column, or whether it may be NULL; its kind stays.

        :param lossy: round decimals, half away from zero, and cut texts where they do not fit; else that is refused
        :param fill: what stands for NULL, where the column may hold none any more
        """
        self.take(Change(table, column, field, lossy, fill))

    def index(self, table: str, columns: str | Iterable[str], *, unique: bool = False) -> None:
        """Make an index over columns."""
        self.take(AddIndex(table, _names(columns), unique))

    def drop_index(self, table: str, columns: str | Iterable[str]) -> None:
        """Let the index over columns go."""
        self.take(DropIndex(table, _names(columns)))

    def rename_table(self, table: str, to: str) -> None:
        """Give a table another name, with its extra fields."""
        self.take(RenameTable(table, to))

    def fill(self, sql: str, *values: Any) -> None:
        """Run a statement that changes rows, in portable SQL.

        :param sql: with ``?`` for each value; exact decimals are bound by `exact`
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
        kept = [self._keep(table, column, value) for column, value in values.items()]
        _ensure_bindable(bound)
        self.take(Run(f"UPDATE {quote(table)} SET {changes}" + (f" WHERE {where}" if where else ""), (*kept, *bound)))

    def exact(self, table: str, column: str, value: Decimal | int | str) -> Any:
        """Return an exact decimal as a column keeps it, to be bound in a statement: SQLite keeps whole numbers."""
        if self._column(table, column).kind != "DECIMAL":
            raise StepError(f"{table}.{column} is not a column of exact decimals")
        return self._keep(table, column, value if isinstance(value, Decimal) else Decimal(value))

    def decimal(self, table: str, column: str, kept: Any) -> Decimal | None:
        """The exact decimal that a column keeps so, as `rows` answers it."""
        field: Any = field_of(self._column(table, column))
        made: Decimal | None = field.python_value(kept)
        return made

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows that a statement finds now, behind all that was said before.

        :param sql: with ``?`` for each value
        """
        if self._do is None:
            raise Reads
        self.statement = sql
        return query(sql, values)

    def rows_of(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """Return the values that a table's rows have in columns, in Python's types."""
        fields: list[Any] = [field_of(self._column(table, column)) for column in columns]
        found = self.rows(f"SELECT {', '.join(map(quote, columns))} FROM {quote(table)}")
        return [tuple(field.python_value(kept) for field, kept in zip(fields, row, strict=True)) for row in found]

    def take(self, step: Step) -> None:
        """Note a step, and make it where that is asked for."""
        after = dict(self._forms)
        # What can't be done fails before anything is done
        foretell(step, after)
        self.statement = step.sql if isinstance(step, Run) else words_of(step)
        if self._do is not None:
            self._do(step, self._forms.get(getattr(step, "table", "")))
        else:
            self.steps.append(step)
        self._forms.clear()
        self._forms.update(after)

    def _column(self, table: str, column: str) -> ColumnForm:
        form = self._forms.get(table)
        if form is None:
            raise StepError(f"there is no table {table}")
        if column not in form.columns:
            raise StepError(f"{table} has no column {column}; it has {', '.join(form.columns)}")
        return form.columns[column]

    def _keep(self, table: str, column: str, value: Any) -> Any:
        field: Any = field_of(self._column(table, column))
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
