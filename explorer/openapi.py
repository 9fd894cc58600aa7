"""The catalogue as an OpenAPI 3.1 document: from the catalogue alone, so it says what is served and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from core import VERSION, Catalogue, File, settings
from core.catalogue import Operation, Service
from core.settings import NATIVE_MODULES

from .fields import Schema
from .parameters import read_body, read_parameters
from .schemas import Schemas, reference

_UNUSUAL = re.compile(r"[^A-Za-z0-9_]+")

_WORDS = {
    304: "It had been done before; nothing changed",
    400: "A value is missing or does not fit",
    401: "No valid key",
    404: "There is no such record",
    405: "Refused; the message carries the reason",
}

KEY_SCHEMES: Schema = {
    "key": {"type": "apiKey", "in": "header", "name": "DOLAPIKEY", "description": "a key of a user"},
    "bearer": {"type": "http", "scheme": "bearer", "description": "the same key as Authorization: Bearer"},
}

_LIST_HEADERS: Schema = {
    "X-Total-Count": {
        "description": "number of all matching records, when `count` asks for it",
        "schema": {"type": "integer"},
    },
    "X-Next-Cursor": {
        "description": "the value of `after` for the next page; not sent with the last one",
        "schema": {"type": "string"},
    },
}


@dataclass(frozen=True)
class Described:
    """One operation as OpenAPI says it, before anything is shared."""

    operation: Operation
    id: str
    path: str
    parameters: tuple[Schema, ...]
    #: names of the parameters that are the same on every list
    shared: frozenset[str]
    body: Schema | None
    answer: Schema
    responses: dict[str, Schema]

    def is_shared(self, parameter: Schema) -> bool:
        """Whether a parameter is one of those of every list."""
        return parameter["in"] == "query" and parameter["name"] in self.shared


@dataclass(frozen=True)
class Description:
    """All that is served, in words and schemas; what both the document and the page are made from."""

    catalogue: Catalogue
    services: tuple[Service, ...]
    operations: tuple[Described, ...]
    schemas: dict[str, Schema]


def describe(served: Catalogue) -> Description:
    """Describe every operation of a catalogue in the configuration in force."""
    # Native services first, so that what is dropped in cannot change the names of theirs
    services = sorted(served.services.values(), key=lambda each: (not _is_native(each), each.name))
    schemas = Schemas()
    ids: set[str] = set()
    operations = [_describe(operation, schemas, ids) for service in services for operation in service.operations]
    return Description(served, tuple(services), tuple(operations), schemas.named)


def _is_native(service: Service) -> bool:
    return service.file.is_relative_to(NATIVE_MODULES)


def _describe(operation: Operation, schemas: Schemas, ids: set[str]) -> Described:
    shared = frozenset(each.name for each in operation.inputs if each.group)
    is_page = "pagination_data" in shared
    answer = schemas.answered(operation.result)
    return Described(
        operation,
        _identifier(operation, ids),
        re.sub(r"\*$", "{rest}", operation.template),
        tuple(read_parameters(operation, schemas)),
        shared,
        read_body(operation, schemas),
        answer,
        {
            str(operation.status): _success(operation, answer, is_page),
            **{str(status): _failure(status, text) for status, text in sorted(_errors(operation, is_page).items())},
            "default": {"$ref": "#/components/responses/Error"},
        },
    )


def _identifier(operation: Operation, taken: set[str]) -> str:
    """``get-thirdparties-id``: verb and path; the method's name and a number besides where that is not enough."""
    words = [operation.verb.lower(), operation.service]
    words += ["rest" if part == "*" else _UNUSUAL.sub("-", part).strip("-") for part in operation.segments]
    plain = "-".join(word for word in words if word)
    longer = f"{plain}-{operation.name}"
    numbered = (f"{longer}-{number}" for number in range(2, len(taken) + 3))
    # Programs that make names of them mind neither case nor stroke
    chosen = next(each for each in (plain, longer, *numbered) if _same(each) not in taken)
    taken.add(_same(chosen))
    return chosen


def _same(identifier: str) -> str:
    return identifier.lower().replace("-", "_")


# Answers -------------------------------------------------------------------------------------------------------------


def _success(operation: Operation, answer: Schema, is_page: bool) -> Schema:
    text = operation.annotation.returns or "Success"
    if operation.result in (None, type(None)) or operation.status == 204:
        return {"description": text}
    if operation.result is File:
        return {"description": text, "content": {"application/octet-stream": {"schema": answer}}}
    if not is_page or answer.get("type") != "array":
        return {"description": text, "content": {"application/json": {"schema": answer}}}
    wrapped = {
        "type": "object",
        "description": "with `pagination_data`",
        "required": ["data", "pagination"],
        "properties": {"data": answer, "pagination": reference("Pagination")},
    }
    return {
        "description": text,
        "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in _LIST_HEADERS},
        "content": {
            "application/json": {"schema": {"oneOf": [answer, wrapped]}},
            "text/csv": {"schema": {"type": "string"}},
        },
    }


def _errors(operation: Operation, is_page: bool) -> dict[int, str]:
    """Status → words: what the docstring says, and what follows from parameters and permission."""
    said: dict[int, list[str]] = {}
    if operation.inputs:
        said[400] = []
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
    if status == 400 and text == _WORDS[400]:
        return {"$ref": "#/components/responses/BadRequest"}
    return {"description": text, "content": _ERROR_CONTENT}


_ERROR_CONTENT: Schema = {"application/json": {"schema": reference("Error")}}

_RESPONSES: Schema = {
    "Error": {"description": "Another failure; the message says which", "content": _ERROR_CONTENT},
    "BadRequest": {"description": _WORDS[400], "content": _ERROR_CONTENT},
}


# The document --------------------------------------------------------------------------------------------------------


def document(description: Description) -> Schema:
    """The OpenAPI document."""
    shared = _Shared()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Comptoir",
            "version": VERSION,
            "description": "A REST service for business records. Every service is a file of a module; this document "
            f"describes those that are loaded now, in the profile `{settings().profile.name}`.",
        },
        # From /explorer/openapi.json to the root, under whatever prefix it is served
        "servers": [{"url": ".."}],
        "security": [{"key": []}, {"bearer": []}],
        "tags": [_tag(each) for each in description.services if each.operations],
        "paths": _paths(description.operations, shared),
        "components": {
            "schemas": description.schemas,
            "parameters": shared.named,
            "responses": _RESPONSES,
            "headers": _LIST_HEADERS,
            "securitySchemes": KEY_SCHEMES,
        },
    }


def _tag(service: Service) -> Schema:
    text = "\n\n".join(part for part in (service.annotation.summary, service.annotation.description) if part)
    return {"name": service.name, **({"description": text} if text else {}), "x-module": service.module}


class _Shared:
    """Parameters that stand once in the document: those of lists."""

    def __init__(self) -> None:
        self.named: dict[str, Schema] = {}

    def share(self, parameter: Schema) -> Schema:
        """A reference to a parameter; one of the same name that says something else stands where it is used."""
        name = parameter["name"]
        if _UNUSUAL.search(name) or self.named.setdefault(name, parameter) != parameter:
            return parameter
        return {"$ref": f"#/components/parameters/{name}"}


def _paths(operations: Iterable[Described], shared: _Shared) -> Schema:
    paths: dict[str, Schema] = {}
    first: dict[str, str] = {}
    for each in operations:
        verb = each.operation.verb.lower()
        shape = re.sub(r"\{\w+\}", "{}", each.path)
        path = first.setdefault(shape, each.path)
        if verb in paths.get(path, {}):
            # Two operations in one place, told apart by whether a number comes: OpenAPI has no word for it
            path = each.path
        paths.setdefault(path, {})[verb] = _operation(each, path, shared)
    return paths


def _operation(each: Described, path: str, shared: _Shared) -> Schema:
    operation, note = each.operation, each.operation.annotation
    names = dict(zip(re.findall(r"\{(\w+)\}", each.path), re.findall(r"\{(\w+)\}", path), strict=True))
    parameters = [
        shared.share(one)
        if each.is_shared(one)
        else {**one, "name": names[one["name"]]}
        if one["in"] == "path"
        else one
        for one in each.parameters
    ]
    texts = [
        note.description,
        f"Needs the right `{operation.permission.text}`." if operation.permission else "",
        f"Deprecated: {note.deprecated}" if note.deprecated else "",
    ]
    text = "\n\n".join(text for text in texts if text)
    said: dict[str, Any] = {
        "operationId": each.id,
        "tags": [operation.service],
        "summary": note.summary,
        "description": text,
        "deprecated": note.deprecated is not None,
        "parameters": parameters,
        "requestBody": each.body,
        "x-permission": operation.permission.text if operation.permission else None,
    }
    said = {name: value for name, value in said.items() if value not in ("", None, False, [])}
    if operation.access != "protected":
        said["security"] = [] if operation.access == "public" else [{}, {"key": []}, {"bearer": []}]
    return {**said, "responses": each.responses}
