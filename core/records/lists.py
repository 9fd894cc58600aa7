"""Lists: the parameters of every list, sort orders and cursors."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ..common.errors import BadRequest, joined, near_name, shown
from ..common.json_texts import read_json
from ..common.settings import settings
from ..storage.database import backend
from ..storage.sqlfilters import FilterColumn, fields_of, parse, with_alias
from .row_rules import Condition

LARGEST = 2**31
#: fields that a list may be sorted by at once
MOST_SORT_FIELDS = 8


@dataclass(frozen=True)
class ListQuery:
    """The parameters of every list.

    :param sqlfilters: conditions (field:operator:value) with `and`, `or`
    :param sortfield: comma-separated fields; `-` before a field: descending
    :param sortorder: ASC or DESC for each field
    :param limit: records per page; 0: the maximum
    :param page: from 0
    :param properties: comma-separated fields to return; all others are missing, even required ones
    :param pagination_data: return the records in `data`, with totals in `pagination`
    :param count: return the total in X-Total-Count
    :param after: cursor from the previous response's X-Next-Cursor
    :param q: beginnings of words to find, such as dup mar; ignores case and accents {@max 200}
    :param all: return all matching records as JSON lines (`Accept: application/x-ndjson`), CSV (`Accept: text/csv`)
        or XLSX; ignores `limit`, `page` and `pagination_data`
    """

    sqlfilters: str = ""
    sortfield: str = ""
    sortorder: str = ""
    limit: int = 100
    page: int = 0
    properties: str = ""
    pagination_data: bool = False
    count: bool = False
    after: str = ""
    q: str = ""
    all: bool = False
    #: the parameters that list fields to sort by, sum or group by
    _lists: ClassVar[tuple[str, ...]] = ("sortfield",)

    def used_fields(self) -> dict[str, set[str]]:
        """Return the fields that the filter, the sort order and the sums use, by parameter, for a service that requires
        a permission for some of its fields. Each is in lower case and has its alias: ``t.stock_reel``.

        :raises BadRequest: `sqlfilters` can't be read
        """
        used = {"sqlfilters": fields_of(parse(self.sqlfilters)) if self.sqlfilters.strip() else set()}
        for name in self._lists:
            fields = getattr(self, name).lower().split(",")
            used[name] = {with_alias(each.strip().removeprefix("-")) for each in fields}
        return used


class Page(list[dict[str, Any]]):
    """The records of one page, and the total of the list."""

    #: number of all matching records; None if it wasn't requested
    total: int | None = None
    #: cursor of the last record; empty at the end of the list
    cursor: str = ""
    #: the query
    query = ListQuery()
    #: which records the caller sees, for people; empty: all of them
    seen = ""
    #: the message of an empty list in the profile that responds with 404
    empty = ""
    #: the sums of the list, if they were asked for in place of its records
    sums: list[dict[str, Any]] | None = None

    def wrapped(self) -> dict[str, Any]:
        """Return the records with the totals, as ``pagination_data`` requests."""
        limit = page_size(self.query.limit) or max(self.total or 0, 1)
        total = self.total or 0
        return {
            "data": list(self),
            "pagination": {
                "total": total,
                "page": self.query.page,
                "page_count": -(-total // limit),
                "limit": self.query.limit,
            },
        }


def page_size(limit: int) -> int | None:
    """Return the number of rows of a page; None: unlimited.

    If 0 is unlimited in the profile, so is -1, and a lower limit is a page of 20, as in Dolibarr.
    """
    unlimited = settings().profile.limit_zero_is_all
    if limit < 0 and not unlimited:
        raise BadRequest(errors=[("limit", f"expected at least 0, got {limit}")])
    if limit <= 0:
        return (20 if limit < -1 else None) if unlimited else settings().max_page
    return min(limit, settings().max_page)


@dataclass(frozen=True)
class SortKey:
    """One column of a sort order."""

    name: str
    column: FilterColumn
    descending: bool


def sort_keys(query: ListQuery, default: str, columns: Mapping[str, FilterColumn], last: str) -> list[SortKey]:
    """Return the sort order of a list; the ID (``last``) comes last, so the order is total."""
    names = [part.strip().lower() for part in (query.sortfield or default).split(",") if part.strip()]
    orders = [part.strip().lower() for part in query.sortorder.split(",") if part.strip()]
    wrong = [order for order in orders if order not in ("asc", "desc")]
    if wrong:
        raise BadRequest(errors=[("sortorder", f"expected ASC or DESC, got {shown(wrong[0])}")])
    if len(names) > MOST_SORT_FIELDS:
        raise BadRequest(errors=[("sortfield", f"expected at most {MOST_SORT_FIELDS} fields, got {len(names)}")])
    keys: list[SortKey] = []
    order = "asc"
    for place, signed in enumerate(names):
        # A sign is the order of its field only, and `sortorder` that of the fields without one
        descends, name = signed[0] == "-", signed.removeprefix("-")
        full = with_alias(name)
        if full not in columns:
            raise BadRequest(errors=[BadRequest.unknown("sortfield", name, _known_fields(name, columns))])
        order = orders[place] if place < len(orders) else order
        keys.append(SortKey(full, columns[full], descends or order == "desc"))
    if columns[last].sql not in {key.column.sql for key in keys}:
        keys.append(SortKey(last, columns[last], keys[-1].descending if keys else order == "desc"))
    return keys


def _known_fields(name: str, columns: Mapping[str, FilterColumn]) -> str:
    """Return the field that an unknown one probably stands for, or else all of them, as the end of a message."""
    fields = tuple(each.removeprefix("t.") for each in columns)
    near = near_name(name, fields)
    return f"; did you mean {near}?" if near else f"; expected one of {joined(fields)}"


def order_by(keys: list[SortKey]) -> str:
    """The sort order as SQL. NULL is the smallest value on every database, as it is on the reference's."""
    parts = []
    for key in keys:
        order = "DESC" if key.descending else "ASC"
        # PostgreSQL would sort the table instead of reading an index if a column without NULL had it
        nulls = backend().nulls_order(descending=key.descending) if key.column.nullable else ""
        parts.append(f"{key.column.sorted} {order}{nulls}")
    return ", ".join(parts)


def behind(keys: list[SortKey], cursor: str) -> list[Condition]:
    """Return the conditions for the rows after a cursor: one, or two that are read one after the other.

    Each begins with a range of the first column, so that an index finds it anywhere in the list.
    """
    values = _read_cursor(cursor, keys)
    first, value = keys[0], values[0]
    column, mark = first.column.sorted, first.column.order(backend().placeholder)
    if len(keys) == 1:
        return [(f"{column} {'<' if first.descending else '>'} {mark}", (value,))]
    if value is None:
        rest, params = _further(keys[1:], values[1:])
        same = (f"{column} IS NULL AND ({rest})", params)
        return [same] if first.descending else [same, (f"{column} IS NOT NULL", ())]
    further, params = _further(keys, values)
    ranged = (f"{column} {'<=' if first.descending else '>='} {mark} AND ({further})", (value, *params))
    return [ranged, (f"{column} IS NULL", ())] if first.descending and first.column.nullable else [ranged]


def _further(keys: list[SortKey], values: list[Any]) -> Condition:
    """Return the condition for the rows after some values in the order of some columns."""
    alternatives: list[str] = []
    params: list[Any] = []
    same: list[str] = []
    same_params: list[Any] = []
    for key, value in zip(keys, values, strict=True):
        column, mark = key.column.sorted, key.column.order(backend().placeholder)
        if value is None:
            further, bound = ("1 = 0" if key.descending else f"{column} IS NOT NULL"), []
        elif key.descending and key.column.nullable:
            further, bound = f"({column} < {mark} OR {column} IS NULL)", [value]
        elif key.descending:
            further, bound = f"{column} < {mark}", [value]
        else:
            further, bound = f"{column} > {mark}", [value]
        alternatives.append(" AND ".join([*same, further]))
        params += [*same_params, *bound]
        same.append(f"{column} IS NULL" if value is None else f"{column} = {mark}")
        same_params += [] if value is None else [value]
    return " OR ".join(f"({part})" for part in alternatives), tuple(params)


def make_cursor(keys: list[SortKey], values: list[Any]) -> str:
    """The cursor of a row: the values it is sorted by."""
    order = [[key.name, key.descending] for key in keys]
    text = json.dumps([order, [None if value is None else str(value) for value in values]], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read_cursor(cursor: str, keys: list[SortKey]) -> list[Any]:
    order = [[key.name, key.descending] for key in keys]
    try:
        content = read_json(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if content[0] != order or len(content[1]) != len(keys):
            raise ValueError
        return [
            None if text is None else key.column.read(str(text)) for key, text in zip(keys, content[1], strict=True)
        ]
    except (ValueError, IndexError, TypeError, KeyError, binascii.Error):
        reason = f"expected the X-Next-Cursor of a list in the same order, got {shown(cursor)}"
        raise BadRequest(errors=[("after", reason)]) from None
