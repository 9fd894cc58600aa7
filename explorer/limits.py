"""The limits, defaults and examples of docstrings as JSON Schema."""

from __future__ import annotations

import json
import math
from datetime import date
from decimal import Decimal
from typing import Any

from core.contract.annotations import ParameterNote
from core.contract.catalogue import Input
from core.storage.values import SECONDS

from .field_schemas import Schema, choices

_FORMATS: dict[str, Schema] = {
    "email": {"format": "email"},
    "url": {"format": "uri"},
    "uuid": {"format": "uuid"},
    "date": {"format": "date"},
    "time": {"format": "time"},
    "color": {"pattern": "^#?[0-9a-fA-F]{6}$"},
    "hex": {"pattern": "^[0-9a-fA-F]*$"},
    "alpha": {"pattern": "^[A-Za-z]*$"},
    "alphanumeric": {"pattern": "^[A-Za-z0-9]*$"},
}


def limited(schema: Schema, each: Input) -> Schema:
    """A schema with the limits that the docstring sets."""
    schema = {**schema, **_limits(schema, each.note)} if each.note.validate else dict(schema)
    if each.note.label:
        schema["title"] = each.note.label
    if each.note.meanings:
        schema["x-values"] = dict(each.note.meanings)
    if each.note.example:
        is_text = schema.get("type") == "string"
        schema["examples"] = [each.note.example if is_text else _read_example(each.note.example)]
    default = _plain_default(each.default)
    if not each.required and _fits(default, schema):
        schema["default"] = default
    return schema


def _read_example(words: str) -> Any:
    """Return an example parsed as JSON, or the text if it isn't JSON."""
    try:
        return json.loads(words)
    except ValueError:
        return words


def _fits(default: Any, schema: Schema) -> bool:
    """Return whether to publish a default: one that no request could send only marks a missing value."""
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return _NAMES.get(type(default), "") in kinds and default in schema.get("enum", [default])


_NAMES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}


def _limits(schema: Schema, note: ParameterNote) -> Schema:
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    numeric = {"integer", "number"} & set(kinds)
    least, most = next(
        (names for kind, names in _LIMITS if kind in kinds),
        ("minimum", "maximum"),
    )
    limits: Schema = {}
    if note.minimum is not None:
        limits[least] = _number(note.minimum)
        if note.minimum >= 0 and str(schema.get("pattern", "")).startswith("^-?"):
            # A number may be written as text, which has no minimum
            limits["pattern"] = schema["pattern"].replace("-?", "", 1)
    if note.maximum is not None:
        limits[most] = _number(note.maximum)
    if note.choices and "array" not in kinds:
        limits |= choices([int(each) for each in note.choices] if _all_numbers(note, numeric) else note.choices)
    if note.pattern and "string" in kinds and not numeric:
        if note.pattern.startswith("(?i)"):
            # JSON Schema's expressions have no such flag
            limits["description"] = f"matches {note.pattern[4:]}, ignoring case"
        else:
            limits["pattern"] = note.pattern
    if note.kind and kinds == ["string"]:
        limits |= _FORMATS.get(note.kind, {})
    if note.kind == "timestamp" and "integer" in kinds:
        limits |= {"format": SECONDS["format"]}
    return limits


_LIMITS = (
    ("integer", ("minimum", "maximum")),
    ("number", ("minimum", "maximum")),
    ("string", ("minLength", "maxLength")),
    ("array", ("minItems", "maxItems")),
)


def _all_numbers(note: ParameterNote, numeric: set[str]) -> bool:
    return "integer" in numeric and all(each.lstrip("-").isdigit() for each in note.choices)


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _plain_default(value: Any) -> Any:
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (bool, int, float, str, list, dict)) else None
