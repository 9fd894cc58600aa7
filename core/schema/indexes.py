"""Indexes of tables: found by their columns and named after them, alike on all databases.

Indexes of texts that lists are sorted by (`Meta.sorted`) are found by their names.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from typing import Any

from playhouse.migrate import make_index_name

from ..storage.database import backend, database, query, quote
from ..storage.model import Model, meta_of
from .table import StepError, ensure_column, number

_log = logging.getLogger("comptoir.tables")

#: end of the names of indexes for sorted lists
SUFFIX = "__sorted"
#: characters that the name of an index may have on every database
MAX_NAME_CHARS = 63


def indexes_of(table: str) -> list[Any]:
    """Return the indexes of a table, with `name`, `columns`, `unique` and `sql`, except that of its primary key."""
    key = list(database.get_primary_keys(table))
    return [
        each
        for each in database.get_indexes(table)
        if each.name != "PRIMARY" and not (each.unique and list(each.columns) == key)
    ]


def indexes_over(table: str, columns: Sequence[str]) -> list[Any]:
    """Return the indexes over exactly these columns in this order."""
    return [each for each in indexes_of(table) if list(each.columns) == list(columns)]


def add_index(table: str, columns: Sequence[str], unique: bool) -> None:
    """Create an index, unless there is one.

    :raises StepError: rows have the same values, so it can't be unique
    """
    for name in columns:
        ensure_column(table, name)
    present = indexes_over(table, columns)
    if any(each.unique or not unique for each in present):
        return
    nullable = {each.name for each in database.get_columns(table) if each.null}
    nulls = backend().nulls_order(descending=False)
    listed = [quote(name) + (nulls if name in nullable else "") for name in columns]
    if unique and (reason := why_not_unique(table, columns)):
        raise StepError(reason)
    name = name_of(table, columns)
    if name in {each.name for each in indexes_of(table)} - {each.name for each in present}:
        # The operator's
        name = name_of(table, (*columns, "unique" if unique else "index"))
    # Beside a unique index another one is of no use
    backend().create_index(table, name, listed, unique=unique, replaces=[each.name for each in present])


def name_of(table: str, columns: Sequence[str]) -> str:
    """Return peewee's name of an index, cut to a length that every database accepts."""
    return str(make_index_name(table, columns))[:MAX_NAME_CHARS]


def why_not_unique(table: str, columns: Sequence[str], new: Sequence[str] = ()) -> str:
    """Return why an index over columns can't be unique; empty if it can.

    :param new: further columns, in which all rows will have the same value
    """
    named = ", ".join(map(quote, columns))
    there = " AND ".join(f"{quote(name)} IS NOT NULL" for name in columns)
    twice = number(
        f"SELECT COUNT(*) FROM (SELECT 1 FROM {quote(table)} WHERE {there or '1 = 1'} "
        f"GROUP BY {named or 1} HAVING COUNT(*) > 1) s"
    )
    if not twice:
        return ""
    values = "a value occurs" if twice == 1 else f"{twice} values occur"
    why = (
        "existing rows would share the default; add null=True or a function as default"
        if new
        else f"{values} more than once"
    )
    return f"{table} ({', '.join((*columns, *new))}) can't be unique: {why}"


def drop_index(table: str, columns: Sequence[str]) -> None:
    """Drop every index over exactly these columns."""
    for each in indexes_over(table, columns):
        backend().drop_index(table, each.name)


def rename_after(table: str, old_table: str, old: str = "", new: str = "") -> None:
    """Rename the indexes that were named after a table or column before it was renamed.

    Otherwise another table or column with the old name couldn't have such an index.
    """
    for each in indexes_of(table):
        before = name_of(old_table, [old if name == new else name for name in each.columns])
        after = name_of(table, each.columns)
        if each.name[:MAX_NAME_CHARS] == before != after:
            backend().rename_index(table, each.name, after)


def keep_text_indexes(model: type[Model], *, all_of_them: bool = True, is_new: bool = False) -> None:
    """Create the indexes that a model specifies, and drop those that it no longer does.

    :param all_of_them: False: the table is another module's, whose indexes stay
    :param is_new: the table was just created
    """
    meta = meta_of(model)
    table, key = str(meta.table_name), quote(meta.primary_key.column_name)
    wanted = {}
    for field in (meta.fields[name] for name in meta.sorted):
        if text := backend().sort_index(quote(field.column_name), null=bool(field.null)):
            wanted[index_name(table, field.column_name)] = field.column_name, text
    found = [] if is_new else database.get_indexes(table)
    present = {each.name for each in found if each.name.endswith(SUFFIX)}
    if all_of_them:
        for name in present - wanted.keys():
            _log.info("%s: dropping index %s", table, name)
            backend().drop_index(table, name)
    missing = wanted.keys() - present
    # The log doesn't mention the indexes of a new table
    level = logging.INFO if missing and not is_new and query(f"SELECT 1 FROM {quote(table)} LIMIT 1") else logging.DEBUG
    for name in sorted(missing):
        column, text = wanted[name]
        _log.log(level, "%s.%s: creating an index for sorted lists", table, column)
        backend().create_index(table, name, [text, key], unique=False)


def index_name(table: str, column: str) -> str:
    """Return the name of a column's index."""
    name = f"{table}_{column}{SUFFIX}"
    if len(name) <= MAX_NAME_CHARS:
        return name
    return f"{name[:40]}_{hashlib.sha256(name.encode()).hexdigest()[:12]}{SUFFIX}"
