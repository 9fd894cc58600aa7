"""Columns of tables: made from fields, filled for existing rows, and converted to another size.

A change may be repeated: it first looks at what the table has. On a database where each change commits, a process that
ends in between leaves a part done; repeating it does the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import peewee

from ..storage.backend import ColumnDefinition
from ..storage.column import Column
from ..storage.database import backend, driver_sql, query, quote
from ..storage.fields import bound_field, column_of, field_of
from .indexes import add_index, why_not_unique
from .table import StepError, columns_of, key_of, number


def default_of(field: Any) -> Any:
    """Return the default of a column in the database's form; None: it has none, or a function makes each value."""
    value = None if callable(field.default) or field.null else field.default
    return None if value is None else field.db_value(value)


def definition_of(field: Any, column: Column, default: Any) -> ColumnDefinition:
    """Return a column as SQL.

    :param default: as the database keeps it; None: the one in the field's constraints, if any
    """
    own = [str(each.sql) for each in field.constraints or () if "REFERENCES" not in str(each.sql)]
    declared = [sql for sql in own if sql.startswith("DEFAULT ")]
    return ColumnDefinition(
        column.name,
        backend().type_of(field),
        null=column.null,
        # During a reload, code with the older model inserts rows without the new column
        default=backend().literal(default) if default is not None else "".join(declared).removeprefix("DEFAULT "),
        constraints=" ".join(sql for sql in own if sql not in declared),
        reference=reference_to(column.references) if column.references else "",
    )


def reference_to(to: str) -> str:
    """Return a reference to the rows of a table, as SQL."""
    return f"REFERENCES {quote(to)} ({quote(key_of(to))})"


def add_column_of(table: str, made: Any, first: Any, is_filled: bool, values: list[tuple[Any, Any]] | None) -> None:
    """Add a column.

    :param first: the value of existing rows; None: each has its own
    :param is_filled: a migration has set `first`
    :param values: the value and the key of each row that lacks one; None: no row does
    """
    name, column = made.column_name, column_of(made)
    present = columns_of(table).get(name)
    definition = definition_of(made, column, default_of(made))
    if present is None:
        if column.unique and first is not None and (reason := why_not_unique(table, (), (name,))):
            raise StepError(reason)
        added = replace(definition, null=column.null or values is not None)
        backend().add_column(table, added, backend().literal(first) if is_filled else "")
    elif not backend().transactional_ddl and first is not None and present.has_default:
        backend().set_default(table, definition)
    if values is not None:
        set_each(table, name, values)
        backend().change_column(table, definition, quote(name))
    if column.unique or column.index:
        add_index(table, (name,), unique=column.unique)


def add_columns(table: str, fields: Mapping[str, peewee.Field]) -> None:
    """Add columns with their indexes; those that take no look at the rows in one statement if the database can.

    :raises StepError: existing rows need a value, and a field has none
    """
    present = columns_of(table)
    made = {name: bound_field(field, table, name) for name, field in fields.items()}
    plain = {
        name: column
        for name, field in made.items()
        if name not in present and ((column := column_of(field)).null or column.default is not None)
    }
    # All that may be refused comes before the first change, because on some databases each change commits
    values = {
        name: computed_values(table, field, default_of(field)) for name, field in made.items() if name not in plain
    }
    for name, each in values.items():
        add_column_of(table, made[name], default_of(made[name]), False, each)
    if plain:
        backend().add_columns(table, [definition_of(made[name], plain[name], default_of(made[name])) for name in plain])
    for name, column in plain.items():
        if column.unique or column.index:
            add_index(table, (name,), unique=column.unique)


def computed_values(table: str, field: Any, first: Any) -> list[tuple[Any, Any]] | None:
    """Return the value of each row that lacks one, which a function of the field makes, and its key; None: no row does.

    :param first: the value that all rows get; None: each has its own
    :raises StepError: there is no such function, or its values don't fit
    """
    name = field.column_name
    present = columns_of(table).get(name)
    if first is not None or field.null or (present is not None and not present.null) or not count_rows(table, "1 = 1"):
        return None
    if not callable(field.default):
        raise StepError(f"{table}.{name}: existing rows need a value; add a default, null=True or fill=")
    # If a process ended in between, some rows have their values
    where = f" WHERE {quote(name)} IS NULL" if present is not None else ""
    keys = query(f"SELECT {quote(key_of(table))} FROM {quote(table)}{where}")
    values = [(field.db_value(field.default()), key) for (key,) in keys]
    given = {value for value, _ in values}
    if None in given:
        raise StepError(f"{table}.{name}: existing rows need a value, but the function of the default returns None")
    if field.unique and len(given) < len(values):
        raise StepError(f"{table} ({name}) can't be unique: the function of the default returns a value more than once")
    return values


def set_each(table: str, column: str, values: Iterable[tuple[Any, Any]]) -> None:
    """Set a column to values, each for the row of a key."""
    sql = driver_sql(f"UPDATE {quote(table)} SET {quote(column)} = ? WHERE {quote(key_of(table))} = ?")
    for each in values:
        backend().run(sql, each)


def rows_in_words(count: int) -> str:
    """Return a number of rows in words."""
    return "1 row" if count == 1 else f"{count} rows"


def count_rows(table: str, condition: str) -> int:
    """Return the number of rows that meet a condition; 0 if it is empty."""
    return number(f"SELECT COUNT(*) FROM {quote(table)} WHERE {condition}") if condition else 0


def ensure_references(table: str, column: str, to: str) -> None:
    """Check that every value of a column is the key of a row.

    :raises StepError: some aren't; the message has their number
    """
    keys = f"SELECT {quote(key_of(to))} FROM {quote(to)}"
    if astray := count_rows(table, f"{quote(column)} IS NOT NULL AND {quote(column)} NOT IN ({keys})"):
        refer = "refers" if astray == 1 else "refer"
        raise StepError(
            f"{table}.{column}: {rows_in_words(astray)} {refer} to missing rows of {to}; correct them first"
        )


def ensure_fits(table: str, column: Column, way: Conversion, *, lossy: bool) -> None:
    """Check that the values of a column can be converted.

    :param lossy: they may be rounded and cut
    :raises StepError: some don't fit, or would lose something; the message has the number of rows
    """
    what = column.kind
    if column.length or column.digits:
        what = f"{column.length} characters" if column.length else f"DECIMAL({column.digits}, {column.scale})"
    if unfit := count_rows(table, way.unfit):
        raise StepError(
            f"{table}.{column.name}: the values of {rows_in_words(unfit)} don't fit into {what}; nothing was changed"
        )
    if not lossy and (cut := count_rows(table, way.lossy)):
        rows = rows_in_words(cut)
        raise StepError(
            f"{table}.{column.name}: {rows} would lose digits or characters as {what}; add lossy=True to allow it"
        )


# Conversions between columns of one family ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Conversion:
    """How values change, as SQL expressions.

    :ivar value: the new value; empty: the old one
    :ivar lossy: whether a row would lose digits or characters; empty: none would
    :ivar unfit: whether a row's value doesn't fit into the new column; empty: all fit
    """

    value: str = ""
    lossy: str = ""
    unfit: str = ""


def conversion(old: Column, new: Column, sql: str) -> Conversion | None:
    """Return how a column's values change; None if the columns are of different families.

    :param sql: the SQL of the column
    """
    if old.family != new.family:
        return None
    if new.family == "text" and new.length is not None and (old.length is None or old.length > new.length):
        value = f"SUBSTR({sql}, 1, {new.length})"
        return Conversion(value, f"{value} <> {sql}")
    if new.family == "whole" and new.bits < old.bits:
        return Conversion(unfit=f"ABS({sql}) > {2**new.bits - 1}")
    is_checked = new.family == "exact" or (new.family == "decimal" and not backend().scaled_decimals)
    return _to_scale(old, new, sql) if is_checked else Conversion()


def _to_scale(old: Column, new: Column, sql: str) -> Conversion:
    """Return how an exact decimal changes: it is rounded half away from zero."""
    scale, more = new.scale or 0, (new.scale or 0) - (old.scale or 0)
    narrower = (new.digits or 24) - scale < (old.digits or 24) - (old.scale or 0)
    value = backend().rounded(sql, scale) if more < 0 else ""
    field: Any = field_of(replace(new, default=None))
    # Values must have room on every database
    limit = field.limit() if new.family == "exact" else Decimal(10 ** (new.digits or 24) - 1).scaleb(-scale)
    unfit = f"ABS({value or sql}) > {backend().literal(field.db_value(limit))}"
    return Conversion(value, f"{value} <> {sql}" if value else "", unfit if narrower or value else "")
