"""The parameters and the request body of an operation in OpenAPI."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import peewee

from core import Model, Upload
from core.common.settings import profile, settings
from core.contract.annotations import ParameterNote
from core.contract.catalogue import Input, Operation
from core.contract.converters import has_other_form, plain_type
from core.storage.model import meta_of
from core.storage.sqlfilters import LIST, NULL, ONE, OPERATORS, TWO
from core.web.views import EXPAND

from .examples import example
from .field_schemas import Schema, takes_number, taking_text
from .limits import limited
from .schemas import Schemas

BODY_VERBS = ("POST", "PUT", "PATCH", "DELETE")

#: the media type of a body that is read as it is
RAW = "application/octet-stream"

#: the header of every POST that runs once per key, by its name in the documents
IDEMPOTENCY_KEY = "IdempotencyKey"
IDEMPOTENCY_KEY_PARAMETER: Schema = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "makes retries safe: within a day, a second request with this key, such as a UUID, isn't "
    "executed again. It returns the first response with `Idempotency-Replayed: true`",
    "schema": {
        "type": "string",
        "pattern": r'^("[!#-\[\]-~]{1,255}"|[!#-+\-.\/0-9:<-\[\]-~]{1,255})$',
    },
}


_TAG: Schema = {"type": "string", "minLength": 1}

#: the headers for conditional requests, by their names in the documents
CONDITIONS: dict[str, Schema] = {
    "IfMatch": {
        "name": "If-Match",
        "in": "header",
        "description": "the `ETag` of the record when you read it: if the record has changed since, the request fails "
        "with 412",
        "schema": _TAG,
    },
    "IfNoneMatch": {
        "name": "If-None-Match",
        "in": "header",
        "description": "the `ETag` of your copy: the server returns 304 without a body if the record is unchanged",
        "schema": _TAG,
    },
}

#: a header of all operations
PREFER = "Prefer"
PREFER_PARAMETER: Schema = {
    "name": "Prefer",
    "in": "header",
    "description": "`handling=strict` rejects unknown fields and parameters",
    "schema": {"type": "string", "examples": ["handling=strict"]},
}


def place_of(each: Input, verb: str) -> str:
    """Return the actual place of a value: without a body, the query."""
    return "query" if each.place == "body" and verb not in BODY_VERBS else each.place


def takes_csv(operation: Operation) -> bool:
    """Return whether an operation is a batch that can create records, and so takes CSV."""
    return any(each.verb == "POST" for each in operation.entries)


def read_parameters(operation: Operation, schemas: Schemas) -> list[Schema]:
    """The parameters of path, query and headers."""
    found: dict[tuple[str, str], Schema] = {}
    for each in operation.inputs:
        # A CSV body has no place for it
        is_beside_csv = each.name == "atomic" and takes_csv(operation)
        place = "query" if is_beside_csv else place_of(each, operation.verb)
        if each.of_answer and each.name == EXPAND:
            if names := schemas.expansions(operation):
                found["query", EXPAND] = _expand(each, names)
        elif each.group and each.name == "q" and not searched_fields(operation):
            # It would only be refused
            continue
        elif each.group and each.name == "pagination_data":
            # The media type of a page does the same, and tells the two shapes of a response apart
            continue
        elif place in ("path", "query", "head"):
            parameter = _parameter(each, place, schemas.accepted(each.type, operation.verb))
            found[parameter["in"], parameter["name"]] = parameter
        elif place == "whole" and operation.verb not in BODY_VERBS:
            free = {"type": "object", "additionalProperties": {"type": "string"}}
            found["query", each.name] = {"name": each.name, "in": "query", "explode": True, "schema": free}
    if operation.template.endswith("/*") and ("path", "rest") not in found:
        found["path", "rest"] = {"name": "rest", "in": "path", "required": True, "schema": {"type": "string"}}
    shape = operation.shape
    record = schemas.samples.models.get(schemas.name_of(shape.model), {}) if shape is not None else {}
    said = schemas.samples.of(operation).get("parameters", {})
    return give_examples(operation, list(found.values()), said, record)


def searched_fields(operation: Operation) -> list[str]:
    """Return the fields that `q` of a list searches; empty: it has no such parameter."""
    is_list = any(each.group and each.name == "q" for each in operation.inputs)
    return [*meta_of(operation.shape.model).searched] if is_list and operation.shape is not None else []


def _parameter(each: Input, place: str, schema: Schema) -> Schema:
    name = each.name.replace("_", "-") if place == "head" else each.name
    parameter: Schema = {"name": name, "in": "header" if place == "head" else place}
    if place == "path" or each.required:
        parameter["required"] = True
    if text := _text(each.note):
        parameter["description"] = text
    schema = limited(_sent_as_text(schema), each)
    if each.group and each.name == "limit":
        # A higher limit is a page of this size
        schema = {**schema, "maximum": settings().max_page}
        schema |= {} if profile().limit_zero_is_all else {"minimum": 0}
    if each.group and each.name == "sqlfilters":
        parameter["x-operators"] = read_operators()
    kind = schema.get("type")
    if kind == "object":
        return {**parameter, "content": {"application/json": {"schema": schema}}}
    if kind == "array" and place == "query":
        parameter |= {"style": "form", "explode": False}
    return {**parameter, "schema": schema}


def _expand(each: Input, names: list[str]) -> Schema:
    # An enum would be one more model of a generated client for each kind of record
    values = [{"const": name} for name in names]
    items = {"type": "string", **(values[0] if len(values) == 1 else {"anyOf": values})}
    return {
        "name": EXPAND,
        "in": "query",
        "description": each.note.text,
        "style": "form",
        "explode": False,
        "schema": {"type": "array", "items": items, "uniqueItems": True},
    }


#: number of values of an operator; None: any number
_VALUES = {NULL: 0, ONE: 1, TWO: 2, LIST: None}


def read_operators() -> Schema:
    """Return the operators of the filter language: number of values (null: any number) and meaning.

    If an operator has two spellings, only the first is listed.
    """
    first = {each: name for name, each in reversed(OPERATORS.items())}
    return {
        name: {"values": _VALUES[each.takes], "meaning": each.meaning, "pattern": each.pattern}
        for name, each in OPERATORS.items()
        if first[each] == name
    }


def _text(note: ParameterNote) -> str:
    """Return the documentation of a parameter with the meanings of its values."""
    meanings = ", ".join(_meaning(value, words) for value, words in note.meanings)
    return ": ".join(part for part in (note.text, meanings) if part)


def _meaning(value: str, words: str) -> str:
    """Return a value and its meaning; another spelling and a note in parentheses continue the value."""
    return f"{value} {words}" if words.startswith(("or ", "(")) else f"{value}: {words}"


def _sent_as_text(schema: Schema) -> Schema:
    """Return a schema without null: a path or a query can't contain it."""
    kind = schema.get("type")
    if isinstance(kind, list) and "null" in kind:
        rest = [each for each in kind if each != "null"]
        return {**schema, "type": rest[0] if len(rest) == 1 else rest}
    others = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    return others[0] if len(others) == 1 else schema


def read_body(operation: Operation, schemas: Schemas) -> Schema | None:
    """Return the request body, or None."""
    if operation.verb not in BODY_VERBS:
        return None
    whole = [each for each in operation.inputs if each.place == "whole"]
    keys = [each for each in operation.inputs if each.place == "body"]
    parts = [schemas.accepted(each.type, operation.verb) for each in whole]
    if operation.annotation.strict:
        for part, each in zip(parts, whole, strict=True):
            schemas.close(part, schemas.answered(each.type))
    if keys:
        closed = {"additionalProperties": False} if operation.annotation.strict and not whole else {}
        parts.append(_keys(keys, operation.verb, schemas) | closed)
    if not parts:
        return None
    if whole and whole[0].is_raw_body:
        text = "; ".join(filter(None, (whole[0].note.text, "of any media type")))
        return {"description": text, "required": True, "content": {RAW: {"schema": parts[0]}}}
    schema = parts[0] if len(parts) == 1 else {"allOf": parts}
    content = _json(schema, schemas)
    if any(plain_type(each.type) is Upload for each in keys):
        # A file is a separate part of the form; JSON can contain the other fields
        rest = [each for each in keys if plain_type(each.type) is not Upload]
        content = _json(_keys(rest, operation.verb, schemas), schemas) | {"multipart/form-data": {"schema": schema}}
    if whole and operation.verb in ("PUT", "PATCH") and not _has_example(schema, schemas.named):
        # Sending the example unchanged must not change a record
        content["application/json"]["example"] = {}
    if "body" in (said := schemas.samples.of(operation)):
        content["application/json"]["example"] = said["body"]
    text = " ".join(each.note.text for each in whole if each.note.text)
    return {
        **({"description": text} if text else {}),
        **({} if _may_be_empty(schema, schemas.named) else {"required": True}),
        "content": content,
    }


def _has_example(schema: Schema, named: dict[str, Schema]) -> bool:
    """Return whether an author gave an example, or the body has required parts."""
    if "$ref" in schema:
        return _has_example(named[schema["$ref"].rpartition("/")[2]], named)
    parts = [*schema.get("allOf", ()), *schema.get("anyOf", ())]
    inner = [each for each in schema.get("properties", {}).values() if "examples" in each]
    plain = schema.get("type", "object") == "object" or parts
    return not plain or bool(
        schema.get("examples") or schema.get("required") or inner or any(_has_example(each, named) for each in parts)
    )


def _may_be_empty(schema: Schema, named: dict[str, Schema]) -> bool:
    """Return whether the request may omit the body."""
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
        schema = limited(schemas.accepted(each.type, verb), each)
        if profile().accepts_other_forms and has_other_form(each.type, each.note) and takes_number(schema):
            schema = taking_text(schema)
        text = "; ".join(word for word in (_text(each.note), schema.get("description")) if word)
        properties[each.name] = {**schema, "description": text} if text else schema
    required = [each.name for each in inputs if each.required]
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


#: parameters of lists whose examples name columns
_OF_COLUMNS = ("sqlfilters", "sortfield")
#: the beginning of a text that a filter looks for
_BEGINNING = re.compile(r"[^\W_]{1,3}")


def give_examples(
    operation: Operation, parameters: list[Schema], said: dict[str, Any], record: dict[str, Any]
) -> list[Schema]:
    """Return the parameters with an example each, if one is known.

    :param said: name → the author's value
    :param record: the author's example of a record that the operation returns
    """
    known = {**_of_columns(operation, record), **said}
    return [_given(each, known, record) for each in parameters]


def _given(parameter: Schema, known: dict[str, Any], record: dict[str, Any]) -> Schema:
    name, schema = parameter["name"], parameter.get("schema", {})
    if name in known:
        return {**parameter, "example": known[name]}
    if "examples" in schema:
        return {**parameter, "example": schema["examples"][0]}
    if parameter["in"] != "path":
        # The example contains only required parameters
        needed = {"example": schema["enum"][0]} if parameter.get("required") and "enum" in schema else {}
        return {**parameter, **needed}
    if "default" in schema:
        return {**parameter, "example": schema["default"]}
    if record.get(name) not in (None, ""):
        value = record[name]
        return {**parameter, "example": int(value) if schema.get("type") == "integer" else value}
    return {**parameter, "example": max(1, schema.get("minimum", 1))} if schema.get("type") == "integer" else parameter


def _of_columns(operation: Operation, record: dict[str, Any]) -> dict[str, Any]:
    shape = operation.shape
    if shape is None or not shape.is_list:
        return {}
    column, value = _telling_column(shape.model, record)
    beginning = _BEGINNING.match(str(value or ""))
    condition = f"(t.{column}:like:'{beginning[0]}%')" if beginning else f"(t.{column}:isnot:NULL)"
    names = {each.name for each in operation.inputs}
    return {name: value for name, value in zip(_OF_COLUMNS, (condition, f"t.{column}"), strict=True) if name in names}


def _telling_column(model: type[Model], record: dict[str, Any]) -> tuple[str, Any]:
    """The column by which people would look for a record, with its value: a text that must be there, or else any."""
    meta = meta_of(model)
    fields = [meta.fields[name] for name in meta.sorted_field_names if name not in meta.secret]
    texts = [each for each in fields if isinstance(each, (peewee.CharField, peewee.TextField)) and not each.choices]
    filled = [each for each in texts if _BEGINNING.match(str(record.get(each.name) or ""))]
    if not record:
        # No example record: use a column in which every record has a value
        needed = [each for each in texts if each.name in meta.required] or [each for each in texts if not each.null]
        return (needed or [meta.primary_key])[0].name, None
    best = sorted(filled, key=lambda each: (each.name not in meta.required, not each.unique, each.name != "ref"))
    return (best[0].name, record[best[0].name]) if best else (meta.primary_key.name, None)
