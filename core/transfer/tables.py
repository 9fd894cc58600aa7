"""The tables to copy, with their columns from models, extra fields and the database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from ..audit.protection import GUARD
from ..records.extra_fields import ExtraField, make_field, values_model, values_table
from ..schema.known_tables import KnownTable
from ..storage.backend import Backend
from ..storage.column import Column
from ..storage.fields import column_of
from ..storage.incomplete_copy import IncompleteCopy
from ..storage.model import Model, meta_of
from .endpoint import CopyEndpoint

#: tables that belong to a database itself and aren't copied
OWN = (*(meta_of(model).table_name for model in (KnownTable, IncompleteCopy)), GUARD)


@dataclass(frozen=True)
class Table:
    """A table to be copied.

    :param key: the column whose values the database generates; empty if there isn't one
    :param known: the columns that a model or the definition of an extra field describes; of the others only what the
        database reports is known
    """

    name: str
    columns: tuple[Column, ...]
    key: str
    known: frozenset[str]

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]


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

#: (table, column) → digits and scale of exact decimals without a model: SQLite keeps whole numbers there
Scales = Mapping[tuple[str, str], tuple[int, int]]


def read_tables(end: CopyEndpoint, models: Iterable[type[Model]], scales: Scales | None = None) -> list[Table]:
    """Return every table to be copied, with its columns.

    :param models: those of the core and of the modules
    """
    fields = _known_fields(end, list(models))
    keys = {meta_of(model).table_name: meta_of(model) for model in models}
    tables = []
    for name in end.tables():
        if name in OWN:
            continue
        columns = tuple(
            column_of(fields[name, each.name], each.name)
            if (name, each.name) in fields
            else _unknown(each, (scales or {}).get((name, each.name)))
            for each in end.database.columns(name)
        )
        primary = end.database.get_primary_keys(name)
        meta = keys.get(name)
        counts = len(primary) == 1 and (
            meta.auto_increment if meta else any(each.name == primary[0] and each.bits for each in columns)
        )
        known = frozenset(each.name for each in columns if (name, each.name) in fields)
        tables.append(Table(name, columns, primary[0] if counts else "", known))
    return tables


def _unknown(found: Column, size: tuple[int, int] | None) -> Column:
    """Return a column without a model.

    :param size: digits and scale, if it is an exact decimal of SQLite
    """
    if size and found.kind == "BIGINT":
        return replace(found, kind="DECIMAL", digits=size[0], scale=size[1])
    if found.kind == "DECIMAL" and found.digits is None:
        return replace(found, digits=24, scale=8)
    return found


def _known_fields(end: CopyEndpoint, models: list[type[Model]]) -> dict[tuple[str, str], Any]:
    """Return (table, column) → the field that describes it: of a model, or of an extra field."""
    known: dict[tuple[str, str], Any] = {}
    tables = {}
    for model in models:
        meta = meta_of(model)
        known |= {(meta.table_name, name): each for name, each in meta.columns.items()}
        if meta.extrafields:
            tables[meta.extrafields] = values_table(model)
    for table in tables.values():
        # The first columns are the same for all models
        known |= {(table, name): each for name, each in meta_of(values_model(ExtraField)).columns.items()}
    definitions = meta_of(ExtraField).table_name
    if definitions in end.tables():
        for element, name, kind, size in end.rows(f"SELECT elementtype, name, type, size FROM {definitions}"):
            if element in tables:
                known[tables[element], name] = make_field(kind, size)
    return known


def totals(end: CopyEndpoint, table: Table) -> Totals:
    """Count the rows of a table, the values of each column, and add up its numbers."""
    database = end.database
    quoted = {column: end.quote(column.name) for column in table.columns}
    summed = [column for column in table.columns if column.family in SUMMED]
    selected = ["COUNT(*)", *(f"COUNT({each})" for each in quoted.values())]
    selected += [database.exact_sum(quoted[column]) for column in summed]
    rows, *rest = end.rows(f"SELECT {', '.join(selected)} FROM {end.quote(table.name)}")[0]
    values = dict(zip(table.names, (int(each) for each in rest), strict=False))
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
        f"{table}.{name}: expected {number} values, got {there.values.get(name, 0)}"
        for name, number in here.values.items()
        if there.values.get(name, 0) != number
    ]
    wrong += [
        f"{table}.{name}: expected the sum {number:f}, got {there.sums.get(name, Decimal(0)):f}"
        for name, number in here.sums.items()
        if there.sums.get(name, Decimal(0)) != number
    ]
    return wrong


# Values -------------------------------------------------------------------------------------------------------------

Convert = Callable[[Any], Any]


def reader(database: Backend, column: Column) -> Convert | None:
    """Return the function that converts a column's values to Python's; None: no conversion is needed."""
    # A database may have a type of its own there
    return database.value_reader(column) if column.kind else str


def converter(columns: Sequence[Column], source: Backend, target: Backend) -> Callable[[list[Any]], list[Any]]:
    """Return what turns rows as one database keeps them into those that another one takes; nulls stay."""
    steps: list[tuple[int, list[Convert]]] = []
    for place, column in enumerate(columns):
        pair = (reader(source, column), target.value_writer(column))
        if both := [each for each in pair if each is not None]:
            steps.append((place, both))

    def convert(rows: list[Any]) -> list[Any]:
        if not steps or not rows:
            return rows
        by_column: list[Any] = list(zip(*rows, strict=True))
        for place, both in steps:
            for each in both:
                by_column[place] = [None if value is None else each(value) for value in by_column[place]]
        return list(zip(*by_column, strict=True))

    return convert
