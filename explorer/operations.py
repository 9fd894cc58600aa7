"""One operation as OpenAPI says it, and all operations of a service, before anything is said for one caller."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.contract.catalogue import Operation, Service
from core.storage.serializer import etag_of, to_json

from .field_schemas import Schema
from .names import Names, name_operations
from .parameters import IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_PARAMETER, read_body, read_parameters
from .responses import responses
from .schemas import Schemas, extras_state

_log = logging.getLogger("comptoir")


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
    tag = etag_of(to_json([told, [[each.path, each.said] for each in operations], schemas.named])).strip('"')
    used, extras, readers = schemas.models, schemas.extras, names.readers

    def still_fits(others: Names) -> bool:
        return (
            all(others.models.get(model, name) == name for model, name in used.items())
            and (others.readers is readers or others.readers == readers)
            and all(extras_state(element) == state for element, state in extras.items())
        )

    return DescribedService(service, operations, schemas.named, parameters, tag, still_fits)


def _describe_safely(operation: Operation, identifier: str, schemas: Schemas, shared: dict[str, Schema]) -> Described:
    """An operation; only its name where its types cannot be described, so that it does not hide the others."""
    try:
        made = _describe(operation, identifier, schemas, shared)
        to_json(made.said)
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
    if operation.takes_idempotency_key:
        shared.setdefault(IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_PARAMETER)
        parameters.append({"$ref": f"#/components/parameters/{IDEMPOTENCY_KEY}"})
    body = read_body(operation, schemas)
    note = operation.annotation
    said: Schema = {
        "operationId": identifier,
        "tags": [operation.service],
        "summary": note.summary,
        "description": note.description,
        "deprecated": note.deprecated is not None,
        "parameters": parameters,
        "requestBody": body,
        "x-permission": operation.permission.text if operation.permission else None,
        "x-deprecated": note.deprecated,
    }
    said = {name: value for name, value in said.items() if value not in ("", None, False, [])}
    if operation.access != "protected":
        said["security"] = [] if operation.access == "public" else [{}, {"key": []}, {"bearer": []}]
    said["responses"] = responses(operation, schemas, "pagination_data" in of_lists, body is not None)
    words += [each.name for each in operation.inputs if each.place == "body"]
    return Described(operation, identifier, _path_of(operation), said, tuple(dict.fromkeys(words)))


def right_names(service: Service) -> list[str]:
    """The rights of its own that a service asks for or declares."""
    asked: set[Any] = set()
    for operation in service.operations:
        asked |= operation.permission.rights if operation.permission else set()
    known = service.right_names
    declared = {f"{service.name}.{verb}" for verb in service.rights}
    return [right for right in known if right in asked | declared]
