"""The tables to copy, with their columns as the database has recorded them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from ..audit.protection import GUARD
from ..records.extra_fields import ExtraField, make_field, values_model
from ..schema.known_tables import RECORDED, KnownTable, tables_of
from ..schema.steps import VALUES
from ..schema.table import Table as Recorded
from ..storage.backend import Backend
from ..storage.cache_version import MARK
from ..storage.column import SCALE, Column
from ..storage.fields import column_of
from ..storage.model import meta_of
from .endpoint import CopyEndpoint

#: tables that belong to a database itself and aren't copied
OWN = (meta_of(KnownTable).table_name, MARK, GUARD)


@dataclass(frozen=True)
class Table:
    """A table to be copied."""

    name: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    @property
    def key(self) -> str:
        """The column whose values the database generates; empty if there isn't one."""
        return next((column.name for column in self.columns if column.is_key), "")


@dataclass(frozen=True)
class Totals:
    """The totals of a table, for comparison.

    :param rows: number of rows
    :param values: column → number of rows with a value
    :param sums: column → the exact sum of its numbers
    """

    rows: int
    values: dict[str, int] = field(default_factory=dict)
    sums: dict[str, Decimal] = field(default_factory=dict)


#: families of kinds whose values are added up exactly
SUMMED = ("exact", "whole")


def recorded_tables(end: CopyEndpoint) -> dict[str, tuple[Recorded, str]]:
    """Return the tables that the database has a record of, and the modules that own them, by name."""
    return tables_of(end.rows(RECORDED)) if meta_of(KnownTable).table_name in end.tables() else {}


def read_tables(end: CopyEndpoint) -> list[Table]:
    """Return every table to be copied, with its columns as they were made; no module needs to be loaded."""
    recorded = {name: table for name, (table, _) in recorded_tables(end).items()}
    made = {name: table.columns for name, table in recorded.items()} | _extra_columns(end, recorded.values())
    tables = []
    for name in end.tables():
        if name in OWN:
            continue
        known = made.get(name, {})
        key = [] if known else end.database.get_primary_keys(name)
        columns = tuple(
            _as_made(each, known.get(each.name), is_key=[each.name] == key) for each in end.database.columns(name)
        )
        tables.append(Table(name, columns))
    return tables


def _as_made(found: Column, known: Column | None, *, is_key: bool) -> Column:
    column = replace(known, null=found.null) if known else found
    if is_key and column.bits:
        return replace(column, kind="BIGAUTO" if column.bits == 63 else "AUTO")
    if column.kind == "DECIMAL" and column.digits is None:
        return replace(column, digits=24, scale=SCALE)
    # Another program's column, which no `ExactField` can have
    return replace(column, kind="NUMERIC") if column.kind == "DECIMAL" and (column.scale or 0) > SCALE else column


def _extra_columns(end: CopyEndpoint, recorded: Collection[Recorded]) -> dict[str, dict[str, Column]]:
    """Return the columns of tables with the values of extra fields, by table."""
    # The first columns are the same for all models
    first = {each.column_name: column_of(each) for each in meta_of(values_model(ExtraField)).sorted_fields}
    found = {table.name + VALUES: dict(first) for table in recorded if table.extrafields}
    kinds = {table.extrafields: table.name + VALUES for table in recorded}
    definitions = meta_of(ExtraField).table_name
    if definitions in end.tables():
        for element, name, kind, size in end.rows(f"SELECT elementtype, name, type, size FROM {definitions}"):
            if element in kinds:
                found[kinds[element]][name] = column_of(make_field(kind, size), name)
    return found


def totals(end: CopyEndpoint, table: Table) -> Totals:
    """Count the rows of a table, the values of each column, and add up its numbers."""
    database = end.database
    summed = [column for column in table.columns if column.family in SUMMED]
    selected = ["COUNT(*)", *(f"COUNT({database.quoted(name)})" for name in table.names)]
    selected += [database.exact_sum(database.quoted(column.name)) for column in summed]
    rows, *rest = end.rows(f"SELECT {', '.join(selected)} FROM {database.quoted(table.name)}")[0]
    values = dict(zip(table.names, map(int, rest), strict=False))
    sums = {
        column.name: (reader(database, column) or Decimal)(database.read_sum(found))
        for column, found in zip(summed, rest[len(table.columns) :], strict=True)
    }
    return Totals(int(rows), values, sums)


def differences(table: str, here: Totals, there: Totals) -> list[str]:
    """Return the differences of a table between the original and the copy, in words."""
    if here.rows != there.rows:
        return [f"{table}: expected {here.rows} rows, got {there.rows}"]
    wrong = [
        f"{table}.{name}: expected {number} values, got {there.values[name]}"
        for name, number in here.values.items()
        if there.values[name] != number
    ]
    return wrong + [
        f"{table}.{name}: expected the sum {number:f}, got {there.sums[name]:f}"
        for name, number in here.sums.items()
        if there.sums[name] != number
    ]


# Values -------------------------------------------------------------------------------------------------------------

Convert = Callable[[Any], Any]


def reader(database: Backend, column: Column) -> Convert | None:
    """Return the function that converts a column's values to Python's; None: no conversion is needed."""
    # A database may have a type of its own there
    return database.value_reader(column) if column.kind else str


def converter(columns: Sequence[Column], source: Backend, target: Backend) -> Callable[[list[Any]], list[Any]]:
    """Return what turns rows as one database keeps them into those that another one takes; nulls stay."""
    steps = [
        (place, step)
        for place, column in enumerate(columns)
        for step in (reader(source, column), target.value_writer(column))
        if step is not None
    ]

    def convert(rows: list[Any]) -> list[Any]:
        by_column: list[Any] = list(zip(*rows, strict=True))
        for place, step in steps:
            by_column[place] = [None if value is None else step(value) for value in by_column[place]]
        return list(zip(*by_column, strict=True))

    return convert if steps else lambda rows: rows
