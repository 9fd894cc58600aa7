"""Dates as ISO 8601 in the records of a response (``?dates=iso``)."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Any, get_args

import peewee

from ..common.days import day_of
from ..common.readers import EPOCH, SECOND
from ..contract.relations import Shape
from ..records.extra_fields import PREFIX, definitions
from ..storage.model import meta_of

Record = dict[str, Any]
_EXTRAS = "array_options"


@dataclass(frozen=True)
class Keys:
    """The keys of a model's records that are dates.

    :param days: those of calendar days
    :param instants: those of instants
    """

    days: frozenset[str]
    instants: frozenset[str]


@cache
def keys_of(model: Any) -> Keys:
    """Return these keys of a model's records."""
    meta = meta_of(model)
    names = {**{name: name for name in meta.fields}, **meta.aliases}
    fields = {key: meta.fields[name] for key, name in names.items() if name in meta.fields}
    days = {key for key, field in fields.items() if isinstance(field, peewee.DateField)}
    instants = {key for key, field in fields.items() if isinstance(field, peewee.DateTimeField)}
    hints = typing.get_type_hints(meta.answers, include_extras=True) if meta.answers is not None else {}
    days |= {key for key, hint in hints.items() if date in get_args(hint)}
    instants |= {key for key, hint in hints.items() if datetime in get_args(hint)}
    return Keys(frozenset(days), frozenset(instants))


def with_iso_dates(record: Record, shape: Shape, below: Mapping[str, Any]) -> Record:
    """Return a record with ISO 8601 dates instead of Unix seconds; it isn't changed in place.

    :param below: the views of the records in it, by key
    """
    keys = keys_of(shape.model)
    return {key: _shown(key, value, keys, shape, below) for key, value in record.items()}


def _shown(key: str, value: Any, keys: Keys, shape: Shape, below: Mapping[str, Any]) -> Any:
    if key in keys.days:
        return _as_day(value)
    if key in keys.instants:
        return _as_instant(value)
    view = below.get(key)
    if key in shape.parts and isinstance(value, list):
        inner, further = Shape(shape.parts[key]), view.below if view is not None else {}
        return [with_iso_dates(each, inner, further) for each in value]
    if view is not None and isinstance(value, dict):
        return with_iso_dates(value, view.shape, view.below)
    if key == _EXTRAS and isinstance(value, dict):
        kinds = {PREFIX + name: each.type for name, each in definitions(meta_of(shape.model).extrafields).items()}
        reads = {"date": _as_day, "datetime": _as_instant}
        return {key: reads[kinds[key]](each) if kinds.get(key) in reads else each for key, each in value.items()}
    return value


def _as_day(value: Any) -> Any:
    """Return a day, sent as the Unix seconds of its midnight, as ``2026-11-21``."""
    seconds = _seconds(value)
    return value if seconds is None else day_of(seconds).isoformat()


def _as_instant(value: Any) -> Any:
    """Return an instant as ``2026-11-21T10:00:00Z``."""
    seconds = _seconds(value)
    return value if seconds is None else f"{(EPOCH + seconds * SECOND).isoformat()}Z"


def _seconds(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    text = str(value)
    return int(text) if text.lstrip("-").isdecimal() else None
