"""Pages that cost the same wherever they lie: totals, pages far behind, what stands behind a cursor."""

from __future__ import annotations

from collections.abc import Collection

from ..storage.database import backend, quote, rows_of
from .lists import ListQuery, SortKey, order_by, page_size
from .row_rules import ALL, Condition
from .select_plans import SelectPlan

#: rows from which on those before a page are passed over by their identifiers alone
DEEP = 1000
#: rows from which on a total is estimated where the database counts one by one
MANY = 100_000


def count(plan: SelectPlan, found: Condition, joins: Collection[str], *, exactly: bool) -> tuple[int, bool]:
    """How many records there are, and whether that is an estimate.

    :param found: the condition that they meet
    :param exactly: count them, however long that takes
    """
    where, params = found
    if found == ALL:
        if not exactly and (about := backend().estimate_rows(plan.name)) > MANY:
            return about, True
        # Without a condition SQLite reads how many entries the pages of an index have
        return int(rows_of(f"SELECT COUNT(*) FROM {plan.table}", ())[0][0]), False
    return int(rows_of(f"SELECT COUNT(*) FROM {plan.narrow(where, joins)} WHERE {where}", params)[0][0]), False


def is_behind_all(plan: SelectPlan, offset: int) -> bool:
    """Whether there cannot be so many records: there are no more than numbers from the first identifier to the last."""
    if offset < DEEP or not plan.is_numbered:
        return False
    key = f"t.{quote(plan.key)}"
    ((least, greatest),) = rows_of(
        f"SELECT (SELECT MIN({key}) FROM {plan.table}), (SELECT MAX({key}) FROM {plan.table})", ()
    )
    return least is None or offset > greatest - least


def statement(
    plan: SelectPlan, joins: Collection[str], found: Condition, keys: list[SortKey], limit: int | None, offset: int
) -> Condition:
    """The statement of a page.

    The rows before one that lies deep are passed over in an index where there is one: only those that are answered are
    read whole. What it is sorted by and no field of the record stands behind the fields.
    """
    where, params = found
    order, mark = order_by(keys), backend().placeholder
    further = "".join(f", {key.column.sql}" for key in keys if key.name not in plan.positions)
    head, tail = f"{plan.head}{further} FROM ", "".join(sorted(joins))
    if limit is None:
        return f"{head}{plan.source}{tail} WHERE {where} ORDER BY {order}", params
    cut = f" LIMIT {mark} OFFSET {mark}"
    if offset < DEEP:
        return f"{head}{plan.source}{tail} WHERE {where} ORDER BY {order}{cut}", (*params, limit, offset)
    key = quote(plan.key)
    needed = plan.narrow(f"{where} {order}", joins)
    chosen = f"SELECT t.{key} AS chosen FROM {needed} WHERE {where} ORDER BY {order}{cut}"
    rest = plan.source.removeprefix(plan.table)
    return (
        f"{head}({chosen}) AS page JOIN {plan.table} ON t.{key} = page.chosen{rest}{tail} ORDER BY {order}",
        (*params, limit, offset),
    )


def offset_of(query: ListQuery) -> int:
    """Records before the page."""
    size = page_size(query.limit)
    return 0 if query.after or size is None else min(size * max(query.page, 0), 2**62)
