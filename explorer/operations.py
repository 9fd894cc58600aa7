"""One operation as OpenAPI says it, and all operations of a service, before anything is said for one caller."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core import File, settings
from core.catalogue import Operation, Service
from core.plain import dump, tag_of
from core.sheets import SHEETS

from .components import reference
from .fields import Schema
from .names import Names, name_operations
from .parameters import read_body, read_parameters
from .schemas import Schemas, extras_state

_log = logging.getLogger("comptoir")

_WORDS = {
    304: "It had been done before; nothing changed",
    400: "A value is missing or does not fit",
    401: "No valid key",
    404: "There is no such record",
    405: "Refused; the message carries the reason",
    406: "The header Accept names nothing that can be answered",
    412: "The record is no longer the one that If-Match names",
    413: "The body is larger than the settings allow",
    415: "The body is of a type that is not read",
}

_UNCHANGED = "The record is in the state that If-None-Match names"

#: what the server itself answers, so that it is said in one place: name → status
_SHARED = {"BadRequest": 400, "NotAcceptable": 406, "TooLarge": 413, "UnsupportedMediaType": 415}

HEADERS: Schema = {
    "X-Total-Count": {
        "description": "number of all matching records, when `count` asks for it",
        "schema": {"type": "integer"},
    },
    "X-Next-Cursor": {
        "description": "the value of `after` for the next page; not sent with the last one",
        "schema": {"type": "string"},
    },
    "ETag": {
        "description": "the name of the record's state, for If-Match and If-None-Match",
        "schema": {"type": "string"},
    },
}

_ERROR_CONTENT: Schema = {"application/json": {"schema": reference("Error")}}

RESPONSES: Schema = {
    "Error": {"description": "Any other status: the message says what went wrong", "content": _ERROR_CONTENT},
    **{name: {"description": _WORDS[status], "content": _ERROR_CONTENT} for name, status in _SHARED.items()},
}


@dataclass(frozen=True)
class Described:
    """One operation.

    :param said: what OpenAPI says of it, but for its place
    :param path: its path, with ``{rest}`` for what a star takes
    :param words: names of its parameters, for the search
    """

    operation: Operation
    id: str
    path: str
    said: Schema
    words: tuple[str, ...]


@dataclass(frozen=True)
class DescribedService:
    """A service with everything that its documents say.

    :param parameters: those of every list, by name
    :param tag: names this description; another one has another tag
    :param still_fits: whether it is true in another catalogue that holds the same service
    """

    service: Service
    operations: tuple[Described, ...]
    schemas: dict[str, Schema]
    parameters: dict[str, Schema]
    tag: str
    still_fits: Callable[[Names], bool]


def describe_service(service: Service, names: Names) -> DescribedService:
    """Describe every operation of a service in the configuration in force."""
    schemas = Schemas(names)
    parameters: dict[str, Schema] = {}
    identifiers = name_operations(service.operations)
    operations = tuple(
        _describe_safely(operation, identifier, schemas, parameters)
        for operation, identifier in zip(service.operations, identifiers, strict=True)
    )
    note = service.annotation
    told = [note.summary, note.description, service.rights, service.transitions]
    tag = tag_of(dump([told, [[each.path, each.said] for each in operations], schemas.named])).strip('"')
    used, extras, readers = schemas.models, schemas.extras, names.readers

    def still_fits(others: Names) -> bool:
        return (
            all(others.models.get(model, name) == name for model, name in used.items())
            and (others.readers is readers or others.readers == readers)
            and all(extras_state(element) == state for element, state in extras.items())
        )

    return DescribedService(service, operations, schemas.named, parameters, tag, still_fits)


def _describe_safely(operation: Operation, identifier: str, schemas: Schemas, shared: dict[str, Schema]) -> Described:
    """An operation, by its name alone where an author's types cannot be told: it must not hide the others."""
    try:
        made = _describe(operation, identifier, schemas, shared)
        dump(made.said)
    except Exception:  # noqa: BLE001 - annotations may be anything
        _log.exception("%s %s cannot be described", operation.verb, operation.template)
    else:
        return made
    path = _path_of(operation)
    named = re.findall(r"\{(\w+)\}", path)
    said: Schema = {
        "operationId": identifier,
        "tags": [operation.service],
        "summary": operation.annotation.summary,
        "parameters": [{"name": name, "in": "path", "required": True, "schema": {}} for name in named],
        "x-permission": operation.permission.text if operation.permission else None,
        "responses": {"default": {"$ref": "#/components/responses/Error"}},
    }
    return Described(operation, identifier, path, {name: each for name, each in said.items() if each}, ())


def _path_of(operation: Operation) -> str:
    return re.sub(r"\*$", "{rest}", operation.template)


def _describe(operation: Operation, identifier: str, schemas: Schemas, shared: dict[str, Schema]) -> Described:
    of_lists = {each.name for each in operation.inputs if each.group}
    words: list[str] = []
    parameters: list[Schema] = []
    for each in read_parameters(operation, schemas):
        name = each["name"]
        words.append(name)
        if each["in"] == "query" and name in of_lists and shared.setdefault(name, each) == each:
            parameters.append({"$ref": f"#/components/parameters/{name}"})
        else:
            parameters.append(each)
    body = read_body(operation, schemas)
    note = operation.annotation
    texts = [
        note.description,
        f"Needs the right `{operation.permission.text}`." if operation.permission else "",
        f"Deprecated: {note.deprecated}" if note.deprecated else "",
    ]
    said: Schema = {
        "operationId": identifier,
        "tags": [operation.service],
        "summary": note.summary,
        "description": "\n\n".join(text for text in texts if text),
        "deprecated": note.deprecated is not None,
        "parameters": parameters,
        "requestBody": body,
        "x-permission": operation.permission.text if operation.permission else None,
        "x-deprecated": note.deprecated,
    }
    said = {name: value for name, value in said.items() if value not in ("", None, False, [])}
    if operation.access != "protected":
        said["security"] = [] if operation.access == "public" else [{}, {"key": []}, {"bearer": []}]
    said["responses"] = _responses(operation, schemas, "pagination_data" in of_lists, body is not None)
    words += [each.name for each in operation.inputs if each.place == "body"]
    return Described(operation, identifier, _path_of(operation), said, tuple(dict.fromkeys(words)))


# Answers -------------------------------------------------------------------------------------------------------------


def _responses(operation: Operation, schemas: Schemas, is_page: bool, has_body: bool) -> Schema:
    success = _success(operation, schemas, is_page)
    errors = _errors(operation, is_page, has_body)
    if "ETag" in success.get("headers", ()):
        errors.setdefault(304, _UNCHANGED)
    return {
        str(operation.status): success,
        **{str(status): _failure(status, text) for status, text in sorted(errors.items())},
        "default": {"$ref": "#/components/responses/Error"},
    }


def _success(operation: Operation, schemas: Schemas, is_page: bool) -> Schema:
    text = operation.annotation.returns or "Success"
    answer = schemas.answered(operation.result)
    if operation.result in (None, type(None)) or operation.status == 204:
        return {"description": text}
    if operation.result is File:
        return {"description": text, "content": {"*/*": {"schema": answer}}}
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
    if not is_page:
        return {"description": text, "content": content}
    wrapped = {
        "type": "object",
        "description": "with `pagination_data`",
        "required": ["data", "pagination"],
        "properties": {"data": answer, "pagination": reference("Pagination")},
    }
    return {
        "description": text,
        **_named_headers("X-Total-Count", "X-Next-Cursor"),
        "content": content | {"application/json": {"schema": {"oneOf": [answer, wrapped]}}},
    }


def _is_record(answer: Schema) -> bool:
    return answer.get("type") == "object" or "$ref" in answer


def _named_headers(*names: str) -> Schema:
    return {"headers": {name: {"$ref": f"#/components/headers/{name}"} for name in names}}


def _errors(operation: Operation, is_page: bool, has_body: bool) -> dict[int, str]:
    """Status → words: what the docstring says, and what follows from parameters, answer and permission."""
    said: dict[int, list[str]] = {}
    if operation.inputs:
        said[400] = []
    if operation.result is not File:
        said[406] = []
    if has_body:
        said |= {413: [], 415: []}
    if operation.access != "public":
        right = f", or the right {operation.permission.text} is missing" if operation.permission else ""
        said[401] = [_WORDS[401] + right]
    if is_page and settings().profile.empty_list_is_missing:
        said[404] = ["Nothing matches"]
    for status, text in operation.errors:
        said.setdefault(status, []).append(text)
    return {
        status: "; ".join(text for text in texts if text) or _WORDS.get(status, f"Status {status}")
        for status, texts in said.items()
    }


def _failure(status: int, text: str) -> Schema:
    if status < 400:
        return {"description": text}
    shared = next((name for name, known in _SHARED.items() if known == status), "")
    if shared and text == _WORDS[status]:
        return {"$ref": f"#/components/responses/{shared}"}
    return {"description": text, "content": _ERROR_CONTENT}


def right_names(service: Service) -> list[str]:
    """The rights of its own that a service asks for or declares."""
    asked: set[Any] = set()
    for operation in service.operations:
        asked |= operation.permission.rights if operation.permission else set()
    known = service.right_names
    declared = {f"{service.name}.{verb}" for verb in service.rights}
    return [right for right in known if right in asked | declared]
