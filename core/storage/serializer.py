"""Plain data as JSON, and its entity tag."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import Any

import orjson
import peewee

from ..common.days import seconds_of_day
from .values import codec, seconds_of

#: the second part of a tag, see `with_state`
_SHOWN = re.compile(r'-[0-9a-f]{24}"')

_OPTIONS = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_SUBCLASS


class NotPlain(TypeError):
    """A value that JSON has no type for."""


def _plain(read: dict[int, list[Any]], value: Any) -> Any:
    """Return a value that JSON has a type for: decimals as text, instants as Unix seconds, rows as maps.

    :param read: ID of an iterator → its values, which can't be read twice
    """
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
            # A subclass of a plain type
            return base(value)  # type: ignore[arg-type]
    if hasattr(value, "__iter__") and not isinstance(value, (bytes, bytearray, memoryview)):
        try:
            return read.get(id(value)) or read.setdefault(id(value), list(value))
        except BaseException:
            # Caught once, it has its traceback, which orjson would lose
            raise
    raise NotPlain(f"{type(value).__name__} can't be converted to JSON; return plain data")


def row_fields(row: Any) -> dict[str, Any]:
    """Return the record of a row, without secret fields."""
    fields = row._meta.fields
    record = {}
    for name in row._meta.sorted_field_names:
        if name not in getattr(row._meta, "secret", ()):
            answer = codec(fields[name]).answer
            value = fields[name].db_value(row.__data__.get(name))
            record[name] = answer(value) if answer else value
    return record


def to_json(value: Any) -> bytes:
    """Return a value as JSON."""
    plain = partial(_plain, {})
    try:
        return orjson.dumps(value, plain, _OPTIONS)
    except orjson.JSONEncodeError as error:
        # JSON also has whole numbers beyond 64 bits. Names of files may have lone surrogates, which UTF-8 hasn't
        if any(each in str(error) for each in ("Integer exceeds", "surrogates")):
            return json.dumps(value, default=plain, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
        raise


def etag_of(content: bytes) -> str:
    """Return the entity tag of a response: another state of the record has another one."""
    return f'"{hashlib.sha256(content).hexdigest()[:24]}"'


def names_etag(header: str, tag: str) -> bool:
    """Return whether an `If-Match` or `If-None-Match` has a tag; a proxy that compresses may have made it weak."""
    tags = {each.strip().removeprefix("W/") for each in header.split(",")}
    return bool(tags & {tag, "*"})


def with_state(tag: str, state: str) -> str:
    """Return the tag of a response that shows a record in another form: the record's own tag and that of the form.

    :param state: the record's own tag; empty: the response is the record
    """
    return f"{state[:-1]}-{tag[1:]}" if state else tag


def names_state(header: str, tag: str) -> bool:
    """Return whether an `If-Match` has the state of a record, whatever the form it was shown in."""
    return names_etag(_SHOWN.sub('"', header), tag)
