"""Steps: single changes of tables as data. Migrations consist of them, and so do the changes when a module loads.

`words` describes a step, `plan` returns the table after it without asking the database, and `apply` changes the
database.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import peewee

from ..audit.recorder import run_migrating
from ..audit.write_statements import WriteStatement, read_statement
from ..storage.column import Column
from ..storage.database import backend, database, driver_sql, quote, transaction
from ..storage.fields import bound_field, column_of
from .columns import (
    add_column_of,
    computed_values,
    conversion,
    count_rows,
    default_of,
    definition_of,
    ensure_fits,
    ensure_references,
    reference_to,
    rows_in_words,
    set_each,
)
from .indexes import add_index, drop_index, indexes_of, indexes_over, rename_after
from .search_tables import drop_search
from .table import StepError, Table, columns_of, ensure_column, key_of

#: suffix of a table with extra fields
VALUES = "_extrafields"


class Step:
    """A change of a table.

    :cvar text: the step in one line, with `0` for the step
    """

    #: empty: unknown
    table: str
    text: ClassVar[str]

    @property
    def drops_search(self) -> bool:
        """Return whether the search columns depend on the step; they are made again with the models."""
        return False

    def words(self) -> str:
        """Return the step in one line."""
        return self.text.format(self)

    def plan(self, tables: dict[str, Table]) -> None:
        """Change tables, by name, to what they would be after the step.

        :raises StepError: a table or column is missing, or exists already
        """
        if self.table not in tables:
            raise StepError(f"there is no table {self.table}")
        tables[self.table] = self.planned(tables[self.table])

    def planned(self, table: Table) -> Table:
        """Return the table after the step."""
        raise NotImplementedError

    def apply(self, table: Table | None) -> None:
        """Change the database; a change that was made already isn't made again.

        :param table: what the table was made from; None: unknown
        :raises StepError: it can't be made
        """
        raise NotImplementedError


def apply(step: Step, table: Table | None = None) -> None:
    """Make one change in the current database, under its schema lock (`schema_lock`).

    :param table: what the table was made from; a `Change` needs it
    :raises StepError: it can't be made
    """
    if step.drops_search:
        drop_search(step.table)
    step.apply(table)


@dataclass(frozen=True)
class Rename(Step):
    """Rename a column."""

    table: str
    column: str
    to: str
    text = "{0.table}: rename column {0.column} to {0.to}"
    drops_search = True

    def planned(self, table: Table) -> Table:
        """Return the table with the column under its new name."""
        table.column(self.column)
        if self.to in table.columns:
            raise StepError(f"{table.name} already has a column {self.to}")

        def new(name: str) -> str:
            return self.to if name == self.column else name

        columns = {new(name): replace(each, name=new(name)) for name, each in table.columns.items()}
        indexes = tuple((tuple(map(new, names)), unique) for names, unique in table.indexes)
        return replace(table, columns=columns, indexes=indexes)

    def apply(self, table: Table | None) -> None:
        """Rename the column; indexes that are named after it follow."""
        present = columns_of(self.table)
        if self.column in present or self.to not in present:
            ensure_column(self.table, self.column)
            if self.to in present:
                raise StepError(f"{self.table} already has a column {self.to}")
            backend().rename_column(self.table, self.column, self.to)
        rename_after(self.table, self.table, self.column, self.to)


@dataclass(frozen=True)
class Drop(Step):
    """Drop a column."""

    table: str
    column: str
    text = "{0.table}: drop column {0.column} with its values"
    drops_search = True

    def planned(self, table: Table) -> Table:
        """Return the table without the column."""
        table.column(self.column)
        columns = {name: each for name, each in table.columns.items() if name != self.column}
        indexes = tuple(each for each in table.indexes if self.column not in each[0])
        return replace(table, columns=columns, indexes=indexes)

    def apply(self, table: Table | None) -> None:
        """Drop the column, and every index that it is part of."""
        if self.column not in columns_of(self.table):
            return
        if self.column == key_of(self.table):
            raise StepError(f"{self.table}.{self.column} is the primary key and can't be dropped")
        backend().drop_references(self.table, self.column)
        for each in indexes_of(self.table):
            if self.column in each.columns:
                backend().drop_index(self.table, each.name)
        backend().drop_column(self.table, self.column)


@dataclass(frozen=True)
class _ColumnStep(Step):
    """A step that adapts a column to a field."""

    table: str
    column: str
    field: peewee.Field

    @property
    def definition(self) -> Column:
        """The column that the field makes."""
        return column_of(bound_field(self.field, self.table, self.column), self.column)


@dataclass(frozen=True)
class Add(_ColumnStep):
    """Add a column, with its index if the field has one; a column that exists already is skipped.

    :ivar fill: the value of existing rows; None: the field's default. With a value, the column must not exist
    """

    fill: Any = None

    def words(self) -> str:
        """Return the step in one line."""
        filled = f", fill it with {self.fill!r}" if self.fill is not None else ""
        return f"{self.table}: add column {_described(self.definition)}{filled}"

    def planned(self, table: Table) -> Table:
        """Return the table with the column."""
        made, present = self.definition, table.columns.get(self.column)
        # A server that saw models.py before the migration has added it already
        if present and (present != made or self.fill is not None):
            hint = "; use tables.set to change its rows" if present == made else ""
            raise StepError(f"{table.name} already has a column {self.column}{hint}")
        return table.with_column(made)

    def apply(self, table: Table | None) -> None:
        """Add the column; the rows get the value of `fill`, or the field's default."""
        made = bound_field(self.field, self.table, self.column)
        first = default_of(made) if self.fill is None else made.db_value(self.fill)
        add_column_of(self.table, made, first, self.fill is not None, computed_values(self.table, made, first))


@dataclass(frozen=True)
class Change(_ColumnStep):
    """Change the size, scale, default or index of a column, or whether it may be NULL; its kind and reference stay.

    :ivar lossy: values that don't fit are rounded and cut
    :ivar fill: what replaces NULL if the column must have a value from now on
    :ivar widens: every value stays, and so does what the table is searched by; a reference that the field lacks goes
    """

    lossy: bool = False
    fill: Any = None
    widens: bool = False

    @property
    def drops_search(self) -> bool:
        """Return whether values may change."""
        return not self.widens

    def words(self) -> str:
        """Return the step in one line."""
        more = f", NULL becomes {self.fill!r}" if self.fill is not None else ""
        more += ", lossy" if self.lossy else ""
        return f"{self.table}: change column {_described(self.definition, ' to')}{more}"

    def planned(self, table: Table) -> Table:
        """Return the table with the changed column."""
        return table.with_column(replace(self.definition, references=self._references(table.column(self.column))))

    def _references(self, old: Column) -> str:
        return self.definition.references or ("" if self.widens else old.references)

    def apply(self, table: Table | None) -> None:
        """Change the column; decimals, numbers and texts keep their value."""
        if table is None or self.column not in table.columns:
            raise StepError(
                f"can't change {self.table}.{self.column}: its present definition is not recorded; "
                "add a new column, fill it and drop this one"
            )
        ensure_column(self.table, self.column)
        old, name = table.columns[self.column], quote(self.column)
        made = bound_field(self.field, self.table, self.column)
        column = replace(self.definition, references=self._references(old))
        way = conversion(old, column, name)
        if way is None:
            raise StepError(
                f"{self.table}.{self.column}: can't convert {old.kind} to {column.kind}; delete this step and run "
                "`comptoir migrate --write`, which drafts the conversion"
            )
        substitute = self._substitute(column, made)
        ensure_fits(self.table, column, way, lossy=self.lossy)
        value = way.value or name
        if substitute is not None:
            value = f"COALESCE({value}, {backend().literal(substitute)})"
        if column.references and column.references != old.references:
            ensure_references(self.table, self.column, column.references)
        backend().drop_references(self.table, self.column, keep=column.references)
        definition = definition_of(made, column, default_of(made))
        backend().change_column(self.table, definition, value)
        if column.references and self.column not in {each.column for each in database.get_foreign_keys(self.table)}:
            backend().add_reference(self.table, self.column, definition.reference)
        if column.unique or column.index:
            add_index(self.table, (self.column,), unique=column.unique)
        self._drop_former_indexes(column)

    def _substitute(self, column: Column, made: Any) -> Any:
        """Return what replaces NULL; None: no row has it, or may keep it.

        :raises StepError: rows have no value, and nothing replaces it
        """
        nulls = 0 if column.null else count_rows(self.table, f"{quote(self.column)} IS NULL")
        substitute = default_of(made) if self.fill is None else made.db_value(self.fill)
        if not nulls or substitute is not None:
            return substitute if nulls else None
        if not column.computed:
            have = "has" if nulls == 1 else "have"
            raise StepError(
                f"{self.table}.{self.column}: {rows_in_words(nulls)} {have} no value; add a default, null=True or fill="
            )
        set_each(self.table, self.column, computed_values(self.table, made, None) or ())
        return None

    def _drop_former_indexes(self, column: Column) -> None:
        """Drop indexes over the column that its field no longer has; that of a reference stays."""
        if column.unique or (column.references and not column.index):
            return
        gone = [each for each in indexes_over(self.table, (self.column,)) if each.unique or not column.index]
        for each in gone:
            backend().drop_index(self.table, each.name)
        if column.index and gone:
            add_index(self.table, (self.column,), unique=False)


@dataclass(frozen=True)
class AddReference(Step):
    """Let a column refer to the rows of another table."""

    table: str
    column: str
    to: str
    text = "{0.table}: let column {0.column} refer to {0.to}"
    drops_search = True

    def planned(self, table: Table) -> Table:
        """Return the table with the reference."""
        return table.with_column(replace(table.column(self.column), references=self.to))

    def apply(self, table: Table | None) -> None:
        """Let the column refer to the rows, unless it does.

        :raises StepError: rows refer to nothing; the message has their number
        """
        ensure_column(self.table, self.column)
        columns_of(self.to)
        keys = database.get_foreign_keys(self.table)
        if any((each.column, each.dest_table) == (self.column, self.to) for each in keys):
            return
        ensure_references(self.table, self.column, self.to)
        backend().drop_references(self.table, self.column)
        backend().add_reference(self.table, self.column, reference_to(self.to))


@dataclass(frozen=True)
class AddIndex(Step):
    """Create an index over columns."""

    table: str
    columns: tuple[str, ...]
    unique: bool = False

    def words(self) -> str:
        """Return the step in one line."""
        return f"{self.table}: add {'unique ' if self.unique else ''}index on {', '.join(self.columns)}"

    def planned(self, table: Table) -> Table:
        """Return the table with the index."""
        return _indexed(table, self.columns, unique=self.unique, adds=True)

    def apply(self, table: Table | None) -> None:
        """Create the index."""
        add_index(self.table, self.columns, self.unique)


@dataclass(frozen=True)
class DropIndex(Step):
    """Drop an index over columns."""

    table: str
    columns: tuple[str, ...]

    def words(self) -> str:
        """Return the step in one line."""
        return f"{self.table}: drop index on {', '.join(self.columns)}"

    def planned(self, table: Table) -> Table:
        """Return the table without the index."""
        return _indexed(table, self.columns, unique=False, adds=False)

    def apply(self, table: Table | None) -> None:
        """Drop the index."""
        drop_index(self.table, self.columns)


@dataclass(frozen=True)
class RenameTable(Step):
    """Rename a table."""

    table: str
    to: str
    text = "{0.table}: rename table to {0.to}"
    drops_search = True

    def plan(self, tables: dict[str, Table]) -> None:
        """Rename the table, and the references to it."""
        if self.table not in tables:
            raise StepError(f"there is no table {self.table}")
        if self.to in tables:
            raise StepError(f"the table {self.to} already exists")
        tables[self.to] = replace(tables.pop(self.table), name=self.to)
        for name, other in tables.items():
            for column in other.columns.values():
                if column.references == self.table:
                    tables[name] = tables[name].with_column(replace(column, references=self.to))

    def apply(self, table: Table | None) -> None:
        """Rename the table; its extra fields and indexes follow, and an empty table that has its name goes."""
        drop_search(self.to)
        for old, new in ((self.table, self.to), (self.table + VALUES, self.to + VALUES)):
            present = database.get_tables()
            if old in present:
                if new in present:
                    if count_rows(new, "1 = 1"):
                        raise StepError(f"the table {new} already exists")
                    # The model has had that name before
                    backend().drop_references(new)
                    backend().drop_table(new)
                backend().rename_table(old, new)
            elif new not in present and old == self.table:
                raise StepError(f"there is no table {self.table}")
            if new == self.to or new in database.get_tables():
                rename_after(new, old)


@dataclass(frozen=True)
class Run(Step):
    """Run a statement, with ``?`` for each value."""

    sql: str
    values: tuple[Any, ...] = ()

    @property
    def table(self) -> str:  # type: ignore[override]
        """The table that the statement changes; empty if it changes none."""
        return self._statement.table if self._statement else ""

    @property
    def text_without_values(self) -> str:
        """The statement without its values."""
        return self._statement.text if self._statement else ""

    @property
    def _statement(self) -> WriteStatement | None:
        return _read(driver_sql(self.sql))

    def words(self) -> str:
        """Return the step in one line."""
        return f"run: {self.sql}" + (f" with {', '.join(map(repr, self.values))}" if self.values else "")

    def plan(self, tables: dict[str, Table]) -> None:
        """Leave the tables as they are."""

    def apply(self, table: Table | None) -> None:
        """Run the statement, and note its changes in the audit trail."""
        sql = driver_sql(self.sql)
        with nullcontext() if database.in_transaction() else transaction():
            run_migrating(database.obj, sql, self.values, table.columns if table is not None else {})


_read = lru_cache(maxsize=64)(read_statement)


def _described(column: Column, joint: str = "") -> str:
    size = f"({column.length})" if column.length else ""
    if column.digits:
        size = f"({column.digits}, {column.scale})"
    parts = [f"{column.name}{joint} {column.kind}{size}", "null" if column.null else "not null"]
    parts += [f"default {column.default!r}"] if column.default is not None else []
    parts += ["unique"] if column.unique else ["index"] if column.index else []
    parts += [f"references {column.references}"] if column.references else []
    return " ".join(parts)


def _indexed(table: Table, names: tuple[str, ...], *, unique: bool, adds: bool) -> Table:
    """Return a table with an index, or without; that of one column is an attribute of the column."""
    for name in names:
        table.column(name)
    if len(names) == 1:
        return table.with_column(replace(table.columns[names[0]], unique=unique, index=adds and not unique))
    rest = tuple(each for each in table.indexes if each[0] != names)
    return replace(table, indexes=(*rest, (names, unique)) if adds else rest)
