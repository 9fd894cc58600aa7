"""The body and the answer of a batch, made of what its operations take and answer."""

from __future__ import annotations

from core import settings
from core.common.errors import ERROR_SCHEMA
from core.contract.catalogue import Operation
from core.web.sheets import CSV

from .examples import example
from .field_schemas import Schema
from .parameters import read_body
from .schemas import Schemas

_IF_MATCH: Schema = {"type": "string", "description": "the `ETag` of the record when you read it"}


def read_batch(operation: Operation, schemas: Schemas) -> Schema:
    """The body of a batch: its entries are those of its operations."""
    body = read_body(operation, schemas)
    assert body is not None
    content = body["content"]["application/json"]
    entries = [_entry(each, schemas) for each in operation.entries]
    keys = content["schema"]["properties"]
    listed = {**keys["entries"], "minItems": 1, "maxItems": settings().batch_entries, "items": _any_of(entries)}
    schema = {**content["schema"], "properties": {**keys, "entries": listed}}
    return {**body, "content": {"application/json": {"schema": schema, "example": example(schema, schemas.named)}}}


def _entry(operation: Operation, schemas: Schemas) -> Schema:
    """An entry that asks for an operation."""
    properties: Schema = {"method": {"type": "string", "enum": [operation.verb]}}
    required = ["method"]
    taken = next((each for each in operation.inputs if each.place == "path"), None)
    if taken is not None:
        properties |= {"id": schemas.accepted(taken.type, operation.verb), "if_match": _IF_MATCH}
        required.append("id")
    body = read_body(operation, schemas) if any(each.place in ("whole", "body") for each in operation.inputs) else None
    if body is not None:
        properties["body"] = body["content"]["application/json"]["schema"]
        required += ["body"] if body.get("required") else []
    return {
        "type": "object",
        "description": operation.annotation.summary,
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def answer_of_batch(operation: Operation, schemas: Schemas) -> Schema:
    """The answer of a batch: its results are those of its operations."""
    answer = schemas.answered(operation.result)
    results = answer["properties"]["results"]
    found: list[Schema] = []
    for each in operation.entries:
        if (schema := schemas.answered(each.result)) not in found:
            found.append(schema)
    said = {"result": _any_of(found), "error": ERROR_SCHEMA["properties"]["error"]}
    entry = {**results["items"], "properties": {**results["items"]["properties"], **said}}
    return {**answer, "properties": {**answer["properties"], "results": {**results, "items": entry}}}


def _any_of(schemas: list[Schema]) -> Schema:
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def with_csv(body: Schema, operation: Operation) -> Schema:
    """Return the body of a batch; CSV is a form of it if the batch can create records."""
    if all(each.verb != "POST" for each in operation.entries):
        return body
    return {**body, "content": {**body["content"], CSV: {"schema": {"type": "string"}}}}
