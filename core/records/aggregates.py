"""Counts and sums of records, computed by the database: with row rules, and exact on every database."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import peewee

from ..common.errors import BadRequest, Reason
from ..storage.database import backend, rows_of
from ..storage.fields import ExactField
from ..storage.sqlfilters import FilterColumn, with_alias
from .paging import filter_conditions, searched
from .row_rules import Condition
from .select_plans import SelectPlan

#: ``"count"``, or a computation over a field: ``("sum", "hours")``
Measure = str | tuple[str, str]

#: computations over a field
KINDS = ("sum", "min", "max")
_NUMBERS = (ExactField, peewee.IntegerField)
_ORDERED = (*_NUMBERS, peewee.DateField, peewee.DateTimeField)


def aggregate_groups(
    plan: SelectPlan, by: Collection[str], where: Mapping[str, Any], sqlfilters: str, measures: Mapping[str, Measure]
) -> list[dict[str, Any]]:
    """Return the groups of the records that the caller may see, as `Records.group` describes.

    :param by: fields that the records are grouped by
    :raises BadRequest: a field, a measure or a filter that can't be used
    """
    keys = {name: _column(plan, name) for name in by}
    wanted = [_measure(plan, name, measure) for name, measure in measures.items()]
    grouped = [column.sql for column in keys.values()]
    selected = [*grouped, *(each.sql for each in wanted)]
    used = [*by, *(measure[1] for measure in measures.values() if not isinstance(measure, str))]
    rows = rows_of(*aggregate_statement(plan, selected or ["1"], where, sqlfilters, used, grouped))
    groups = [_group(row, keys, wanted) for row in rows]
    # None first; a dict has no order
    groups.sort(
        key=lambda group: [
            (value is not None, value if not isinstance(value, dict) else str(value)) for value in map(group.get, by)
        ]
    )
    return groups


def aggregate_statement(
    plan: SelectPlan,
    selected: Collection[str],
    where: Mapping[str, Any],
    sqlfilters: str,
    used: Collection[str] = (),
    grouped: Collection[str] = (),
    *,
    q: str = "",
    beside: str = "",
) -> Condition:
    """Return the SELECT of aggregates over the records that the caller may see, and its values.

    :param used: the fields in `selected`
    :param grouped: the SQL of the columns to group by
    :param q: words to find
    :param beside: the SQL of a further join
    """
    conditions, joins = filter_conditions(plan, where, sqlfilters)
    joins.update(join for alias, join in plan.joins.items() if any(name.lower().startswith(alias) for name in used))
    found, params = searched(plan, plan.visible(*conditions), q)
    sql = f"SELECT {', '.join(selected)} FROM {plan.source}{''.join(sorted(joins))}{beside} WHERE {found}"
    return sql + (f" GROUP BY {', '.join(grouped)}" if grouped else ""), params


@dataclass(frozen=True)
class _Measure:
    """A value of each group, and the SQL that finds it."""

    name: str
    kind: str
    sql: str
    field: Any = None

    def value(self, found: Any) -> Any:
        """Return the value in Python's type."""
        if self.kind == "count":
            return int(found)
        if self.kind != "sum":
            return self.field.python_value(found)
        return self.field.sum_value(found) if isinstance(self.field, ExactField) else int(backend().read_sum(found))


def _measure(plan: SelectPlan, name: str, measure: Measure) -> _Measure:
    if measure == "count":
        return _Measure(name, "count", "COUNT(*)")
    kind, field = measure if isinstance(measure, tuple) and len(measure) == 2 else (str(measure), "")
    if kind not in KINDS or not field:
        reason = f'expected "count", or one of {", ".join(KINDS)} with a field; got {measure!r:.80}'
        raise BadRequest(errors=[(name, reason)])
    column = _column(plan, field)
    kinds = _NUMBERS if kind == "sum" else _ORDERED
    if not isinstance(column.field, kinds):
        expected = "whole numbers or exact decimals" if kind == "sum" else "numbers, dates or times"
        raise BadRequest(errors=[(field, f"expected a field with {expected}")])
    sql = backend().exact_sum(column.sql) if kind == "sum" else f"{kind.upper()}({column.sql})"
    return _Measure(name, kind, sql, column.field)


def _column(plan: SelectPlan, name: str) -> FilterColumn:
    """Return a field by its name, with or without an alias; a secret field is unknown."""
    text = str(name).lower()
    column = plan.open_columns.get(with_alias(text))
    if column is None:
        raise BadRequest(errors=[(str(name)[:80], Reason("unknown field", word="unknown_field"))])
    return column


def _group(row: tuple[Any, ...], keys: Mapping[str, FilterColumn], wanted: list[_Measure]) -> dict[str, Any]:
    group: dict[str, Any] = {
        name: column.field.python_value(kept) for (name, column), kept in zip(keys.items(), row, strict=False)
    }
    return group | {each.name: each.value(found) for each, found in zip(wanted, row[len(keys) :], strict=True)}
