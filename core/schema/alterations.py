"""Changes of tables. Each can be repeated: it first looks at what the table has.

On a database where each change commits, a process that ends in between leaves a part done; repeating it does the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import peewee

from ..storage.backend import ColumnDefinition
from ..storage.column import Column
from ..storage.database import backend, database, driver_sql, query, quote
from ..storage.fields import bound_field, column_of, field_of
from .indexes import add_index, indexes_of, indexes_over, rename_after, why_not_unique
from .table import StepError, columns_of, ensure_column, key_of, number

#: suffix of a table with extra fields
VALUES = "_extrafields"


def default_of(field: Any) -> Any:
    """Return the default of a column in the database's form; None: it has none, or a function makes each value."""
    value = None if callable(field.default) or field.null else field.default
    return None if value is None else field.db_value(value)


def _definition(field: Any, column: Column, default: Any) -> ColumnDefinition:
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
        reference=_reference(column.references) if column.references else "",
    )


def _reference(to: str) -> str:
    return f"REFERENCES {quote(to)} ({quote(key_of(to))})"


def rename_column(table: str, column: str, to: str) -> None:
    """Rename a column; indexes that are named after it follow."""
    present = columns_of(table)
    if column in present or to not in present:
        ensure_column(table, column)
        if to in present:
            raise StepError(f"{table} already has a column {to}")
        backend().rename_column(table, column, to)
    rename_after(table, table, column, to)


def rename_table(table: str, to: str) -> None:
    """Rename a table; its extra fields and indexes follow."""
    for old, new in ((table, to), (table + VALUES, to + VALUES)):
        present = database.get_tables()
        if old in present:
            if new in present:
                if _count(new, "1 = 1"):
                    raise StepError(f"the table {new} already exists")
                # The model has had that name before
                backend().drop_references(new)
                backend().drop_table(new)
            backend().rename_table(old, new)
        elif new not in present and old == table:
            raise StepError(f"there is no table {table}")
        if new == to or new in database.get_tables():
            rename_after(new, old)


def add_column(table: str, name: str, field: peewee.Field, fill: Any = None) -> None:
    """Add a column, with its index if the field has one.

    :param fill: the value of existing rows; None: the field's default
    :raises StepError: existing rows need a value, but neither `fill` nor the field has one; or they can't be unique
    """
    made = bound_field(field, table, name)
    first = default_of(made) if fill is None else made.db_value(fill)
    _add_column(table, made, first, fill is not None, _computed(table, made, first))


def _add_column(table: str, made: Any, first: Any, is_filled: bool, values: list[tuple[Any, Any]] | None) -> None:
    """Add a column.

    :param first: the value of existing rows; None: each has its own
    :param is_filled: a migration has set `first`
    :param values: the value and the key of each row that lacks one; None: no row does
    """
    name, column = made.column_name, column_of(made)
    present = columns_of(table).get(name)
    definition = _definition(made, column, default_of(made))
    if present is None:
        if column.unique and first is not None and (reason := why_not_unique(table, (), (name,))):
            raise StepError(reason)
        added = replace(definition, null=column.null or values is not None)
        backend().add_column(table, added, backend().literal(first) if is_filled else "")
    elif not backend().transactional_ddl and first is not None and present.has_default:
        backend().set_default(table, definition)
    if values is not None:
        _set_each(table, name, values)
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
    values = {name: _computed(table, field, default_of(field)) for name, field in made.items() if name not in plain}
    for name, each in values.items():
        _add_column(table, made[name], default_of(made[name]), False, each)
    if plain:
        backend().add_columns(table, [_definition(made[name], plain[name], default_of(made[name])) for name in plain])
    for name, column in plain.items():
        if column.unique or column.index:
            add_index(table, (name,), unique=column.unique)


def _computed(table: str, field: Any, first: Any) -> list[tuple[Any, Any]] | None:
    """Return the value of each row that lacks one, which a function of the field makes, and its key; None: no row does.

    :param first: the value that all rows get; None: each has its own
    :raises StepError: there is no such function, or its values don't fit
    """
    name = field.column_name
    present = columns_of(table).get(name)
    if first is not None or field.null or (present is not None and not present.null) or not _count(table, "1 = 1"):
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


def _set_each(table: str, column: str, values: Iterable[tuple[Any, Any]]) -> None:
    sql = driver_sql(f"UPDATE {quote(table)} SET {quote(column)} = ? WHERE {quote(key_of(table))} = ?")
    for each in values:
        backend().run(sql, each)


def drop_column(table: str, column: str) -> None:
    """Drop a column, and every index that it is part of.

    :raises StepError: it is the primary key
    """
    if column not in columns_of(table):
        return
    if column == key_of(table):
        raise StepError(f"{table}.{column} is the primary key and can't be dropped")
    backend().drop_references(table, column)
    for each in indexes_of(table):
        if column in each.columns:
            backend().drop_index(table, each.name)
    backend().drop_column(table, column)


def change_column(
    table: str, old: Column, field: peewee.Field, *, references: str = "", lossy: bool = False, fill: Any = None
) -> None:
    """Make a column what a field of the same family specifies; decimals, numbers and texts keep their value.

    :param old: what the column was made from
    :param references: the table that the column refers to; empty: none
    :param lossy: round and cut values that don't fit
    :param fill: what replaces NULL if the column must have a value from now on
    :raises StepError: values would be lost or don't fit, or rows refer to nothing; the message has the number of rows
    """
    name = old.name
    ensure_column(table, name)
    made = bound_field(field, table, name)
    column = replace(column_of(made), references=references)
    way = conversion(old, column, quote(name))
    if way is None:
        raise StepError(
            f"{table}.{name}: can't convert {old.kind} to {column.kind}; delete this step and run "
            "`comptoir migrate --write`, which drafts the conversion"
        )
    default = default_of(made)
    substitute = default if fill is None else made.db_value(fill)
    nulls = 0 if column.null else _count(table, f"{quote(name)} IS NULL")
    if nulls and substitute is None and column.computed:
        _set_each(table, name, _computed(table, made, None) or ())
        nulls = 0
    if nulls and substitute is None:
        have = "has" if nulls == 1 else "have"
        raise StepError(f"{table}.{name}: {_rows(nulls)} {have} no value; add a default, null=True or fill=")
    _ensure_fits(table, column, way, lossy=lossy)
    value = way.value or quote(name)
    if nulls:
        value = f"COALESCE({value}, {backend().literal(substitute)})"
    definition = _definition(made, column, default)
    if references and references != old.references:
        _ensure_references(table, name, references)
    backend().drop_references(table, name, keep=references)
    backend().change_column(table, definition, value)
    if references and name not in {each.column for each in database.get_foreign_keys(table)}:
        backend().add_reference(table, name, definition.reference)
    if column.unique or column.index:
        add_index(table, (name,), unique=column.unique)
        if not column.unique:
            _drop_indexes(table, name, unique=True)
    elif not references:
        _drop_indexes(table, name)


def add_reference(table: str, column: str, to: str) -> None:
    """Let a column refer to the rows of another table.

    :raises StepError: rows refer to nothing; the message has their number
    """
    ensure_column(table, column)
    columns_of(to)
    if any((each.column, each.dest_table) == (column, to) for each in database.get_foreign_keys(table)):
        return
    _ensure_references(table, column, to)
    backend().drop_references(table, column)
    backend().add_reference(table, column, _reference(to))


def _drop_indexes(table: str, column: str, unique: bool = False) -> None:
    """Drop indexes over one column that its field no longer has."""
    gone = [each for each in indexes_over(table, (column,)) if each.unique or not unique]
    for each in gone:
        backend().drop_index(table, each.name)
    if unique and gone:
        add_index(table, (column,), unique=False)


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _count(table: str, condition: str) -> int:
    return number(f"SELECT COUNT(*) FROM {quote(table)} WHERE {condition}") if condition else 0


def _ensure_references(table: str, column: str, to: str) -> None:
    keys = f"SELECT {quote(key_of(to))} FROM {quote(to)}"
    if astray := _count(table, f"{quote(column)} IS NOT NULL AND {quote(column)} NOT IN ({keys})"):
        refer = "refers" if astray == 1 else "refer"
        raise StepError(f"{table}.{column}: {_rows(astray)} {refer} to missing rows of {to}; correct them first")


def _ensure_fits(table: str, column: Column, way: Conversion, *, lossy: bool) -> None:
    what = column.kind
    if column.length or column.digits:
        what = f"{column.length} characters" if column.length else f"DECIMAL({column.digits}, {column.scale})"
    if unfit := _count(table, way.unfit):
        raise StepError(
            f"{table}.{column.name}: the values of {_rows(unfit)} don't fit into {what}; nothing was changed"
        )
    if not lossy and (cut := _count(table, way.lossy)):
        raise StepError(
            f"{table}.{column.name}: {_rows(cut)} would lose digits or characters as {what}; add lossy=True to allow it"
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
