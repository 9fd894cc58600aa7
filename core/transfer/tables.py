"""What there is to copy: the tables of a database with their columns, as models, extra fields and the database say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain
from typing import Any

from ..audit.protection import GUARD
from ..records.extra_fields import ExtraField, make_field, values_model, values_table
from ..schema.known_tables import KnownTable
from ..storage.incomplete_copy import IncompleteCopy
from ..storage.model import Model, meta_of
from .endpoint import CopyEndpoint
from .values import SUMMED, Column, column_of, kind_of_type, reader

#: what each database says of itself alone
OWN = (*(meta_of(model).table_name for model in (KnownTable, IncompleteCopy)), GUARD)


@dataclass(frozen=True)
class Table:
    """A table to be copied.

    :param key: the column that counts by itself; empty: there is none
    :param known: whether a model says what is in it
    """

    name: str
    columns: tuple[Column, ...]
    key: str
    known: bool

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]


@dataclass(frozen=True)
class Totals:
    """What is compared of a table.

    :param rows: how many it has
    :param values: column → how many rows have a value there
    :param sums: column → the exact sum of its numbers
    """

    rows: int
    values: dict[str, int] = field(default_factory=dict)
    sums: dict[str, Decimal] = field(default_factory=dict)


#: (table, column) → digits and scale, of columns that no model tells of: SQLite keeps whole numbers there
Scales = Mapping[tuple[str, str], tuple[int, int]]


def read_tables(end: CopyEndpoint, models: Iterable[type[Model]], scales: Scales | None = None) -> list[Table]:
    """Every table of a database that holds something of its own, with its columns.

    :param models: those of the core and of the modules
    """
    fields = _known_fields(end, list(models))
    keys = {meta_of(model).table_name: meta_of(model) for model in models}
    sizes = {**end.database.column_sizes(), **(scales or {})}
    tables = []
    for name in end.tables():
        if name in OWN:
            continue
        found = end.database.get_columns(name)
        columns = tuple(
            column_of(fields[name, each.name], each.name)
            if (name, each.name) in fields
            else _unknown(each, sizes.get((name, each.name), (0, 0)))
            for each in found
        )
        primary = [each.name for each in found if each.primary_key]
        meta = keys.get(name)
        counts = len(primary) == 1 and (meta.auto_increment if meta else _is_number(columns, primary[0]))
        tables.append(Table(name, columns, primary[0] if counts else "", name in {table for table, _ in fields}))
    return tables


def _is_number(columns: Iterable[Column], name: str) -> bool:
    return any(column.name == name and column.kind in ("small", "integer", "big") for column in columns)


def _unknown(found: Any, size: tuple[int, int]) -> Column:
    """A column that no model tells of."""
    declared = str(found.data_type)
    if declared.lower().startswith(("numeric", "decimal")) or (size[1] and kind_of_type(declared) == "big"):
        return Column(found.name, "exact", size[0] or 24, size[1] if size[0] else 8, found.null, known=False)
    kind = kind_of_type(declared)
    return Column(found.name, kind, size[0] if kind == "text" else 0, 0, found.null, known=False)


def _known_fields(end: CopyEndpoint, models: list[type[Model]]) -> dict[tuple[str, str], Any]:
    """(table, column) → the field that says what it holds: of a model, or of an extra field."""
    known: dict[tuple[str, str], Any] = {}
    tables = {}
    for model in models:
        meta = meta_of(model)
        known |= {(meta.table_name, name): each for name, each in meta.columns.items()}
        if meta.extrafields:
            tables[meta.extrafields] = values_table(model)
    for table in tables.values():
        # Whatever model it is of, the table begins alike
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
    summed = {column: database.sum_columns(quoted[column]) for column in table.columns if column.kind in SUMMED}
    selected = ["COUNT(*)", *(f"COUNT({each})" for each in quoted.values()), *chain(*summed.values())]
    rows, *rest = end.rows(f"SELECT {', '.join(selected)} FROM {end.quote(table.name)}")[0]
    values = dict(zip(table.names, (int(each) for each in rest), strict=False))
    parts, sums = iter(rest[len(table.columns) :]), {}
    for column, asked in summed.items():
        upper = int(next(parts) or 0) << 32 if len(asked) == 2 else 0
        read = reader(database, column) or Decimal
        sums[column.name] = read(upper + (next(parts) or 0))
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
