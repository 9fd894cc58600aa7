"""The body and the response of a batch, made from those of its operations."""

from __future__ import annotations

from core.common.errors import ERROR_SCHEMA
from core.common.settings import settings
from core.contract.catalogue import Operation
from core.web.sheets import CSV

from .examples import example
from .field_schemas import COMPONENT, Component, Schema
from .parameters import read_body, takes_csv
from .schemas import Schemas

_IF_MATCH: Schema = {"type": "string", "minLength": 1, "description": "the `ETag` of the record when you read it"}
_METHOD: Schema = {"type": "string", "description": "the method of its operation"}
_ID = "ID of the record; not for POST"
_BODY = "the body of its operation"
#: an entry of any service
_ENTRY: Schema = {
    "type": "object",
    COMPONENT: Component("BatchRequestEntry", "One creation, change or deletion of a batch."),
    "properties": {
        "method": {**_METHOD, "enum": ["POST", "PUT", "PATCH", "DELETE"]},
        "id": {"type": "integer", "description": _ID},
        "if_match": _IF_MATCH,
        "body": {"type": "object", "additionalProperties": True, "description": _BODY},
    },
    "required": ["method"],
    "additionalProperties": False,
}


def read_batch(operation: Operation, schemas: Schemas) -> Schema:
    """The body of a batch: its entries are those of its operations. CSV is a form of it if they can create records."""
    body = read_body(operation, schemas)
    assert body is not None
    content = body["content"]["application/json"]
    entries: list[Schema] = []
    for each in operation.entries:
        entry = _entry(each, schemas)
        same = next((known for known in entries if _without_method(known) == _without_method(entry)), None)
        if same is None:
            entries.append(entry)
        else:
            # PUT and PATCH have the same body
            same["properties"]["method"]["enum"].append(each.verb)
            same["description"] += f" {entry['description']}"
    keys = content["schema"]["properties"]
    listed = {**keys["entries"], "minItems": 1, "maxItems": settings().batch_entries, "items": _any_of(entries)}
    general = {**listed, "items": _ENTRY}
    schema = {
        **content["schema"],
        COMPONENT: Component("BatchBody", "Many creations, changes and deletions.", {"entries": general}),
        "properties": {**keys, "entries": listed},
    }
    types: Schema = {"application/json": {"schema": schema, "example": example(schema, schemas.named)}}
    return {**body, "content": types | ({CSV: {"schema": {"type": "string"}}} if takes_csv(operation) else {})}


def _entry(operation: Operation, schemas: Schemas) -> Schema:
    """An entry that asks for an operation."""
    properties: Schema = {"method": {**_METHOD, "enum": [operation.verb]}}
    required = ["method"]
    taken = next((each for each in operation.inputs if each.place == "path"), None)
    if taken is not None:
        identifier = {**schemas.accepted(taken.type, operation.verb), "description": _ID}
        properties |= {"id": identifier, "if_match": _IF_MATCH}
        required.append("id")
    body = read_body(operation, schemas) if any(each.place in ("whole", "body") for each in operation.inputs) else None
    if body is not None:
        properties["body"] = body["content"]["application/json"]["schema"] | {"description": _BODY}
        required += ["body"] if body.get("required") else []
    return {
        "type": "object",
        "description": operation.annotation.summary,
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _without_method(entry: Schema) -> Schema:
    properties = {name: each for name, each in entry["properties"].items() if name != "method"}
    return {**entry, "properties": properties, "description": ""}


def answer_of_batch(operation: Operation, schemas: Schemas) -> Schema:
    """Return the response of a batch, the same for every service: a result is the response of its operation."""
    answer = schemas.answered(operation.result)
    results = answer["properties"]["results"]
    error = {**ERROR_SCHEMA["properties"]["error"], "description": "the error, as in the body of a failed request"}
    entry = {**results["items"], "properties": {**results["items"]["properties"], "error": error}}
    return {**answer, "properties": {**answer["properties"], "results": {**results, "items": entry}}}


def _any_of(schemas: list[Schema]) -> Schema:
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
