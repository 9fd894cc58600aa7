"""Pages of a list: after a cursor each takes the same time; a page of a high number reads all rows before it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ..common.errors import BadRequest
from ..storage.database import backend, rows_of
from ..storage.fields import ExactField
from ..storage.sqlfilters import with_alias
from .lists import ListQuery, Page, SortKey, behind, make_cursor, order_by, page_size, sort_keys
from .row_rules import ALL, Condition, all_of
from .select_plans import SelectPlan


def read_page(plan: SelectPlan, query: ListQuery, where: Mapping[str, Any], sort: str) -> Page:
    """Return a page of the records that the caller may see, without what loaders and `complete` add.

    :param where: field → value, or several values, that the records must have
    :param sort: the usual order
    :raises BadRequest: a filter, field or number that can't be used
    """
    conditions, joins = filter_conditions(plan, where, query.sqlfilters, query.sortfield or sort)
    keys = sort_keys(query, _usual_order(plan, sort), plan.open_columns, plan.key_name)
    joins.update(join for alias, join in plan.joins.items() if any(key.name.startswith(alias) for key in keys))
    found = plan.visible(*conditions)
    page = Page()
    page.query = query
    by_id = None if page_size(query.limit) is None else len(keys) == 1
    page.extend(_rows(plan, joins, searched(plan, found, query.q, by_id=by_id), keys, page))
    if query.count or query.pagination_data:
        page.total = count(plan, searched(plan, found, query.q), joins)
    return page


def searched(plan: SelectPlan, found: Condition, text: str, *, by_id: bool | None = None) -> Condition:
    """Return a condition together with that of a search, if there is one."""
    return all_of([plan.search.condition(text, by_id=by_id), found]) if text.strip() else found


def filter_conditions(
    plan: SelectPlan, where: Mapping[str, Any], sqlfilters: str, order: str = ""
) -> tuple[list[Condition], set[str]]:
    """Return the conditions of values and of a filter text, and the joins that they need.

    :param order: what the rows are sorted by if only a page of them is read; empty: all of them are
    """
    conditions = [plan.equals(name, value) for name, value in where.items()]
    if not sqlfilters.strip():
        return conditions, set()
    condition, joins = plan.filter(sqlfilters, order)
    return [*conditions, condition], {*joins}


def properties_of(query: ListQuery) -> list[str]:
    """Return the fields that a query lists; all if empty."""
    return list(dict.fromkeys(name.strip() for name in query.properties.split(",") if name.strip()))


def select_properties(plan: SelectPlan, page: Page, wanted: Collection[str]) -> None:
    """Leave only some fields in the records of a page.

    :raises BadRequest: one of them is unknown
    """
    shown = {*plan.names, "array_options"} - plan.hidden.keys()
    page[:] = [{name: record[name] for name in wanted if name in record} for record in page]
    missing = sorted({*wanted} - shown - set().union(*page)) if page else []
    if missing:
        raise BadRequest(errors=[BadRequest.unknown("properties", missing[0])])


def _usual_order(plan: SelectPlan, sort: str) -> str:
    """Return the order of a list; the ID replaces a hidden field, because a cursor holds the values of its fields."""
    names = [name.strip().lower() for name in sort.split(",")] if plan.hidden else []
    hides = any(with_alias(name) not in plan.open_columns for name in names)
    return plan.key_name if hides else sort


def _rows(
    plan: SelectPlan, joins: Collection[str], found: Condition, keys: list[SortKey], page: Page
) -> Iterable[dict[str, Any]]:
    size, offset = page_size(page.query.limit), _offset(page.query)
    # With one more row it is known whether there is a next page
    limit = None if size is None else size + 1
    rows: list[tuple[Any, ...]] = []
    for part in behind(keys, page.query.after) if page.query.after else [None]:
        condition = found if part is None else all_of([found, part])
        left = None if limit is None else limit - len(rows)
        rows += rows_of(*_statement(plan, joins, condition, keys, left, offset))
        if limit is not None and len(rows) == limit:
            break
    if size is not None and len(rows) > size:
        rows = rows[:size]
        further = [key.name for key in keys if key.name not in plan.positions]
        page.cursor = make_cursor(keys, [_sort_value(plan, key, further, rows[-1]) for key in keys])
    return map(plan.record, rows)


def _sort_value(plan: SelectPlan, key: SortKey, further: list[str], row: tuple[Any, ...]) -> Any:
    """Return the value that a row is sorted by, as a cursor holds it."""
    place = plan.positions[key.name] if key.name in plan.positions else plan.selected + further.index(key.name)
    field = key.column.field
    return field.python_value(row[place]) if isinstance(field, ExactField) else row[place]


def count(plan: SelectPlan, found: Condition, joins: Collection[str] = ()) -> int:
    """Return the number of records that meet a condition."""
    where, params = found
    if found == ALL:
        # Without a condition SQLite reads how many entries the pages of an index have
        return int(rows_of(f"SELECT COUNT(*) FROM {plan.table}", ())[0][0])
    return int(rows_of(f"SELECT COUNT(*) FROM {plan.narrow(where, joins)} WHERE {where}", params)[0][0])


def _statement(
    plan: SelectPlan, joins: Collection[str], found: Condition, keys: list[SortKey], limit: int | None, offset: int
) -> Condition:
    """Return the statement of a page. Sort columns of other tables follow the fields."""
    where, params = found
    order, mark = order_by(keys), backend().placeholder
    further = "".join(f", {key.column.sql}" for key in keys if key.name not in plan.positions)
    head, tail = f"{plan.head}{further} FROM ", "".join(sorted(joins))
    sql = f"{head}{plan.source}{tail} WHERE {where} ORDER BY {order}"
    return (sql, params) if limit is None else (f"{sql} LIMIT {mark} OFFSET {mark}", (*params, limit, offset))


def _offset(query: ListQuery) -> int:
    """Return the number of records before the page."""
    size = page_size(query.limit)
    return 0 if query.after or size is None else min(size * max(query.page, 0), 2**62)
