"""Sums of a list: the exact sums of fields, over all records that the list would return, by group."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, ClassVar

import peewee

from ..common.errors import BadRequest, joined, meant
from ..storage.database import backend, quote, rows_of
from ..storage.fields import EXACT, ExactField, RecordField
from ..storage.model import Model, meta_of
from ..storage.sqlfilters import FilterColumn, with_alias
from ..storage.values import as_column, codec
from .aggregates import aggregate_statement
from .lists import ListQuery, Page
from .row_rules import seen_rows
from .select_plans import SelectPlan

#: a value of `Records.amounts`
Amount = str | tuple[type[Model], str, str] | tuple[type[Model], str, str, str]

#: groups of one response
MOST_GROUPS = 10_000

#: the key with the number of records
COUNT = "count"

_NUMBERS = (ExactField, peewee.IntegerField)
_SIGNS = {"+": 1, "-": -1}


@dataclass(frozen=True)
class SumQuery(ListQuery):
    """The parameters of the sums of a list: its filters, and what is summed.

    :param fields: comma-separated fields to sum
    :param group: comma-separated fields to group by
    """

    fields: str = ""
    group: str = ""
    _lists: ClassVar[tuple[str, ...]] = ("sortfield", "fields", "group")


@dataclass(frozen=True)
class _Term:
    """An amount that one statement sums.

    :param sql: the SQL of its column
    :param beside: the join of the table with the amount; empty: it is the record's own
    :param name: the name of the record's own amount
    """

    sql: str
    # The field of an extra field belongs to no model, and can't be hashed
    field: peewee.Field = dataclasses.field(compare=False)
    beside: str = ""
    name: str = ""

    def value(self, found: Any) -> Any:
        """Return a sum in Python's type."""
        return self.field.sum_value(found) if isinstance(self.field, ExactField) else int(backend().read_sum(found))


def summable(model: type[Model], amounts: Mapping[str, Amount]) -> list[str]:
    """Return the names of the amounts of records: exact decimals, and computed ones."""
    meta = meta_of(model)
    own = [name for name, field in meta.fields.items() if isinstance(field, ExactField) and name not in meta.secret]
    return list(dict.fromkeys((*own, *amounts)))


def check_amounts(model: type[Model], amounts: Mapping[str, Amount]) -> None:
    """Check the computed amounts of a class.

    :raises ValueError: one has an unknown name, a field that can't be summed, or itself in its formula
    """
    fields = meta_of(model).fields

    def check(name: str, within: tuple[str, ...]) -> None:
        amount = amounts.get(name)
        if isinstance(amount, str):
            words = amount.split()
            if (
                name in within
                or len(words) % 2 == 0
                or any((word in _SIGNS) != bool(place % 2) for place, word in enumerate(words))
            ):
                raise ValueError(
                    f"amounts[{name!r}]: expected a formula of other amounts, such as 'a - b', got {amount!r}"
                )
            for word in words[::2]:
                check(word, (*within, name))
        else:
            field = meta_of(amount[0]).fields.get(amount[2]) if amount else fields.get(name)
            if not _is_summable(field):
                raise ValueError(
                    f"amounts: {name} isn't an exact decimal or a whole number{meant(name, [*fields, *amounts])}"
                )

    for name in amounts:
        check(name, ())


def _is_summable(field: Any) -> bool:
    return isinstance(field, _NUMBERS) and not isinstance(field, RecordField)


def summed_page(plan: SelectPlan, amounts: Mapping[str, Amount], query: SumQuery, where: Mapping[str, Any]) -> Page:
    """Return a page without records, and with the sums of the list."""
    page = Page()
    page.query, page.sums = query, sums(plan, amounts, query, where)
    page.seen = seen_rows(plan.model)
    return page


def sums(
    plan: SelectPlan, amounts: Mapping[str, Amount], query: SumQuery, where: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the sums of the records that the caller may see: a dict for each group, as a response has it.

    :param amounts: the computed ones, as in `Records.amounts`
    :raises BadRequest: a field or a filter that can't be used, or too many groups
    """
    reader = _Reader(plan, amounts)
    columns = {name: reader.column("group", name) for name in _names(query.group)}
    formulas = {name: reader.formula(name) for name in _names(query.fields)}
    for parameter, names in (("group", columns), ("fields", formulas)):
        if COUNT in names:
            reader.errors.append((parameter, f"expected another field: {COUNT} is the number of records"))
    if reader.errors:
        raise BadRequest(errors=reader.errors)
    terms = list(dict.fromkeys(term for formula in formulas.values() for term in formula))
    # The records' own amounts first: a group may have no row in the other tables
    tables = list(dict.fromkeys(("", *(each.beside for each in terms))))
    counts, found = dict[Any, int](), dict[tuple[Any, _Term], Any]()
    for place, group, count, values in _rows(plan, query, where, columns, terms, tables):
        if place == 0:
            counts[group] = count
        together = [each for each in terms if each.beside == tables[place]]
        found |= {(group, term): term.value(value) for term, value in zip(together, values, strict=False)}
    if len(counts) > MOST_GROUPS:
        raise BadRequest(errors=[("group", f"expected at most {MOST_GROUPS:,} groups, got more; use a filter")])
    return [
        {name: _answer(column.field, kept) for (name, column), kept in zip(columns.items(), group, strict=True)}
        | {COUNT: counts[group]}
        | {name: _total(formula, group, found) for name, formula in formulas.items()}
        for group in sorted(counts, key=lambda group: _order(columns.values(), group))
    ]


def _rows(
    plan: SelectPlan,
    query: SumQuery,
    where: Mapping[str, Any],
    columns: Mapping[str, FilterColumn],
    terms: list[_Term],
    tables: list[str],
) -> Iterable[tuple[int, tuple[Any, ...], int, tuple[Any, ...]]]:
    """Yield the rows of one statement, which sees one state of all tables.

    Each has the place of its table, the values of its group's fields, the number of its rows, and its sums as the
    database has them.
    """
    grouped, statements, params = [each.sql for each in columns.values()], list[str](), list[Any]()
    for place, beside in enumerate(tables):
        together = [each for each in terms if each.beside == beside]
        summed = [backend().exact_sum(each.sql) for each in together] + ["0"] * (len(terms) - len(together))
        sql, values = aggregate_statement(
            plan, [str(place), *grouped, "COUNT(*)", *summed], where, query.sqlfilters,
            [*columns, *(each.name for each in together)], grouped, q=query.q, beside=beside,
        )  # fmt: skip
        statements.append(sql)
        params += values
    most = (MOST_GROUPS + 1) * len(tables)
    for row in rows_of(f"{' UNION ALL '.join(statements)} LIMIT {most}", tuple(params)):
        yield int(row[0]), tuple(row[1 : len(grouped) + 1]), int(row[len(grouped) + 1]), tuple(row[len(grouped) + 2 :])


class _Reader:
    """Reads names of fields and amounts.

    :ivar errors: what is wrong with them
    """

    def __init__(self, plan: SelectPlan, amounts: Mapping[str, Amount]) -> None:
        self.plan, self.amounts = plan, amounts
        self.errors: list[tuple[str, str]] = []

    def column(self, parameter: str, name: str) -> FilterColumn:
        """Return a field that the caller may see."""
        columns = self.plan.open_columns
        text = name.lower()
        if found := columns.get(with_alias(text)):
            return found
        known = [each.removeprefix("t.") for each in columns]
        known += self.amounts if parameter == "fields" else []
        rest = meant(name, known) or f"; expected one of {joined(known)}"
        self.errors.append(BadRequest.unknown(parameter, name, rest))
        return columns[self.plan.key_name]

    def formula(self, name: str) -> dict[_Term, int]:
        """Return the terms of an amount with their signs."""
        amount = self.amounts.get(name)
        if amount is None:
            column = self.column("fields", name)
            if not _is_summable(column.field):
                self.errors.append(("fields", f"expected exact decimals or whole numbers, got {name}"))
            return {_Term(column.sql, column.field, name=name): 1}
        if not isinstance(amount, str):
            return {self._of_other(*amount): 1}
        terms: dict[_Term, int] = {}
        sign = 1
        for word in amount.split():
            if word in _SIGNS:
                sign = _SIGNS[word]
            else:
                for term, own in self.formula(word).items():
                    terms[term] = terms.get(term, 0) + sign * own
        return terms

    def _of_other(self, model: type[Model], through: str, name: str, condition: str = "") -> _Term:
        meta = meta_of(model)
        column, field = quote(meta.fields[through].column_name), meta.fields[name]
        key = f"other.{column} = t.{quote(self.plan.key)}"
        beside = f" JOIN {quote(meta.table_name)} AS other ON {key}" + (f" AND {condition}" if condition else "")
        return _Term(f"other.{quote(field.column_name)}", field, beside)


def _names(text: str) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def _answer(field: peewee.Field, kept: Any) -> Any:
    convert = codec(field).answer
    return kept if convert is None else convert(kept)


def _total(formula: Mapping[_Term, int], group: tuple[Any, ...], found: Mapping[tuple[Any, _Term], Any]) -> Any:
    """Return an amount of a group as a response has it."""
    values = [(sign, found.get((group, term), 0)) for term, sign in formula.items()]
    exact = [term.field for term in formula if isinstance(term.field, ExactField)]
    if not exact:
        return sum(sign * value for sign, value in values)
    total = EXACT.create_decimal(0)
    for sign, value in values:
        total = EXACT.add(total, sign * value)
    return as_column(max(exact, key=attrgetter("scale")), total)


def _order(columns: Iterable[FilterColumn], group: tuple[Any, ...]) -> list[tuple[bool, Any]]:
    """Return what a group is sorted by: its values, None first."""
    values = (column.field.python_value(kept) for column, kept in zip(columns, group, strict=True))
    return [(value is not None, str(value) if isinstance(value, dict) else value) for value in values]
