"""Changes of tables. Each may be asked for again: it looks at what is there first.

Where each change commits, a process that ends in between leaves a part done; who asks again gets the rest.
"""

from __future__ import annotations

from typing import Any

import peewee

from ..storage.database import backend, database, quote
from .columns import StepError, bound, column_of, columns_of, default_of, definition, key_of, number, reference_of, run
from .conversions import Conversion, conversion
from .forms import ColumnForm, form_of_field
from .indexes import add_index, indexes_of, indexes_over, rename_after

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
        backend().add_column(table, definition(made, default), "" if fill is None else backend().literal(first))
    elif not backend().transactional_ddl and first is not None and there[column].default is not None:
        backend().set_default(table, definition(made, default))
    if made.unique or made.index:
        add_index(table, (column,), unique=bool(made.unique))


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
    drop_references(table, column)
    for each in indexes_of(table):
        if column in each.columns:
            backend().drop_index(table, each.name)
    backend().drop_column(table, column)


def drop_references(table: str, column: str = "", *, wanted: str = "") -> None:
    """Drop the references of a table to others; one without a name is part of its column.

    :param column: only those of this column; empty: of all
    :param wanted: ``REFERENCES …`` that stays
    """
    for each in database.get_foreign_keys(table):
        if each.name and column in ("", each.column) and f" {each.dest_table} (" not in wanted:
            run(f"ALTER TABLE {quote(table)} DROP CONSTRAINT {quote(each.name)}")


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
    if backend().scaled_decimals and old.kind == new.kind == "DECIMAL":
        way = _way_of_scaled(str(present.data_type).upper(), backend().type_of(made), way)
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
        value = f"COALESCE({value}, {backend().literal(stand_in)})"
    reference = reference_of(made)
    drop_references(table, column, wanted=reference)
    backend().change_column(table, definition(made, default), value)
    if reference and column not in {each.column for each in database.get_foreign_keys(table)}:
        run(f"ALTER TABLE {quote(table)} ADD FOREIGN KEY ({quote(column)}) {reference}")
    if made.unique or made.index:
        add_index(table, (column,), unique=bool(made.unique))
        if not made.unique:
            _let_go(table, column, unique=True)
    elif not reference:
        _let_go(table, column)


def _way_of_scaled(present: str, wanted: str, way: Conversion | None) -> Conversion | None:
    """How decimals change: peewee's own are no whole numbers of the last decimal place."""
    if present != wanted and "BIGINT" in (present, wanted):
        return None
    return way if wanted == "BIGINT" else Conversion()


def _let_go(table: str, column: str, unique: bool = False) -> None:
    """Let indexes of a column alone go that its field does not ask for any more."""
    gone = [each for each in indexes_over(table, (column,)) if each.unique or not unique]
    for each in gone:
        backend().drop_index(table, each.name)
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
