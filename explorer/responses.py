"""The responses of an operation in OpenAPI: the successful one, and each error with its reason."""

from __future__ import annotations

from http import HTTPStatus

from core import Accepted, File, Redirect
from core.common.errors import error_body
from core.common.settings import profile
from core.contract.catalogue import Operation
from core.web.sheets import LINES, PAGE, SHEETS

from .batch_schemas import answer_of_batch
from .field_schemas import COMPONENT, Component, Schema
from .schemas import Schemas
from .shared_schemas import reference

_WORDS = {
    304: "It was already done; nothing changed",
    400: "A value is missing or invalid; the response lists all of them",
    401: "No valid key",
    404: "No such record",
    405: "Rejected; the message gives the reason",
    406: "The server can't return a format in the `Accept` header",
    409: "A request with this `Idempotency-Key` is running, or its response is no longer stored",
    412: "`If-Match` doesn't match: the record has changed",
    413: "The body is larger than the server's limit",
    415: "The server doesn't accept this type of body",
    422: "This `Idempotency-Key` was used for a different request",
}

_UNCHANGED = "The record is unchanged (`If-None-Match`)"

#: shared error responses: name → status
_SHARED = {
    "BadRequest": 400, "NotAcceptable": 406, "Conflict": 409, "TooLarge": 413, "UnsupportedMediaType": 415,
    "Unprocessable": 422,
}  # fmt: skip

JSON = "application/json"

#: keys that make linters take an example for a schema
_OF_SCHEMAS = {"type", "default"}

#: the media type of a file, if its method documents none
_ANY_FILE = ("application/octet-stream",)

#: the records of a page of any kind
_DATA: Schema = {"type": "array", "items": {}, "description": "the records of the page"}

HEADERS: Schema = {
    "X-Total-Count": {
        "description": "number of all matching records, if you send `count`",
        "schema": {"type": "integer"},
    },
    "X-Next-Cursor": {
        "description": "the value of `after` for the next page; missing on the last page",
        "schema": {"type": "string"},
    },
    "Visible-Records": {
        "description": "which records you see, if it isn't all, and the permission that shows all",
        "schema": {"type": "string"},
    },
    "Link": {
        "description": 'the next page, relative to the request\'s URL, as `<…>; rel="next"`; missing on the last page',
        "schema": {"type": "string"},
    },
    "ETag": {
        "description": "the record's tag, for `If-Match` and `If-None-Match`",
        "schema": {"type": "string"},
    },
    "Location": {
        "description": "the URL of the created record, the job or the redirect, relative to the request's URL unless "
        "it is on another host",
        "schema": {"type": "string", "format": "uri-reference"},
    },
    "Retry-After": {
        "description": "seconds to wait before you read the job's progress",
        "schema": {"type": "integer"},
    },
    "Idempotency-Replayed": {
        "description": "`true`: this is the response to the first request with this `Idempotency-Key`",
        "schema": {"type": "string", "enum": ["true"]},
    },
}

#: an example of an error for each status
ERROR_EXAMPLES: Schema = {
    f"Error{each.value}": {"value": error_body(each.value, "the reason", standard=each.phrase)}
    for each in HTTPStatus
    if each.value >= 400
}


def _error_content(status: int = 500) -> Schema:
    named = {"error": {"$ref": f"#/components/examples/Error{status}"}}
    shown = {"examples": named} if f"Error{status}" in ERROR_EXAMPLES else {}
    return {"application/json": {"schema": reference("Error"), **shown}}


RESPONSES: Schema = {
    "Error": {"description": "Any other status: the message gives the reason", "content": _error_content()},
    **{name: {"description": _WORDS[status], "content": _error_content(status)} for name, status in _SHARED.items()},
}


def responses(operation: Operation, schemas: Schemas, is_page: bool, has_body: bool) -> Schema:
    """Return the documented responses of an operation by status.

    :param is_page: whether it returns a list with pages
    """
    success = _with_example(_success(operation, schemas, is_page), operation, schemas)
    errors = _errors(operation, is_page, has_body)
    said = {status for status, _ in operation.errors}
    if "ETag" in success.get("headers", ()):
        errors.setdefault(304, _UNCHANGED)
    if operation.id_depth:
        success = {**success, **_named_headers(*success.get("headers", ()), "Location")}
    if operation.takes_idempotency_key:
        success = {**success, **_named_headers(*success.get("headers", ()), "Idempotency-Replayed")}
    return {
        str(operation.status): success,
        **{str(status): _failure(status, text, status in said) for status, text in sorted(errors.items())},
        "default": {"$ref": "#/components/responses/Error"},
    }


def _success(operation: Operation, schemas: Schemas, is_page: bool) -> Schema:
    text = operation.annotation.returns or "Success"
    answer = answer_of_batch(operation, schemas) if operation.entries else schemas.answered(operation.result)
    if operation.result in (None, type(None)) or operation.status == 204:
        return {"description": text}
    if operation.result is File:
        kinds = operation.annotation.produces or _ANY_FILE
        return {"description": text, "content": {kind: {"schema": answer} for kind in kinds}}
    if operation.result is Redirect:
        return {
            "description": operation.annotation.returns or "Read the URL in `Location`",
            **_named_headers("Location"),
        }
    if operation.result is Accepted:
        text = operation.annotation.returns or "Accepted as a job; read its URL for progress and result"
        content = {"application/json": {"schema": schemas.accepted_job()}}
        return {"description": text, **_named_headers("Location", "Retry-After"), "content": content}
    if operation.verb == "POST" and operation.result is int and (reader := schemas.reader_of(operation)):
        answer = {**answer, "x-reads": reader}
    content = {"application/json": {"schema": answer}}
    if all(_is_record(each) for each in answer.get("anyOf", [answer])):
        headers = _named_headers("ETag") if operation.verb == "GET" else {}
        return {"description": text, **headers, "content": content}
    if any(each.get("type") != "array" for each in answer.get("anyOf", [answer])):
        return {"description": text, "content": content}
    if _is_record(answer.get("items", {})):
        content |= {kind: {"schema": {"type": "string"}} for kind in SHEETS}
    elif is_page:
        # Records or something else: no sheet has columns for both, but `all` asks for lines of either
        content[LINES] = {"schema": {"type": "string"}}
    if not is_page:
        return {"description": text, "content": content}
    wrapped = {
        "type": "object",
        COMPONENT: Component("Page", "A page of records and its totals.", {"data": _DATA}),
        "required": ["data", "pagination"],
        "properties": {
            "data": {**answer, "description": _DATA["description"]},
            "pagination": {**reference("Pagination"), "description": "the totals"},
        },
    }
    return {
        "description": text,
        **_named_headers("X-Total-Count", "X-Next-Cursor", "Link", "Visible-Records"),
        "content": content | {PAGE: {"schema": wrapped}},
    }


def _with_example(success: Schema, operation: Operation, schemas: Schemas) -> Schema:
    """Return a successful response with an example; single records and lists share the example of their model."""
    content = success.get("content", {})
    if JSON not in content:
        return success
    answer = content[JSON]["schema"]
    said = schemas.samples.of(operation)
    record = (answer.get("items") or {}).get("$ref") or answer.get("$ref")
    if "answer" in said:
        shown: Schema = {"example": schemas.examples.make(answer, said["answer"])}
    elif record is not None:
        name = record.rpartition("/")[2] + ("List" if "items" in answer else "")
        if name not in schemas.shown:
            schemas.shown[name] = {"value": schemas.examples.make(answer)}
        shown = {"examples": {"success": {"$ref": f"#/components/examples/{name}"}}}
    else:
        shown = {"example": schemas.examples.make(answer)}
    made = shown.get("example")
    if isinstance(made, dict) and made.keys() >= _OF_SCHEMAS:
        # Linters take it for a schema
        shown = {}
    return {**success, "content": {**content, JSON: {**content[JSON], **shown}}}


def _is_record(answer: Schema) -> bool:
    return answer.get("type") == "object" or "$ref" in answer


def _named_headers(*names: str) -> Schema:
    return {"headers": {name: {"$ref": f"#/components/headers/{name}"} for name in names}}


def _errors(operation: Operation, is_page: bool, has_body: bool) -> dict[int, str]:
    """Return status → description: from the docstring, the parameters, the response and the permission."""
    said: dict[int, list[str]] = {}
    if operation.inputs:
        said[400] = []
    if operation.result is not File and operation.result is not Redirect:
        said[406] = []
    if has_body:
        said[413] = []
    if has_body and not any(each.is_raw_body for each in operation.inputs):
        said[415] = []
    if operation.takes_idempotency_key:
        said |= {400: [], 409: [], 422: []}
    if operation.access != "public":
        right = f", or {operation.permission.missing}" if operation.permission else ""
        said[401] = [_WORDS[401] + right]
    if is_page and profile().empty_list_is_missing:
        said[404] = ["No matching records"]
    for status, text in operation.errors:
        said.setdefault(status, []).append(text)
    for entry in operation.entries:
        # A batch that is undone as a whole fails with the error of one of its entries
        for status, text in entry.errors:
            if status >= 400:
                said.setdefault(status, []).append(f"{entry.verb}: {text}" if text else "")
    return {
        status: "; ".join(text for text in texts if text) or _WORDS.get(status, f"Status {status}")
        for status, texts in said.items()
    }


def _failure(status: int, text: str, is_said: bool) -> Schema:
    """Return the response of an error.

    :param is_said: whether the docstring describes the status
    """
    if status < 400:
        return {"description": text}
    shared = next((name for name, known in _SHARED.items() if known == status), "")
    if shared and text == _WORDS[status]:
        return {"$ref": f"#/components/responses/{shared}"}
    # The permission differs, so the response can't be shared; it's still marked as common to all operations
    common = {"x-common": True} if status == 401 and not is_said else {}
    return {"description": text, "content": _error_content(status), **common}
