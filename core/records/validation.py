"""What must hold before a row is written: what must be there is there, other records exist, no value is used twice.

Each function answers all that it finds wrong; `refusals.together` makes one error of it. A record that is named and a
value that may exist once cost a statement each.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import peewee

from ..access.callers import current_caller
from ..common.errors import ApiError, wrong_fields
from ..common.request_state import current_state
from ..storage.database import backend, quote, rows_of
from ..storage.fields import MapField, RecordField
from ..storage.model import Model, meta_of
from ..storage.statements import has_other
from .refusals import already_used, no_such_record
from .row_rules import Condition, row_rule


def missing_fields(model: type[Model], names: Iterable[str], values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Which of some fields the values leave empty, where their columns hold no NULL, with the reason."""
    fields = meta_of(model).fields
    return [(name, f"`{name}` is required") for name in names if _is_nothing(fields[name], values.get(name))]


def _is_nothing(field: Any, value: Any) -> bool:
    # An empty map is kept as NULL
    return value is None or (isinstance(field, MapField) and value == {})


def own_thirdparty(model: type[Model]) -> dict[str, int]:
    """What is named for an external caller who names nothing: the field and their third party; empty: there is none."""
    caller, meta = current_caller(), meta_of(model)
    name = meta.thirdparty
    if caller is None or caller.socid is None or name not in meta.fields or meta.fields[name].primary_key:
        return {}
    return {name: caller.socid}


def absent(wrong: list[tuple[str, str]]) -> list[ApiError]:
    """Missing fields as an error, if there are any."""
    return [wrong_fields(wrong)] if wrong else []


def unknown_records(model: type[Model], values: Mapping[str, Any], known: Collection[str] = ()) -> Iterator[ApiError]:
    """The records that the values name and that do not exist, or are not the caller's to see.

    :param known: fields whose records are known to be there
    """
    fields = meta_of(model).fields
    for name, value in values.items():
        field = fields.get(name)
        if isinstance(field, RecordField) and value is not None and name not in known and not _exists(field, value):
            yield no_such_record(field, value)


def _exists(field: RecordField, value: Any) -> bool:
    """Whether the record a field names exists and the caller may see it."""
    target: Any = field.target()
    state = current_state()
    seen = state.seen if state is not None else None
    if seen is not None and (target, value) in seen:
        return True
    key = quote(meta_of(target).primary_key.column_name)
    condition: Condition = (f"t.{key} = {backend().placeholder}", (value,))
    rule = row_rule(target)
    if rule:
        condition = f"{condition[0]} AND ({rule[0]})", (*condition[1], *rule[1])
    sql = f"SELECT 1 FROM {quote(meta_of(target).table_name)} AS t WHERE {condition[0]}"
    there = bool(rows_of(sql, condition[1]))
    if there and seen is not None:
        seen.add((target, value))
    return there


def used_values(model: type[Model], noun: str, values: Mapping[str, Any], before: Model | None) -> Iterator[ApiError]:
    """The values that another row has and that may exist once.

    :param values: what is written; of a change only what differs
    :param before: the row as it stands; None when it is created
    """
    fields = meta_of(model).fields
    for name in values:
        field = fields.get(name)
        if field is not None and (field.unique or field.primary_key):
            yield from _used(model, noun, {name: values[name]}, before)


def used_sets(model: type[Model], noun: str, values: Mapping[str, Any], before: Model | None) -> Iterator[ApiError]:
    """The values that another row has and that may exist once together (`Meta.indexes`).

    They are looked for where something else is wrong; else the database says it, which costs no statement.
    """
    meta = meta_of(model)
    for names in _unique_sets(meta):
        if before is None:
            yield from _used(model, noun, {name: values.get(name, meta.fields[name].default) for name in names}, before)
        elif values.keys() & set(names):
            yield from _used(model, noun, {name: values.get(name, getattr(before, name)) for name in names}, before)


def _used(model: type[Model], noun: str, values: Mapping[str, Any], before: Model | None) -> Iterator[ApiError]:
    # NULL is no value, and what a function or an expression gives is not known yet
    if any(value is None or callable(value) or isinstance(value, peewee.Node) for value in values.values()):
        return
    if has_other(model, values, None if before is None else getattr(before, meta_of(model).primary_key.name)):
        yield already_used(noun, values)


def _unique_sets(meta: Any) -> Iterator[tuple[str, ...]]:
    for index in meta.indexes:
        if isinstance(index, (tuple, list)) and len(index) == 2 and index[1]:
            names = [index[0]] if isinstance(index[0], str) else index[0]
            if all(name in meta.combined for name in names):
                yield tuple(meta.combined[name].name for name in names)
