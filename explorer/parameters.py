"""What an operation takes from a request, as OpenAPI says it: parameters and request bodies."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from core import Upload
from core.contract.annotations import ParameterNote
from core.contract.catalogue import Input, Operation
from core.contract.converters import plain_type
from core.storage.values import SECONDS

from .examples import example
from .field_schemas import Schema, choices
from .schemas import Schemas

BODY_VERBS = ("POST", "PUT", "PATCH", "DELETE")

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


def place_of(each: Input, verb: str) -> str:
    """Where a value is really taken from: without a body, the query."""
    return "query" if each.place == "body" and verb not in BODY_VERBS else each.place


def read_parameters(operation: Operation, schemas: Schemas) -> list[Schema]:
    """The parameters of path, query and headers."""
    found: dict[tuple[str, str], Schema] = {}
    for each in operation.inputs:
        place = place_of(each, operation.verb)
        if place in ("path", "query", "head"):
            parameter = _parameter(each, place, schemas.accepted(each.type, operation.verb))
            found[parameter["in"], parameter["name"]] = parameter
        elif place == "whole" and operation.verb not in BODY_VERBS:
            free = {"type": "object", "additionalProperties": {"type": "string"}}
            found["query", each.name] = {"name": each.name, "in": "query", "explode": True, "schema": free}
    if operation.template.endswith("/*") and ("path", "rest") not in found:
        found["path", "rest"] = {"name": "rest", "in": "path", "required": True, "schema": {"type": "string"}}
    return list(found.values())


def _parameter(each: Input, place: str, schema: Schema) -> Schema:
    name = each.name.replace("_", "-") if place == "head" else each.name
    parameter: Schema = {"name": name, "in": "header" if place == "head" else place}
    if place == "path" or each.required:
        parameter["required"] = True
    if text := _text(each.note):
        parameter["description"] = text
    schema = _limited(_sent_as_text(schema), each)
    kind = schema.get("type")
    if kind == "object":
        return {**parameter, "content": {"application/json": {"schema": schema}}}
    if kind == "array" and place == "query":
        parameter |= {"style": "form", "explode": False}
    return {**parameter, "schema": schema}


def _text(note: ParameterNote) -> str:
    """What a docstring says of a parameter, and what its values mean."""
    meanings = ", ".join(f"{value}: {words}" for value, words in note.meanings)
    return ": ".join(part for part in (note.text, meanings) if part)


def _sent_as_text(schema: Schema) -> Schema:
    """There is no null in a path or a query: what is not sent is not there."""
    kind = schema.get("type")
    if isinstance(kind, list) and "null" in kind:
        rest = [each for each in kind if each != "null"]
        return {**schema, "type": rest[0] if len(rest) == 1 else rest}
    others = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    return others[0] if len(others) == 1 else schema


def read_body(operation: Operation, schemas: Schemas) -> Schema | None:
    """The request body; None where there is none."""
    if operation.verb not in BODY_VERBS:
        return None
    whole = [each for each in operation.inputs if each.place == "whole"]
    keys = [each for each in operation.inputs if each.place == "body"]
    parts = [schemas.accepted(each.type, operation.verb) for each in whole]
    if keys:
        parts.append(_keys(keys, operation.verb, schemas))
    if not parts:
        return None
    schema = parts[0] if len(parts) == 1 else {"allOf": parts}
    content = _json(schema, schemas)
    if any(plain_type(each.type) is Upload for each in keys):
        # A file comes in a part of its own; JSON may say all the rest
        rest = [each for each in keys if plain_type(each.type) is not Upload]
        content = _json(_keys(rest, operation.verb, schemas), schemas) | {"multipart/form-data": {"schema": schema}}
    if whole and operation.verb in ("PUT", "PATCH") and not _has_example(schema, schemas.named):
        # Whoever sends it as it is must not change a record
        content["application/json"]["example"] = {}
    text = " ".join(each.note.text for each in whole if each.note.text)
    return {
        **({"description": text} if text else {}),
        **({} if _may_be_empty(schema, schemas.named) else {"required": True}),
        "content": content,
    }


def _has_example(schema: Schema, named: dict[str, Schema]) -> bool:
    """Whether an author gave an example, or something must be sent."""
    if "$ref" in schema:
        return _has_example(named[schema["$ref"].rpartition("/")[2]], named)
    parts = [*schema.get("allOf", ()), *schema.get("anyOf", ())]
    inner = [each for each in schema.get("properties", {}).values() if "examples" in each]
    plain = schema.get("type", "object") == "object" or parts
    return not plain or bool(
        schema.get("examples") or schema.get("required") or inner or any(_has_example(each, named) for each in parts)
    )


def _may_be_empty(schema: Schema, named: dict[str, Schema]) -> bool:
    """Whether no body stands for one in which nothing is said."""
    if "$ref" in schema:
        return _may_be_empty(named[schema["$ref"].rpartition("/")[2]], named)
    if "allOf" in schema:
        return all(_may_be_empty(part, named) for part in schema["allOf"])
    if "anyOf" in schema:
        return any(_may_be_empty(part, named) for part in schema["anyOf"])
    return schema.get("type") == "object" and not schema.get("required")


def _json(schema: Schema, schemas: Schemas) -> Schema:
    return {"application/json": {"schema": schema, "example": example(schema, schemas.named)}}


def _keys(inputs: Sequence[Input], verb: str, schemas: Schemas) -> Schema:
    properties = {}
    for each in inputs:
        schema = _limited(schemas.accepted(each.type, verb), each)
        text = "; ".join(word for word in (_text(each.note), schema.get("description")) if word)
        properties[each.name] = {**schema, "description": text} if text else schema
    required = [each.name for each in inputs if each.required]
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


# Limits --------------------------------------------------------------------------------------------------------------


def _limited(schema: Schema, each: Input) -> Schema:
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
    """An example as the type it is written in; text where it is no JSON."""
    try:
        return json.loads(words)
    except ValueError:
        return words


def _fits(default: Any, schema: Schema) -> bool:
    """Whether a default can be told; one that a request could not send itself means that nothing was sent."""
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
    if note.maximum is not None:
        limits[most] = _number(note.maximum)
    if note.choices and "array" not in kinds:
        limits |= choices([int(each) for each in note.choices] if _all_numbers(note, numeric) else note.choices)
    if note.pattern and "string" in kinds and not numeric:
        if note.pattern.startswith("(?i)"):
            # JSON Schema's expressions have no such flag
            limits["description"] = f"like {note.pattern[4:]} in any case"
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
