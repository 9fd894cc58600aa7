"""Changes of tables as each database makes them. Each may be asked for again: it looks at what is there first.

On MariaDB whatever changes a table commits, so a process that ends in between leaves a part done; who asks again gets
the rest.
"""

from __future__ import annotations

from typing import Any

import peewee

from ..storage.database import database, dialect_name, quote
from .columns import (
    StepError,
    bound,
    column_of,
    columns_of,
    default_of,
    definition,
    key_of,
    kind_of,
    literal,
    number,
    reference_of,
    run,
)
from .conversions import Cut, Impossible, Unfit, conversion
from .forms import ColumnForm, form_of_field
from .indexes import add_index, drop_named, indexes_of, indexes_over, rename_after
from .rebuild import rebuild, with_function

#: what extra fields of a table's records are kept in, behind the name of that table
VALUES = "_extrafields"


def rename_column(table: str, column: str, to: str) -> None:
    """Give a column another name; indexes that are called after it follow."""
    there = columns_of(table)
    if to in there and column not in there:
        rename_after(table, table, column, to)
        return
    column_of(table, column)
    if to in there:
        raise StepError(f"{table} already has a column {to}")
    run(f"ALTER TABLE {quote(table)} RENAME COLUMN {quote(column)} TO {quote(to)}")
    rename_after(table, table, column, to)


def rename_table(table: str, to: str) -> None:
    """Give a table another name; its extra fields and indexes follow."""
    for old, new in ((table, to), (table + VALUES, to + VALUES)):
        there = database.get_tables()
        if new not in there and old in there:
            run(f"ALTER TABLE {quote(old)} RENAME TO {quote(new)}")
        elif old in there:
            raise StepError(f"the table {new} already exists")
        elif new not in there and old == table:
            raise StepError(f"there is no table {table}")
        if new == to or new in database.get_tables():
            rename_after(new, old)


def add_column(table: str, column: str, field: peewee.Field, fill: Any = None) -> None:
    """Add a column, with its index where the field asks for one.

    :param fill: what the rows that there are hold; None: the field's default
    :raises StepError: rows would need a value, and none is named
    """
    made = bound(table, column, field, key_of(table))
    default = default_of(made)
    first = default if fill is None else made.db_value(fill)
    there = columns_of(table)
    if not there:
        raise StepError(f"there is no table {table}")
    if column not in there:
        if first is None and not made.null and number(f"SELECT COUNT(*) FROM {quote(table)}"):
            raise StepError(f"{table}.{column}: existing rows need a value; add a default, null=True or fill=")
        _add(table, made, default, first)
    elif dialect_name() == "mysql" and first is not None and there[column].default is not None:
        _set_default(table, column, default)
    if made.unique or made.index:
        add_index(table, (column,), unique=bool(made.unique))


def _add(table: str, made: Any, default: Any, first: Any) -> None:
    begun = f"ALTER TABLE {quote(table)} ADD COLUMN "
    if dialect_name() == "sqlite" and (first != default or (first is None and not made.null)):
        # A column without a default is not added to a table there, nor changed afterwards
        rebuild(table, made.column_name, definition(made, default), "?", (first,))
        return
    run(begun + definition(made, first))
    if first != default:
        _set_default(table, made.column_name, default)


def _set_default(table: str, column: str, default: Any) -> None:
    what = "DROP DEFAULT" if default is None else f"SET DEFAULT {literal(default)}"
    run(f"ALTER TABLE {quote(table)} ALTER COLUMN {quote(column)} {what}")


def drop_column(table: str, column: str) -> None:
    """Let a column go, and every index that it is part of.

    :raises StepError: it names the rows
    """
    if column not in columns_of(table):
        if not columns_of(table):
            raise StepError(f"there is no table {table}")
        return
    if column == key_of(table):
        raise StepError(f"{table}.{column} is the primary key and can't be dropped")
    _drop_references(table, column)
    for each in indexes_of(table):
        if column in each.columns:
            drop_named(table, each.name)
    run(f"ALTER TABLE {quote(table)} DROP COLUMN {quote(column)}")


def _drop_references(table: str, column: str) -> None:
    """Let what a column points at go; SQLite keeps it with the column."""
    if dialect_name() == "sqlite":
        return
    kind = "FOREIGN KEY" if dialect_name() == "mysql" else "CONSTRAINT"
    for each in database.get_foreign_keys(table):
        if each.column == column:
            run(f"ALTER TABLE {quote(table)} DROP {kind} {quote(each.name)}")


def change_column(
    table: str, column: str, field: peewee.Field, old: ColumnForm, *, lossy: bool = False, fill: Any = None
) -> None:
    """Make a column what a field says: exact decimals, numbers and texts keep their value.

    :param old: what the column was made from
    :param lossy: values are rounded and cut where they do not fit
    :param fill: what stands for NULL, where the column may hold none any more
    :raises StepError: values would be lost, or have no place in the new column; says how many
    """
    present = column_of(table, column)
    made = bound(table, column, field, key_of(table))
    new = form_of_field(made, column)
    name = f"{table}.{column}"
    scaled = present.kind == "BIGINT" and old.kind == "DECIMAL"
    try:
        way = conversion(old, new, quote(column), scaled=scaled)
    except Impossible:
        raise StepError(
            f"{name}: can't convert {old.kind} to {new.kind}; add a new column, fill it and drop this one"
        ) from None
    default = default_of(made)
    stand_in = default if fill is None else made.db_value(fill)
    nulls = 0 if made.null else number(f"SELECT COUNT(*) FROM {quote(table)} WHERE {quote(column)} IS NULL")
    if nulls and stand_in is None:
        have = "has" if nulls == 1 else "have"
        raise StepError(f"{name}: {_rows(nulls)} {have} no value; add a default, null=True or fill=")
    if dialect_name() == "sqlite":
        _change_on_sqlite(table, made, way.value, default, stand_in if nulls else None, lossy=lossy)
    else:
        _refuse_losses(table, column, way, new, lossy=lossy)
        if dialect_name() == "postgresql":
            _change_on_postgresql(table, made, way.sql, default, stand_in if nulls else None)
        else:
            _change_on_mariadb(table, made, way, default, stand_in if nulls else None)
    if made.unique or made.index:
        add_index(table, (column,), unique=bool(made.unique))
        if not made.unique:
            _let_go(table, column, unique=True)
    elif not reference_of(made):
        _let_go(table, column)


def _let_go(table: str, column: str, unique: bool = False) -> None:
    """Let indexes of a column alone go that its field does not ask for any more."""
    gone = [each for each in indexes_over(table, (column,)) if each.unique or not unique]
    for each in gone:
        drop_named(table, each.name)
    if unique and gone:
        add_index(table, (column,), unique=False)


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _refuse(name: str, unfit: int, cut: int, new: ColumnForm, *, lossy: bool) -> None:
    what = (
        f"{new.length} characters" if new.length else f"DECIMAL({new.digits}, {new.scale})" if new.digits else new.kind
    )
    if unfit:
        raise StepError(f"{name}: the values of {_rows(unfit)} don't fit into {what}; nothing was changed")
    if cut and not lossy:
        raise StepError(f"{name}: {_rows(cut)} would lose digits or characters as {what}; add lossy=True to allow it")


def _refuse_losses(table: str, column: str, way: Any, new: ColumnForm, *, lossy: bool) -> None:
    counts = [
        number(f"SELECT COUNT(*) FROM {quote(table)} WHERE {test}") if test else 0 for test in (way.unfit, way.cut)
    ]
    _refuse(f"{table}.{column}", counts[0], counts[1], new, lossy=lossy)


def _change_on_sqlite(table: str, made: Any, value: Any, default: Any, stand_in: Any, *, lossy: bool) -> None:
    column = quote(made.column_name)
    counts = {"cut": 0, "unfit": 0}

    def becomes(old: Any) -> Any:
        if old is None or value is None:
            return old if old is not None else stand_in
        try:
            return value(old)
        except Cut as error:
            counts["cut"] += 1
            return error.rest
        except Unfit:
            counts["unfit"] += 1
            return None

    with_function("comptoir_becomes", 1, becomes)
    if value is not None:
        run(f"SELECT COUNT(comptoir_becomes({column})) FROM {quote(table)}").fetchall()
        _refuse(f"{table}.{made.column_name}", counts["unfit"], counts["cut"], form_of_field(made), lossy=lossy)
    rebuild(table, made.column_name, definition(made, default), f"comptoir_becomes({column})")


def _change_on_postgresql(table: str, made: Any, sql: str, default: Any, stand_in: Any) -> None:
    column, kind = quote(made.column_name), kind_of(made)
    _renew_reference(table, made)
    if stand_in is not None:
        sql = f"COALESCE({sql or column}, {literal(stand_in)})"
    parts = ["DROP DEFAULT", f"TYPE {kind} USING CAST({sql or column} AS {kind})"]
    if kind.upper() == "BOOLEAN" and sql:
        parts[1] = f"TYPE {kind} USING {sql}"
    parts.append("DROP NOT NULL" if made.null else "SET NOT NULL")
    if default is not None:
        parts.append(f"SET DEFAULT {literal(default)}")
    run(f"ALTER TABLE {quote(table)} " + ", ".join(f"ALTER COLUMN {column} {part}" for part in parts))


def _renew_reference(table: str, made: Any) -> None:
    """What a column points at, where that changes."""
    there = [each for each in database.get_foreign_keys(table) if each.column == made.column_name]
    wanted = reference_of(made)
    if there and (not wanted or f" {there[0].dest_table} (" not in wanted):
        _drop_references(table, made.column_name)
        there = []
    if wanted and not there:
        run(f"ALTER TABLE {quote(table)} ADD FOREIGN KEY ({quote(made.column_name)}) {wanted}")


def _change_on_mariadb(table: str, made: Any, way: Any, default: Any, stand_in: Any) -> None:
    column = quote(made.column_name)
    if way.cut:
        run(f"UPDATE {quote(table)} SET {column} = {way.sql} WHERE {way.cut}")
    if stand_in is not None:
        run(f"UPDATE {quote(table)} SET {column} = {literal(stand_in)} WHERE {column} IS NULL")
    said = definition(made, default, reference=False)
    run(f"ALTER TABLE {quote(table)} MODIFY COLUMN {said}")
    _renew_reference(table, made)
