"""Example bodies, made from schemas."""

from __future__ import annotations

import math
from typing import Any

from .field_schemas import MOMENT, Schema

#: number of fields in an example if no field is required
_SHOWN = 3
#: maximum length of an example in characters, even if an author sets a larger minimum
_LONGEST = 1000
#: the date in examples; documents contain it as well, and the page replaces it with the current date
DAY = "2026-11-21"
_SECONDS_OF_DAY = 1795219200
_FORMATS = {"email": "somebody@example.org", "uri": "https://example.org", "date": DAY, "time": "10:30:00"}


def example(schema: Schema, named: dict[str, Schema], around: tuple[str, ...] = ()) -> Any:
    """Return an example body: the required fields, or else the first few.

    :param named: the named schemas
    :param around: the names of the enclosing schemas; a nested record of the same kind is left empty
    """
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return {} if name in around else example(named[name], named, (*around, name))
    if "allOf" in schema:
        return {name: value for part in schema["allOf"] for name, value in example(part, named, around).items()}
    if "anyOf" in schema and "examples" not in schema:
        return example(schema["anyOf"][0], named, around)
    if _is_said(schema):
        return scalar(schema)
    kind = _kind(schema)
    if kind == "object":
        properties: dict[str, Schema] = schema.get("properties", {})
        given: dict[str, Any] = schema.get("examples", [{}])[0]
        shown = [name for name, each in properties.items() if "examples" in each]
        first = [name for name in properties if name != "entity" and not given and not shown][:_SHOWN]
        names = [*schema.get("required", first), *shown]
        return given | {name: example(properties[name], named, around) for name in names if name not in given}
    if kind == "array":
        return [example(schema["items"], named, around)] if schema.get("items") else []
    return scalar(schema)


def _is_said(schema: Schema) -> bool:
    return ("examples" in schema and schema.get("type") != "object") or "default" in schema or "enum" in schema


def _kind(schema: Schema) -> str:
    kind: str | list[str] = schema.get("type", "object")
    if isinstance(kind, str):
        return kind
    return "string" if schema.get("format") == MOMENT["format"] and "string" in kind else kind[0]


def scalar(schema: Schema) -> Any:
    """Return a scalar value of a schema: an example, a default, or any value that fits."""
    if "examples" in schema and schema.get("type") != "object":
        return schema["examples"][0]
    if "default" in schema:
        return schema["default"]
    if "enum" in schema:
        return schema["enum"][0]
    kind = _kind(schema)
    if schema.get("format") == MOMENT["format"]:
        return DAY if kind == "string" else _SECONDS_OF_DAY
    if kind in ("integer", "number"):
        # 1, or the nearest to it within the limits: the minimum is often just that of the column
        return min(max(1, schema.get("minimum", 1)), schema.get("maximum", math.inf))
    return {"boolean": True, "null": None}.get(kind, _text(schema))


def _text(schema: Schema) -> str:
    text = _FORMATS.get(schema.get("format", ""), "text")
    return text[: schema.get("maxLength", len(text))].ljust(min(schema.get("minLength", 0), _LONGEST), "x")
