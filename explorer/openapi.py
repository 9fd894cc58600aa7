"""OpenAPI 3.1 documents, of all services or of one, for a caller's permissions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from core.access.callers import Permission
from core.common.reasons import REASONS, state_reasons
from core.common.settings import Settings, settings
from core.contract.catalogue import catalogue
from core.storage.serializer import to_json
from core.version import VERSION

from .events import EVENT, EVENT_PARAMETERS, EVENT_SCHEMA, describe_event
from .examples import DAY
from .field_schemas import Schema
from .groups import group_services
from .names import record_name
from .operations import Described, DescribedService, right_names
from .responses import ERROR_EXAMPLES, HEADERS, JSON, RESPONSES
from .schemas import closed_body
from .titles import service_title

KEY_SCHEMES: Schema = {
    "key": {"type": "apiKey", "in": "header", "name": "DOLAPIKEY", "description": "a user's key"},
    "bearer": {"type": "http", "scheme": "bearer", "description": "the same key as Authorization: Bearer"},
}

LICENSE: Schema = {"name": "MIT License", "identifier": "MIT"}
#: the holders of the licence's copyright
CONTACT: Schema = {"name": "Comptoir's authors"}

#: whether the caller meets a permission
Held = Callable[[Permission], bool]


def document(
    services: Sequence[DescribedService], held: Held, *, title: str = "Comptoir", tag: str = "", events: bool = True
) -> Schema:
    """Return the document of some services, without the server's address, which depends on the request.

    :param tag: the tag of this description, as in the index; both are from the same description if the tags are equal
    :param events: whether to include the events that webhooks receive
    """
    schemas: dict[str, Schema] = {EVENT: EVENT_SCHEMA}
    parameters: dict[str, Schema] = {**EVENT_PARAMETERS}
    examples: dict[str, Schema] = {**ERROR_EXAMPLES}
    operations: list[Described] = []
    for each in services:
        schemas |= each.schemas
        examples |= each.examples
        # If services define a parameter differently, the first definition is shared; others are repeated in place
        other = {name: said for name, said in each.parameters.items() if parameters.setdefault(name, said) != said}
        operations += [_said_in_place(operation, other) for operation in each.operations] if other else each.operations
    schemas["Reason"] = _reasons()
    webhooks = _webhooks(services) if events else {}
    made: Schema = {
        "openapi": "3.1.0",
        "info": {
            "title": title,
            "version": VERSION,
            "description": "A REST API for business records. Every service is a file of a module. This document "
            f"describes the loaded services{_manner()}. Operations that your key can't call have `x-allowed: false`.",
            "license": LICENSE,
            "contact": CONTACT,
            "x-example-day": DAY,
            **({"x-tag": tag} if tag else {}),
        },
        "security": [{"key": []}, {"bearer": []}],
        "tags": [_tag(each) for each in services if each.operations],
        "x-tagGroups": [
            {"name": name, "tags": names}
            for name, names in group_services(each.service for each in services if each.operations).items()
        ],
        "paths": _paths(operations, held),
        **({"webhooks": webhooks} if webhooks else {}),
        "components": {
            "schemas": schemas,
            "parameters": parameters,
            "responses": RESPONSES,
            "examples": examples,
            "headers": HEADERS,
            "securitySchemes": KEY_SCHEMES,
        },
    }
    return {**made, "components": _used(made)}


#: a reference to a component of any kind
_REFERENCE = re.compile(rb'"#/components/(\w+)/([\w-]+)"')


def with_closed_bodies(made: Schema) -> Schema:
    """A document whose bodies reject unknown keys, as strict handling does, for generators of clients."""
    schemas: Schema = made["components"]["schemas"]

    def closed(name: str, schema: Schema) -> Schema:
        record = schemas.get(record_name(name), {})
        is_body = record is not schema and "properties" in record and schema.get("additionalProperties") is True
        return closed_body(schema, record) if is_body else schema

    shut = {name: closed(name, each) for name, each in schemas.items()}
    return {**made, "components": {**made["components"], "schemas": shut}}


def _used(made: Schema) -> Schema:
    """The components of a document without those that nothing refers to."""
    components: Schema = made["components"]
    inside = {
        (part, name): set(_REFERENCE.findall(to_json(each)))
        for part, parts in components.items()
        if part != "securitySchemes"
        for name, each in parts.items()
    }
    found: set[tuple[str, str]] = set()
    left = set(_REFERENCE.findall(to_json([made["paths"], made.get("webhooks")])))
    while left:
        part, name = (word.decode() for word in left.pop())
        if (part, name) not in found:
            found.add((part, name))
            left |= inside.get((part, name), set())
    return {
        part: parts
        if part == "securitySchemes"
        else {name: each for name, each in parts.items() if (part, name) in found}
        for part, parts in components.items()
    }


def _reasons() -> Schema:
    """The reasons that errors can have: those of the list, and those of the states of all services."""
    services = catalogue().services.values()
    found = REASONS | dict(sorted(pair for each in services for pair in state_reasons(each.transitions)))
    description = "Why the operation was rejected: a stable word for programs"
    return {"type": "string", "description": description, "enum": list(found), "x-values": found}


def _manner() -> str:
    """Return the profile if it isn't the default one."""
    name = settings().profile_name
    return "" if name == Settings.profile_name else f", in the profile `{name}`"


def _tag(described: DescribedService) -> Schema:
    service = described.service
    text = "\n\n".join(part for part in (service.annotation.summary, service.annotation.description) if part)
    makers = {each.operation.name: each.id for each in described.operations}
    transitions = [
        {"from": each.source, "move": each.name, "to": each.target}
        | ({"operation": makers[each.name]} if each.name in makers else {})
        for each in service.transitions
    ]
    rights = right_names(service)
    meanings = {f"{service.name}.{verb}": meaning for verb, meaning in service.rights.items() if meaning}
    return {
        "name": service.name,
        "x-displayName": service_title(service),
        **({"description": text} if text else {}),
        "x-module": service.module,
        **({"x-rights": rights} if rights else {}),
        **({"x-rights-meaning": meanings} if meanings else {}),
        **({"x-transitions": transitions} if transitions else {}),
    }


def _said_in_place(described: Described, parameters: dict[str, Schema]) -> Described:
    """Return an operation with its own definitions instead of references to some parameters."""
    own = [
        parameters.get(each.get("$ref", "").rpartition("/")[2], each) for each in described.said.get("parameters", ())
    ]
    return replace(described, said={**described.said, "parameters": own})


def _webhooks(services: Iterable[DescribedService]) -> Schema:
    """Return the requests of the events of some services, with the records as the services return them."""
    found: Schema = {}
    for described in services:
        readers = {each.operation.origin: each for each in described.operations if each.operation.reads_record}
        patches = {each.path: each.said for each in described.operations if each.operation.verb == "PATCH"}
        for name, facts in described.events.items():
            reader = readers.get(name.partition(".")[0])
            record = _json_of(reader.said["responses"].get("200", {})) if reader else {}
            # An operation whose types can't be described has no content
            if facts.has_record and not record:
                continue
            example = record.get("examples", {}).get("success", {}).get("$ref", "").rpartition("/")[2]
            shown = record.get("example", described.examples.get(example, {}).get("value"))
            change = _json_of(patches.get(reader.path, {}).get("requestBody", {})).get("example") if reader else None
            examples = [each if isinstance(each, dict) else {} for each in (shown, change)]
            found[name] = describe_event(name, facts, described.service.name, record.get("schema", {}), *examples)
    return found


def _json_of(said: Schema) -> Schema:
    """Return the content of a body or a response in JSON."""
    content: Schema = said.get("content", {}).get(JSON, {})
    return content


def _paths(operations: Iterable[Described], held: Held) -> Schema:
    paths: dict[str, Schema] = {}
    first: dict[str, str] = {}
    for each in operations:
        verb = each.operation.verb.lower()
        shape = re.sub(r"\{\w+\}", "{}", each.path)
        path = first.setdefault(shape, each.path)
        if verb in paths.get(path, {}):
            # Two operations differ only in the type of the variable, which OpenAPI can't express
            path = each.path
        while verb in paths.get(path, {}):
            # Both may use the same variable name
            path = path.replace("}", "_}", 1)
        permission = each.operation.permission
        said = each.said if permission is None or held(permission) else {**each.said, "x-allowed": False}
        paths.setdefault(path, {})[verb] = said if path == each.path else _renamed(said, each.path, path)
    return paths


def _renamed(said: Schema, own: str, path: str) -> Schema:
    """Return an operation with the variable names of another one at the same path."""
    names = dict(zip(re.findall(r"\{(\w+)\}", own), re.findall(r"\{(\w+)\}", path), strict=True))
    parameters: list[Any] = [
        {**each, "name": names[each["name"]]} if each.get("in") == "path" else each for each in said["parameters"]
    ]
    return {**said, "parameters": parameters}
