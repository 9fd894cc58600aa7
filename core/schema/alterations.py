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
from .conversions import Conversion, conversion
from .forms import ColumnForm, form_of_field
from .indexes import add_index, drop_named, indexes_of, indexes_over, rename_after
from .rebuild import rebuild

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
        rebuild(table, made.column_name, definition(made, default), literal(first))
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
    """Make a column what a field of the same kind specifies; exact decimals, numbers and texts keep their value.

    :param old: what the column was made from
    :param lossy: round and cut values that don't fit
    :param fill: what replaces NULL, if the column may hold none any more
    :raises StepError: values would be lost, or have no place in the new column; the message has the number of rows
    """
    present = column_of(table, column)
    made = bound(table, column, field, key_of(table))
    new = form_of_field(made, column)
    name = f"{table}.{column}"
    way = conversion(old, new, quote(column))
    if dialect_name() == "sqlite" and old.kind == new.kind == "DECIMAL":
        way = _way_on_sqlite(str(present.data_type).upper(), kind_of(made), way)
    if way is None:
        # Drafts see no difference between kinds of decimals
        advice = "add a new column, fill it and drop this one"
        if old.kind != new.kind:
            advice = "delete this step and run `comptoir migrate --write`, which drafts the conversion"
        raise StepError(f"{name}: can't convert {old.kind} to {new.kind}; {advice}")
    default = default_of(made)
    stand_in = default if fill is None else made.db_value(fill)
    nulls = 0 if made.null else _count(table, f"{quote(column)} IS NULL")
    if nulls and stand_in is None:
        have = "has" if nulls == 1 else "have"
        raise StepError(f"{name}: {_rows(nulls)} {have} no value; add a default, null=True or fill=")
    _ensure_fits(table, column, way, new, lossy=lossy)
    value = way.value or quote(column)
    if nulls:
        value = f"COALESCE({value}, {literal(stand_in)})"
    if dialect_name() == "sqlite":
        rebuild(table, column, definition(made, default), value)
    elif dialect_name() == "postgresql":
        _change_on_postgresql(table, made, value, default)
    else:
        _change_on_mariadb(table, made, value, way.lossy, default)
    if made.unique or made.index:
        add_index(table, (column,), unique=bool(made.unique))
        if not made.unique:
            _let_go(table, column, unique=True)
    elif not reference_of(made):
        _let_go(table, column)


def _way_on_sqlite(present: str, wanted: str, way: Conversion | None) -> Conversion | None:
    """How decimals change: peewee's own are no whole numbers of the last decimal place."""
    if present != wanted and "BIGINT" in (present, wanted):
        return None
    return way if wanted == "BIGINT" else Conversion()


def _let_go(table: str, column: str, unique: bool = False) -> None:
    """Let indexes of a column alone go that its field does not ask for any more."""
    gone = [each for each in indexes_over(table, (column,)) if each.unique or not unique]
    for each in gone:
        drop_named(table, each.name)
    if unique and gone:
        add_index(table, (column,), unique=False)


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _count(table: str, condition: str) -> int:
    return number(f"SELECT COUNT(*) FROM {quote(table)} WHERE {condition}") if condition else 0


def _ensure_fits(table: str, column: str, way: Conversion, new: ColumnForm, *, lossy: bool) -> None:
    what = (
        f"{new.length} characters" if new.length else f"DECIMAL({new.digits}, {new.scale})" if new.digits else new.kind
    )
    if unfit := _count(table, way.unfit):
        raise StepError(f"{table}.{column}: the values of {_rows(unfit)} don't fit into {what}; nothing was changed")
    if not lossy and (cut := _count(table, way.lossy)):
        raise StepError(
            f"{table}.{column}: {_rows(cut)} would lose digits or characters as {what}; add lossy=True to allow it"
        )


def _change_on_postgresql(table: str, made: Any, value: str, default: Any) -> None:
    column, kind = quote(made.column_name), kind_of(made)
    _renew_reference(table, made)
    parts = ["DROP DEFAULT", f"TYPE {kind} USING CAST({value} AS {kind})"]
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


def _change_on_mariadb(table: str, made: Any, value: str, lossy: str, default: Any) -> None:
    column = quote(made.column_name)
    changed = " OR ".join(filter(None, (lossy, "" if made.null else f"{column} IS NULL")))
    if changed:
        run(f"UPDATE {quote(table)} SET {column} = {value} WHERE {changed}")
    run(f"ALTER TABLE {quote(table)} MODIFY COLUMN {definition(made, default, reference=False)}")
    _renew_reference(table, made)
