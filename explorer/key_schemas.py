"""JSON Schema of the keys that all records of a model hold in the current profile, with their empty values."""

from __future__ import annotations

import json
import re
from typing import Any

from core import Model
from core.common.settings import profile

from .field_schemas import Schema, either, nullable

#: empty value → its schema
_EMPTY: dict[str, Schema] = {
    "null": {"type": "null"},
    '""': {"type": "string", "maxLength": 0},
    "[]": {"type": "array", "items": {}, "maxItems": 0},
    "{}": {"type": "object", "properties": {}, "maxProperties": 0},
}
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
#: marks a key that a record has only if the request expands it
EXPANDED = "x-expanded"
#: keywords that restrict a type
_NARROW = ("not", "minLength", "minItems", "minimum", "exclusiveMinimum", "format", "required", "$ref")


def with_known_keys(model: type[Model], properties: dict[str, Schema]) -> dict[str, Schema]:
    """Return a record's schema in responses, with the keys that it always has and their values instead of null."""
    table = profile().key_tables.get(model)
    if table is None:
        return properties
    found = dict(properties)
    for key in table.keys.values():
        if key.name in found:
            # A key that `expand` fills is also present without it
            known = {word: said for word, said in found[key.name].items() if word != EXPANDED}
            if key.always:
                kept = {word: said for word, said in known.items() if word == "description" or word.startswith("x-")}
                found[key.name] = {**_only(key.empty), **kept}
                continue
            found[key.name] = with_value(known if key.empty is None else _without_null(known), key.empty)
        else:
            about = key.about or f"always {'empty' if key.empty in ('', [], {}) else json.dumps(key.empty)}"
            found[key.name] = {**_only(key.empty), "description": about, "x-computed": True}
    return found


def accepting_known_keys(model: type[Model], properties: dict[str, Schema]) -> dict[str, Schema]:
    """Return a record's schema in bodies; a record that was read may be sent back."""
    table = profile().key_tables.get(model)
    keys = () if table is None else table.keys.values()
    return properties | {
        key.name: with_value(properties[key.name], key.empty) for key in keys if key.name in properties
    }


def with_value(schema: Schema, value: Any) -> Schema:
    """A schema that takes a value as well."""
    if _takes(schema, value):
        return schema
    if value is None:
        return nullable(schema)
    if not schema or schema == {"type": "null"}:
        return _only(value)
    words = {word: said for word, said in schema.items() if word == "description" or word.startswith("x-")}
    rest = {word: said for word, said in schema.items() if word not in words}
    if set(rest) == {"type"} and rest["type"] == "null":
        return {**_only(value), **words}
    return {**either((rest, _only(value))), **words}


def _only(value: Any) -> Schema:
    """Return the schema of one value; of an object only its type, because client generators reject enums of objects."""
    if isinstance(value, dict) and value:
        return {"type": "object", "additionalProperties": True}
    return _EMPTY.get(json.dumps(value)) or {"type": _TYPES[type(value)], "enum": [value]}


def _takes(schema: Schema, value: Any) -> bool:
    """Return whether a schema accepts a value, as far as can be decided."""
    if "anyOf" in schema:
        return any(_takes(each, value) for each in schema["anyOf"])
    kinds = schema.get("type", ())
    if ("null" if value is None else _TYPES[type(value)]) not in ([kinds] if isinstance(kinds, str) else kinds):
        return False
    if "enum" in schema:
        return value in schema["enum"]
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        return False
    return value is None or not any(word in schema for word in _NARROW)


def _without_null(schema: Schema) -> Schema:
    """Return a schema without null."""
    if "anyOf" in schema:
        rest = {word: said for word, said in schema.items() if word != "anyOf"}
        left = [_without_null(each) for each in schema["anyOf"] if each != {"type": "null"}]
        return {**either(left), **rest}
    kinds = schema.get("type")
    if isinstance(kinds, list) and "null" in kinds:
        left = [kind for kind in kinds if kind != "null"]
        return {**schema, "type": left[0] if len(left) == 1 else left}
    return schema
