"""The OpenAPI document as Swagger 2.0, for programs that don't support newer versions.

Everything that Swagger 2.0 can't express is left out. There is one exception: if alternatives include a list or a
record, the document has the first alternative, which is the default response.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .field_schemas import Schema
from .parameters import RAW

JSON = "application/json"
FORM = "multipart/form-data"

#: part of `components` → its name in Swagger 2.0
_PARTS = {"schemas": "definitions", "parameters": "parameters", "responses": "responses"}

#: a header is all that 2.0 has for keys of this kind
_BEARER: Schema = {
    "type": "apiKey",
    "in": "header",
    "name": "Authorization",
    "description": "the same key, as `Bearer <key>`",
}

#: keywords that all schemas have and that mean the same in both versions
_COMMON = ("title", "description", "default", "enum", "example", "readOnly")

#: type → its keywords that mean the same in both versions
_LIMITS = {
    "string": ("format", "minLength", "maxLength", "pattern"),
    "integer": ("format", "minimum", "maximum", "multipleOf"),
    "number": ("format", "minimum", "maximum", "multipleOf"),
    "boolean": (),
    "array": ("minItems", "maxItems", "uniqueItems"),
    "object": ("required", "minProperties", "maxProperties"),
}
_WORDS = {*_COMMON, *(word for words in _LIMITS.values() for word in words)}


def swagger(document: Schema) -> Schema:
    """A document of `openapi.document` as Swagger 2.0, likewise without the address of the server."""
    enums = {
        f"#/components/schemas/{name}": each
        for name, each in document["components"]["schemas"].items()
        if "enum" in each
    }
    document = _with_enums(document, enums)
    components, named = document["components"], document["components"]["schemas"]
    schemes = components["securitySchemes"].items()
    return {
        "swagger": "2.0",
        "info": {**document["info"], "license": {"name": document["info"]["license"]["name"]}},
        "consumes": [JSON],
        "produces": [JSON],
        "securityDefinitions": {name: each if each["type"] == "apiKey" else _BEARER for name, each in schemes},
        "security": document["security"],
        "tags": document["tags"],
        "paths": {
            path: {verb: _operation(said, components["headers"], named) for verb, said in verbs.items()}
            for path, verbs in document["paths"].items()
        },
        "parameters": {name: _parameter(each, named) for name, each in components["parameters"].items()},
        "responses": {name: _response(each, components["headers"]) for name, each in components["responses"].items()},
        "definitions": {name: _schema(each) for name, each in named.items()},
    }


def _with_enums(value: Any, enums: Schema) -> Any:
    """Return a document with each enum in place: in Swagger 2.0 a reference can't be nullable."""
    if isinstance(value, list):
        return [_with_enums(each, enums) for each in value]
    if not isinstance(value, dict):
        return value
    if (name := value.get("$ref")) in enums:
        return enums[name] | {word: each for word, each in value.items() if word != "$ref"}
    return {word: _with_enums(each, enums) for word, each in value.items()}


def _extensions(said: Schema) -> Schema:
    return {name: value for name, value in said.items() if name.startswith("x-")}


def _moved(reference: str) -> Schema:
    part, _, name = reference.removeprefix("#/components/").partition("/")
    return {"$ref": f"#/{_PARTS[part]}/{name}"}


# Operations ----------------------------------------------------------------------------------------------------------


def _operation(said: Schema, headers: Schema, named: Schema) -> Schema:
    content = said.get("requestBody", {}).get("content", {})
    taken = next(([each] for each in (FORM, RAW) if each in content), [JSON])
    given = list(dict.fromkeys(kind for each in said["responses"].values() for kind in each.get("content", ())))
    parameters = [_parameter(each, named) for each in said.get("parameters", ()) if not _is_free(each)]
    if FORM in content:
        parameters += _fields(_in_place(content[FORM]["schema"], named), named)
    elif content:
        parameters.append(_body(said["requestBody"]))
    return {
        **{name: said[name] for name in said if name not in ("parameters", "requestBody", "responses")},
        **({"consumes": taken} if taken != [JSON] else {}),
        **({"produces": given} if given not in ([], [JSON]) else {}),
        **({"parameters": parameters} if parameters else {}),
        "responses": {status: _response(each, headers) for status, each in said["responses"].items()},
    }


def _is_free(parameter: Schema) -> bool:
    """Return whether a parameter stands for all values of the query, with any names."""
    return bool(parameter.get("explode")) and parameter["schema"].get("type") == "object"


def _parameter(said: Schema, named: Schema) -> Schema:
    """Return a parameter of path, query or header; values that aren't scalars are JSON texts."""
    if "$ref" in said:
        return _moved(said["$ref"])
    as_json = "content" in said
    schema = _in_place(said["content"][JSON]["schema"] if as_json else said["schema"], named)
    return {
        "name": said["name"],
        "in": said["in"],
        **_described(said.get("description"), schema.get("description"), "as JSON" if as_json else ""),
        **({"required": True} if said.get("required") else {}),
        **_simple(schema),
        **_extensions(said),
    }


def _in_place(schema: Schema, named: Schema) -> Schema:
    """A schema instead of a reference to it: only bodies have references in 2.0."""
    return {**named[schema["$ref"].rpartition("/")[2]], **schema} if "$ref" in schema else schema


def _described(*texts: str | None) -> Schema:
    text = "; ".join(each for each in texts if each)
    return {"description": text} if text else {}


def _body(said: Schema) -> Schema:
    content = said["content"].get(JSON) or said["content"][RAW]
    return {
        "name": "body",
        "in": "body",
        **_described(said.get("description")),
        **({"required": True} if said.get("required") else {}),
        "schema": _schema(content["schema"]),
        # An example beside a reference would be overlooked
        **({"x-example": content["example"]} if "example" in content else {}),
    }


def _fields(form: Schema, named: Schema) -> Iterable[Schema]:
    """Return the fields of a form; a form is only used for files."""
    for part in form.get("allOf", [form]):
        for name, schema in part.get("properties", {}).items():
            each = _in_place(schema, named)
            is_file = each.get("format") == "binary"
            yield {
                "name": name,
                "in": "formData",
                **_described(each.get("description")),
                **({"required": True} if name in part.get("required", ()) else {}),
                **({"type": "file"} if is_file else _simple(each)),
                **_extensions(each),
            }


def _response(said: Schema, headers: Schema) -> Schema:
    if "$ref" in said:
        return _moved(said["$ref"])
    content = said.get("content", {})
    shown: Schema = {"description": said["description"], **_extensions(said)}
    if content:
        schema = content.get(JSON, next(iter(content.values())))["schema"]
        shown["schema"] = {"type": "file"} if schema.get("format") == "binary" else _schema(schema)
    if "headers" in said:
        named = {name: headers[each["$ref"].rpartition("/")[2]] for name, each in said["headers"].items()}
        shown["headers"] = {
            name: {**_described(each.get("description")), **_simple(each["schema"])} for name, each in named.items()
        }
    return shown


# Schemas -------------------------------------------------------------------------------------------------------------


def _kinds(schema: Schema) -> list[str]:
    """Return the types that a value may have, without null; empty if the schema has no type."""
    kind = schema.get("type", [])
    return [each for each in ([kind] if isinstance(kind, str) else kind) if each != "null"]


def _simple(schema: Schema) -> Schema:
    """Plain values, and lists of these: all that 2.0 has outside of bodies."""
    schema = _listed(schema)
    kinds = _kinds(schema)
    if len(kinds) != 1 or kinds == ["object"]:
        default = schema.get("default")
        return {"type": "string", **({"default": default} if isinstance(default, str) else {})}
    said = {"type": kinds[0]}
    said |= {word: schema[word] for word in ("default", "enum", *_LIMITS[kinds[0]]) if word in schema}
    return {**said, "items": _simple(schema.get("items", {}))} if kinds == ["array"] else said


def _listed(schema: Schema) -> Schema:
    """A schema with ``enum`` for the values of ``const``, which 2.0 lacks."""
    parts = [schema, *schema.get("anyOf", ())]
    values = [each["const"] for each in parts if "const" in each]
    if not values or len(values) < len(schema.get("anyOf", values)):
        return schema
    return {**{word: value for word, value in schema.items() if word not in ("const", "anyOf")}, "enum": values}


def _schema(schema: Schema) -> Schema:
    schema = _listed(schema)
    alternatives = schema.get("anyOf", schema.get("oneOf"))
    if alternatives is not None:
        return _schema(_one_of(schema, alternatives))
    said = {word: schema[word] for word in schema if word in _WORDS and schema[word] != []} | _extensions(schema)
    if "null" in schema.get("type", ()):
        said["x-nullable"] = True
    if "$ref" in schema:
        return {"allOf": [_moved(schema["$ref"])], **said} if said else _moved(schema["$ref"])
    kinds = _kinds(schema)
    if len(kinds) == 1:
        said["type"] = kinds[0]
    if "array" in kinds:
        said["items"] = _schema(schema.get("items", {}))
    if "properties" in schema:
        said["properties"] = {name: _schema(each) for name, each in schema["properties"].items()}
    if "allOf" in schema:
        said["allOf"] = [_schema(each) for each in schema["allOf"]]
    more = schema.get("additionalProperties")
    if more is not None:
        said["additionalProperties"] = _schema(more) if isinstance(more, dict) else more
    return said


def _one_of(schema: Schema, alternatives: list[Schema]) -> Schema:
    """Return one schema for alternatives: the first if they include a list or a record, else any value."""
    rest = {word: value for word, value in schema.items() if word not in ("anyOf", "oneOf")}
    values = [each for each in alternatives if each.get("type") != "null"]
    structured = any("$ref" in each or {"array", "object"} & {*_kinds(each)} for each in values)
    chosen = values[0] if structured or len(values) == 1 else {}
    return {**chosen, **rest, **({"x-nullable": True} if len(values) < len(alternatives) else {})}
