"""Ranges of filters in large tables: few rows are found by an index, many in the order of the list.

A page is cut from the rows in the order of the list. The database either reads rows in this order until the page is
full, or finds all that match and sorts them. Each way is slow where the other is quick. Some databases only guess which
one it is. For them, the entries of the index are counted, up to `Backend.few_rows`, which decides.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import peewee

from ..storage.backend import Condition
from ..storage.database import backend, rows_of
from ..storage.sqlfilters import FilterColumn, with_alias

#: rows of a table up to which reading all of them takes no time worth saving
SMALL_TABLE = 10_000
#: seconds after which the size of a small table is asked for again
SIZE_SECONDS = 60.0


class Ranges:
    """The ranges of one table, which is `t` in statements."""

    def __init__(self, meta: Any, table: str, key: str, columns: Mapping[str, FilterColumn]) -> None:
        """Note which columns begin an index.

        :param table: the SQL of the table
        :param key: the SQL of its key
        :param columns: the columns of filters
        """
        self._table, self._key, self._columns = table, key, columns
        several = {meta.combined[each[0][0]].name for each in meta.indexes if isinstance(each, (tuple, list))}
        self._indexed = {field for field in meta.sorted_fields if field.index or field.unique or field.name in several}
        self._may_be_large = bool(backend().guessed_operators) and isinstance(meta.primary_key, peewee.IntegerField)
        self._asked = float("-inf")
        self._is_large = False
        #: first column of a sort order → the columns for filters
        self._counted: dict[str, Mapping[str, FilterColumn]] = {}

    def counted_columns(self, order: str) -> Mapping[str, FilterColumn] | None:
        """Return the columns for the filter of a page; None: the table is small, or the database counts.

        :param order: the fields that the list is sorted by, separated by commas. A range of the first one isn't
            counted: its rows are in the order of the list
        """
        if not self._may_be_large or not (self._is_large or self._has_grown()):
            return None
        name = order.partition(",")[0].strip().lower()
        first = self._columns.get(with_alias(name))
        key = "" if first is None else first.sql
        if key not in self._counted:
            self._counted[key] = {name: self._with_count(column, key) for name, column in self._columns.items()}
        return self._counted[key]

    def _has_grown(self) -> bool:
        if time.monotonic() - self._asked > SIZE_SECONDS:
            self._asked = time.monotonic()
            ((greatest,),) = rows_of(f"SELECT MAX({self._key}) FROM {self._table}", ())
            self._is_large = (greatest or 0) > SMALL_TABLE
        return self._is_large

    def _with_count(self, column: FilterColumn, first: str) -> FilterColumn:
        is_found = column.sql.startswith("t.") and column.field in self._indexed and not column.text
        return replace(column, counted=partial(self._count, column)) if is_found and column.sql != first else column

    def _count(self, column: FilterColumn, condition: Condition) -> Condition:
        """Return a condition of a range, with what is known of the number of its rows."""
        sql, params = condition
        order = column.sql + (backend().nulls_order(descending=False) if column.nullable else "")
        # In the order of the index, so that a plan for any values uses it as well
        rows, few = f"FROM {self._table} WHERE {sql} ORDER BY {order} LIMIT", backend().few_rows
        if rows_of(f"SELECT 1 {rows} 1 OFFSET {few}", params):
            return backend().met_by_many(sql), params
        # There may be more by now
        found = backend().among_rows(self._key, f"SELECT {self._key} {rows} {2 * few}")
        return f"{sql} AND {found}", (*params, *params)
