"""A table: as its model defines it, as it was last made, and as it is in the database."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..storage.column import KINDS, Column
from ..storage.database import backend, database
from ..storage.fields import column_of
from ..storage.model import Model, meta_of, widest


class SchemaError(Exception):
    """The tables of a module can't be what its models say; the message has the reason and what to do."""


class StepError(SchemaError):
    """A change of a table that can't be made; the message has the reason."""


class MigrationError(SchemaError):
    """A migration that fails, with the reason; nothing of it was done, or the next attempt goes on where it stopped."""


@dataclass(frozen=True)
class Table:
    """A table, alike on all databases.

    :ivar columns: by name
    :ivar indexes: those over several columns: (names of columns, whether it is unique)
    :ivar extrafields: the element type of its extra fields; empty: it has none
    :ivar sorted: texts that have an index for sorted lists
    """

    name: str
    columns: dict[str, Column]
    indexes: tuple[tuple[tuple[str, ...], bool], ...] = ()
    extrafields: str = ""
    sorted: tuple[str, ...] = ()

    @classmethod
    def of_model(cls, model: type[Model]) -> Table:
        """Return the table of a model."""
        meta = meta_of(model)

        def names(fields: Iterable[str]) -> tuple[str, ...]:
            return tuple(str(meta.combined[each].column_name) if each in meta.combined else each for each in fields)

        columns = {field.column_name: column_of(field) for field in meta.sorted_fields}
        indexes = [(names(each[0]), bool(each[1])) for each in meta.indexes if isinstance(each, (tuple, list))]
        ordered = names(getattr(meta, "sorted", ()))
        return cls(str(meta.table_name), columns, tuple(indexes), str(meta.extrafields), ordered)

    def as_text(self) -> str:
        """Return the table as JSON: the same text for the same table."""
        columns = {name: vars(column) for name, column in self.columns.items()}
        return json.dumps({**vars(self), "columns": columns}, sort_keys=True, ensure_ascii=False)

    @classmethod
    def of_text(cls, text: str) -> Table | None:
        """Return a table from its JSON; None: another version of the server has written it differently."""
        read = json.loads(text)
        try:
            columns = {name: Column(**column) for name, column in read["columns"].items()}
            indexes = tuple((tuple(names), unique) for names, unique in read["indexes"])
            return cls(read["name"], columns, indexes, read["extrafields"], tuple(read["sorted"]))
        except (KeyError, TypeError):
            return None

    def column(self, name: str) -> Column:
        """Return a column.

        :raises StepError: the table has none of that name
        """
        if name not in self.columns:
            raise StepError(f"{self.name} has no column {name}; it has {', '.join(self.columns)}")
        return self.columns[name]

    def with_column(self, column: Column) -> Table:
        """Return the table with a column added or changed."""
        return replace(self, columns={**self.columns, column.name: column})


# The table in the database -------------------------------------------------------------------------------------------


def read_table(wanted: Table, recorded: Table) -> Table:
    """Return a table as its database has it now.

    :param wanted: what its model says
    :param recorded: what it was last made from, for what a database doesn't report, such as a scale on SQLite
    """
    indexes = [(tuple(each.columns), bool(each.unique)) for each in database.get_indexes(wanted.name)]
    columns = {}
    for found in backend().columns(wanted.name):
        known = recorded.columns.get(found.name) or wanted.columns.get(found.name)
        column = _merge(found, known) if known else found
        single = [unique for names, unique in indexes if names == (column.name,)]
        unique, index = True in single, False in single
        if known and not known.is_key:
            asked = wanted.columns.get(column.name, known)
            # An index that no model asks for is the operator's
            unique = unique and (known.unique or asked.unique)
            index = bool(single) and (known.index or asked.index or known.references != "")
            column = replace(column, unique=unique, index=index)
        columns[column.name] = column
    several = tuple(index for index in indexes if index in (*wanted.indexes, *recorded.indexes))
    return Table(wanted.name, columns, several, wanted.extrafields)


def columns_of(table: str) -> dict[str, Column]:
    """Return a table's columns as the database has them.

    :raises StepError: there is no such table
    """
    found = {each.name: each for each in backend().columns(table)} if database.table_exists(table) else {}
    if not found:
        raise StepError(f"there is no table {table}")
    return found


def ensure_column(table: str, name: str) -> None:
    """Check that a table has a column.

    :raises StepError: it has not
    """
    if name not in (found := columns_of(table)):
        raise StepError(f"{table} has no column {name}; it has {', '.join(found)}")


def key_of(table: str) -> str:
    """Return the column of a table's primary key."""
    return next(iter(database.get_primary_keys(table)), "rowid")


def number(sql: str) -> int:
    """Return the one number that a statement finds."""
    return int(backend().run(sql).fetchone()[0] or 0)


def _merge(found: Column, known: Column) -> Column:
    """Return a column as its database reports it, with what is only known from a model."""
    column = replace(known, null=found.null)
    reported = replace(column, kind=found.kind, length=found.length, digits=found.digits, scale=found.scale)
    if not _fits(known, found) or (known.kind, found.kind) == ("VARCHAR", "TEXT"):
        return reported
    sized = known.kind == found.kind == "VARCHAR" or (known.kind == found.kind == "DECIMAL" and found.digits)
    whole = known.family == "whole" and not known.is_key
    return reported if (sized or whole) and not backend().ignores_sizes else column


def _fits(known: Column, found: Column) -> bool:
    """Return whether a column of one kind may be reported as another; an unknown kind is accepted."""
    one, other = known.family, found.family
    if one == other or (one, other) in backend().equal_families:
        return True
    return known.kind not in KINDS or known.kind in ("UUID", "JSON") or not found.kind


# Models --------------------------------------------------------------------------------------------------------------


def table_name(model: Any) -> str:
    """Return the name of a model's table."""
    return str(meta_of(model).table_name)


def owner_of(model: type[Model]) -> str:
    """Return the module that a model belongs to; ``core`` for the core's own."""
    first, _, rest = model.__module__.partition(".")
    return rest.partition(".")[0] if first == "modules" else first


def models_of(models: Iterable[type[Model]], module: str) -> dict[str, type[Model]]:
    """Return a module's models, by table."""
    return widest(model for model in models if owner_of(model) == module)


def in_order(models: dict[str, type[Model]]) -> list[type[Model]]:
    """Return the models, each after those that it refers to; these are added if they are missing."""
    ordered: list[type[Model]] = []
    seen: set[str] = set()

    def visit(model: Any) -> None:
        if table_name(model) in seen:
            return
        seen.add(table_name(model))
        for field in meta_of(model).fields.values():
            target = getattr(field, "target", None)
            if target is not None:
                visit(models.get(table_name(target()), target()))
        ordered.append(model)

    for model in models.values():
        visit(model)
    return ordered
