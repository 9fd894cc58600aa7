"""Plain data as JSON, and the tag that identifies its state."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import orjson
import peewee

from ..common.days import seconds_of_day
from .values import codec, seconds_of

#: what stands behind the state of a record in a tag, see `with_state`
_SHOWN = re.compile(r'-[0-9a-f]{24}"')

_OPTIONS = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_SUBCLASS


def _plain(value: Any) -> Any:
    """What JSON has no type for: a decimal becomes text, an instant its Unix seconds, a row its fields."""
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, date):
        return seconds_of(value) if isinstance(value, datetime) else seconds_of_day(value)
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    if isinstance(value, peewee.Model):
        return row_fields(value)
    for base in (str, int, dict, list):
        if isinstance(value, base):
            # a subclass of a plain type
            return base(value)  # type: ignore[arg-type]
    if hasattr(value, "__iter__"):
        return list(value)
    raise TypeError(f"{type(value).__name__} can't be converted to JSON; return plain data")


def row_fields(row: Any) -> dict[str, Any]:
    """A row as the record that is answered, without what is secret."""
    fields = row._meta.fields
    record = {}
    for name in row._meta.sorted_field_names:
        if name not in getattr(row._meta, "secret", ()):
            answer = codec(fields[name]).answer
            value = fields[name].db_value(row.__data__.get(name))
            record[name] = answer(value) if answer else value
    return record


def to_json(value: Any) -> bytes:
    """A value as JSON."""
    try:
        return orjson.dumps(value, _plain, _OPTIONS)
    except orjson.JSONEncodeError as error:
        # Whole numbers beyond 64 bits are JSON too
        if "Integer exceeds" in str(error):
            return json.dumps(value, default=_plain, ensure_ascii=False, separators=(",", ":")).encode()
        raise


def etag_of(content: bytes) -> str:
    """The entity tag of an answer: another state of the record has another one."""
    return f'"{hashlib.sha256(content).hexdigest()[:24]}"'


def names_etag(header: str, tag: str) -> bool:
    """Whether an `If-Match` or `If-None-Match` names a tag; a proxy that compresses may have weakened it."""
    tags = {each.strip().removeprefix("W/") for each in header.split(",")}
    return bool(tags & {tag, "*"})


def with_state(tag: str, state: str) -> str:
    """The tag of an answer that shows a record otherwise than it is read: behind that of the record's own state.

    :param state: the record's own tag; empty: the answer is the record
    """
    return f"{state[:-1]}-{tag[1:]}" if state else tag


def names_state(header: str, tag: str) -> bool:
    """Whether an `If-Match` names a state of a record, in whatever way the record was shown."""
    return names_etag(_SHOWN.sub('"', header), tag)
