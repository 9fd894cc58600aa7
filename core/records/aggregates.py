"""Counting and adding up records in the database: with row rules, and exactly on every database."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, localcontext
from types import MappingProxyType
from typing import Any

import peewee

from ..common.errors import wrong_fields
from ..storage.database import backend, ensure_connected, rows_of
from ..storage.fields import ExactField
from ..storage.sqlfilters import FilterColumn
from .reader import M, Reader
from .row_rules import Condition
from .select_plans import SelectPlan

#: ``"count"``, or what is worked out of a field: ``("sum", "hours")``
Measure = str | tuple[str, str]

#: what may be worked out of a field
KINDS = ("sum", "min", "max")
_NUMBERS = (ExactField, peewee.IntegerField)
_ORDERED = (*_NUMBERS, peewee.DateField, peewee.DateTimeField)
#: a sum may have more digits than the 28 with which is computed elsewhere
_EXACTLY = Context(prec=200, rounding=ROUND_HALF_UP)
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Aggregates(Reader[M]):
    """Numbers about the records that the caller may see; each call is one statement."""

    def count(self, where: Mapping[str, Any] = _NOTHING, sqlfilters: str = "") -> int:
        """How many records there are.

        :param where: field → value, or several values, that they must have
        :param sqlfilters: further conditions, as in a list
        :raises BadRequest: a filter that cannot be used
        """
        ((number,),) = self._aggregate(["COUNT(*)"], where, sqlfilters)
        return int(number)

    def sum(self, field: str, where: Mapping[str, Any] = _NOTHING, sqlfilters: str = "") -> Any:
        """The sum of a field, exactly: a `Decimal` with the decimals of an `ExactField`, an int of whole numbers.

        Of no records, and of those that have no value there, it is 0. It may be larger than what a column holds.

        :param field: a field that the caller may see, or one of `joins`, such as ``"b.km"``
        :param where: field → value, or several values, that the records must have
        :param sqlfilters: further conditions, as in a list
        :raises BadRequest: a field or a filter that cannot be used
        """
        return self.group((), where, sqlfilters, total=("sum", field))[0]["total"]

    def group(
        self,
        by: str | Collection[str],
        where: Mapping[str, Any] = _NOTHING,
        sqlfilters: str = "",
        **measures: Measure,
    ) -> list[dict[str, Any]]:
        """Records put together by the values of fields: ``group("user", total=("sum", "hours"), number="count")``.

        :param by: a field that the caller may see, several of them, or none: all records are one group then. One of
            `joins`, such as ``"b.name"``, and an extra field, ``"ef.colour"``, are fields, too
        :param where: field → value, or several values, that the records must have
        :param sqlfilters: further conditions, as in a list
        :param measures: what is told of each group, under a name of yours: ``"count"``, ``("sum", field)``,
            ``("min", field)``, ``("max", field)``
        :returns: a dict for each group, in the order of their values (None first): the fields that it is put together
            by, and the measures, in Python's types. Texts are told apart letter by letter. Without records there is no
            group, and where no field is named one with 0 in its counts and sums, None in the others
        :raises BadRequest: a field, a measure or a filter that cannot be used
        """
        ensure_connected()
        names = [by] if isinstance(by, str) else [*by]
        plan = self.select_plan()
        keys = {name: _column(plan, name) for name in names}
        wanted = [_measure(plan, name, measure) for name, measure in measures.items()]
        grouped = [column.sql for column in keys.values()]
        selected = [*grouped, *(part for each in wanted for part in each.sql)]
        used = [*names, *(measure[1] for measure in measures.values() if not isinstance(measure, str))]
        rows = self._aggregate(selected or ["1"], where, sqlfilters, used, grouped)
        groups = [_group(row, keys, wanted) for row in rows]
        # None first; a dict has no order
        groups.sort(
            key=lambda group: [
                (value is not None, value if not isinstance(value, dict) else str(value))
                for value in map(group.get, names)
            ]
        )
        return groups

    def _aggregate(
        self,
        selected: list[str],
        where: Mapping[str, Any],
        sqlfilters: str,
        used: Collection[str] = (),
        keys: Collection[str] = (),
    ) -> list[tuple[Any, ...]]:
        ensure_connected()
        plan = self.select_plan()
        conditions: list[Condition] = [self._equals(plan, name, value) for name, value in where.items()]
        joins = {join for alias, join in plan.joins.items() if any(name.lower().startswith(alias) for name in used)}
        if sqlfilters.strip():
            condition, needed = plan.filter(sqlfilters)
            conditions.append(condition)
            joins.update(needed)
        found, params = self._visible(*conditions)
        sql = f"SELECT {', '.join(selected)} FROM {plan.source}{''.join(sorted(joins))} WHERE {found}"
        return rows_of(f"{sql} GROUP BY {', '.join(keys)}" if keys else sql, params)


@dataclass(frozen=True)
class _Measure:
    """What is told of a group.

    :param sql: what is selected for it
    """

    name: str
    kind: str
    sql: tuple[str, ...]
    field: Any = None

    def value(self, parts: tuple[Any, ...]) -> Any:
        """What the database answers, in Python's type."""
        if self.kind == "count":
            return int(parts[0])
        if self.kind != "sum":
            return self.field.python_value(parts[0])
        # The upper part and the lower 32 bits (`Backend.sum_columns`)
        total = (int(parts[0] or 0) << 32) + int(parts[1] or 0) if len(parts) == 2 else parts[0] or 0
        if not isinstance(self.field, ExactField):
            return int(total)
        with localcontext(_EXACTLY):
            return self.field.python_value(total)


def _measure(plan: SelectPlan, name: str, measure: Measure) -> _Measure:
    if measure == "count":
        return _Measure(name, "count", ("COUNT(*)",))
    kind, field = measure if isinstance(measure, tuple) and len(measure) == 2 else (str(measure), "")
    if kind not in KINDS or not field:
        reason = f'expected "count", or one of {", ".join(KINDS)} with a field; got {measure!r:.80}'
        raise wrong_fields([(name, reason)])
    column = _column(plan, field)
    kinds = _NUMBERS if kind == "sum" else _ORDERED
    if not isinstance(column.field, kinds):
        expected = "whole numbers or exact decimals" if kind == "sum" else "numbers, dates or times"
        raise wrong_fields([(field, f"expected a field with {expected}")])
    if kind != "sum":
        return _Measure(name, kind, (f"{kind.upper()}({column.sql})",), column.field)
    return _Measure(name, kind, backend().sum_columns(column.sql), column.field)


def _column(plan: SelectPlan, name: str) -> FilterColumn:
    """A field by its name, alone or behind ``t.`` or a join's alias; what is secret is as unknown as what is not."""
    text = str(name).lower()
    column = plan.open_columns.get(text if "." in text else f"t.{text}")
    if column is None:
        raise wrong_fields([(str(name)[:80], "unknown field")])
    return column


def _group(row: tuple[Any, ...], keys: Mapping[str, FilterColumn], wanted: list[_Measure]) -> dict[str, Any]:
    group: dict[str, Any] = {
        name: column.field.python_value(kept) for (name, column), kept in zip(keys.items(), row, strict=False)
    }
    at = len(keys)
    for each in wanted:
        group[each.name] = each.value(row[at : at + len(each.sql)])
        at += len(each.sql)
    return group
