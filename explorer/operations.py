"""An operation in OpenAPI, and all operations of a service, independent of the caller."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from core.contract.catalogue import Operation, Service
from core.storage.serializer import etag_of, to_json
from core.web.views import DATES

from .batch_schemas import read_batch
from .events import EventFacts
from .field_schemas import Schema
from .groups import group_operations
from .names import Names, name_operations, table_read_by
from .next_calls import read_next_calls
from .parameters import (
    CONDITIONS,
    IDEMPOTENCY_KEY,
    IDEMPOTENCY_KEY_PARAMETER,
    PREFER,
    PREFER_PARAMETER,
    read_body,
    read_parameters,
    searched_fields,
)
from .responses import responses
from .schemas import Schemas, extras_state
from .titles import title_of, told_in_full

_log = logging.getLogger("comptoir")

#: a reference to a record's schema, or to the body that creates or changes it
_MODEL = re.compile(r'"#/components/schemas/(?!Error|Pagination)(\w+?)(?:New|Change)?"')
#: maximum number of a parameter's values for the search
_VALUES = 20


@dataclass(frozen=True)
class Described:
    """An operation.

    :param said: the operation in OpenAPI, without its path and verb
    :param path: its path, with ``{rest}`` for a star
    :param words: names of its parameters and their values, for the search
    :param group: its group in lists: see `groups.py`
    :param models: the schemas of its bodies and responses, for the search
    :param after: the records after which it is offered as the next call
    """

    operation: Operation
    id: str
    path: str
    said: Schema
    words: tuple[str, ...]
    group: str = ""
    models: tuple[str, ...] = ()
    after: tuple[Schema, ...] = ()


@dataclass(frozen=True)
class DescribedService:
    """A service with all data of its documents.

    :param parameters: the parameters of all lists, by name
    :param examples: the examples of responses, by name
    :param events: the events that webhooks receive of its records and of those under its path, by names such as
        ``orders.validated``
    :param tag: identifies this description; it changes with it
    :param still_fits: returns whether it is valid in another catalogue with the same service
    """

    service: Service
    operations: tuple[Described, ...]
    schemas: dict[str, Schema]
    parameters: dict[str, Schema]
    examples: dict[str, Schema]
    events: dict[str, EventFacts]
    tag: str
    still_fits: Callable[[Names], bool]

    @cached_property
    def record(self) -> str:
        """The schema of the records that it reads by ID; empty: it reads none."""
        return next((each.models[0] for each in self.operations if each.models and table_read_by(each.operation)), "")


def describe_service(service: Service, names: Names) -> DescribedService:
    """Describe every operation of a service with the current settings."""
    schemas = Schemas(names)
    parameters: dict[str, Schema] = {}
    identifiers = name_operations(service.operations)
    described = [
        _describe_safely(operation, identifier, schemas, parameters, names)
        for operation, identifier in zip(service.operations, identifiers, strict=True)
    ]
    groups = group_operations(service, [each.said for each in described])
    operations = tuple(replace(each, group=group) for each, group in zip(described, groups, strict=True))
    note = service.annotation
    origins = dict.fromkeys((service.name, *(each.origin for each in service.operations)))
    events = {f"{origin}.{name}": each for origin in origins for name, each in names.events.get(origin, {}).items()}
    told = [note.summary, note.description, service.rights, service.transitions, [*events.items()]]
    paths = [[each.path, each.said] for each in operations]
    tag = etag_of(to_json([told, paths, schemas.named, schemas.shown])).strip('"')
    used, extras, readers, shown = schemas.models, schemas.extras, names.readers, names.relations.shown
    samples = names.samples

    def still_fits(others: Names) -> bool:
        return (
            all(others.models.get(model, name) == name for model, name in used.items())
            and (others.readers is readers or others.readers == readers)
            and others.relations.shown == shown
            and others.samples == samples
            and others.kinds == names.kinds
            and all(extras_state(element) == state for element, state in extras.items())
        )

    return DescribedService(service, operations, schemas.named, parameters, schemas.shown, events, tag, still_fits)


def _describe_safely(
    operation: Operation, identifier: str, schemas: Schemas, shared: dict[str, Schema], names: Names
) -> Described:
    """Describe an operation; if its types can't be described, only its name, so that the other operations appear."""
    try:
        made = replace(_describe(operation, identifier, schemas, shared), after=read_next_calls(operation, names))
        to_json(made.said)
    except Exception:  # noqa: BLE001 - annotations may be anything
        _log.exception("can't create the OpenAPI description of %s %s", operation.verb, operation.template)
    else:
        return made
    path = _path_of(operation)
    named = re.findall(r"\{(\w+)\}", path)
    said: Schema = {
        "operationId": identifier,
        "tags": [operation.service],
        "summary": title_of(operation.annotation.summary),
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
        words += [name, *_values_of(each.get("schema", {}))]
        # The columns in an example depend on the model; lists of the same model share the parameter. Without the word
        # "Parameter", generated clients would have the same name for `page` and the schema `Page`
        model = schemas.name_of(operation.shape.model) if "example" in each and operation.shape else "Parameter"
        key = f"{name}-{model}"
        if each["in"] == "query" and (name in of_lists or name == DATES) and shared.setdefault(key, each) == each:
            parameters.append({"$ref": f"#/components/parameters/{key}"})
        else:
            parameters.append(each)
    if operation.inputs or operation.id_depth:
        shared.setdefault(PREFER, PREFER_PARAMETER)
        parameters.append({"$ref": f"#/components/parameters/{PREFER}"})
    if operation.takes_idempotency_key:
        shared.setdefault(IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_PARAMETER)
        parameters.append({"$ref": f"#/components/parameters/{IDEMPOTENCY_KEY}"})
    body = read_batch(operation, schemas) if operation.entries else read_body(operation, schemas)
    note = operation.annotation
    wrapped = f"Wrapped by {' and '.join(operation.wrapped_by)}." if operation.wrapped_by else ""
    said: Schema = {
        "operationId": identifier,
        "tags": [operation.service],
        "summary": title_of(note.summary),
        "description": "\n\n".join(
            filter(None, (told_in_full(note.summary, note.description) or note.summary, wrapped))
        ),
        "deprecated": note.deprecated is not None,
        "parameters": parameters,
        "requestBody": body,
        "x-permission": operation.permission.text if operation.permission else None,
        "x-requires": note.requires,
        "x-wrapped-by": [*operation.wrapped_by],
        "x-deprecated": note.deprecated,
        "x-searched": searched_fields(operation),
    }
    said = {name: value for name, value in said.items() if value not in ("", None, False, [])}
    if operation.access != "protected":
        said["security"] = [] if operation.access == "public" else [{}, {"key": []}, {"bearer": []}]
    said["responses"] = responses(operation, schemas, "pagination_data" in of_lists, body is not None)
    said |= _with_conditions(said, shared)
    words += [each.name for each in operation.inputs if each.place == "body"]
    told = [body, said["responses"].get(str(operation.status))]
    models = tuple(dict.fromkeys(_MODEL.findall(to_json(told).decode())))
    return Described(operation, identifier, _path_of(operation), said, tuple(dict.fromkeys(words)), models=models)


def _with_conditions(said: Schema, shared: dict[str, Schema]) -> Schema:
    """The parameters of an operation with the headers that its responses 304 and 412 depend on."""
    answers, success = said["responses"], [each for status, each in said["responses"].items() if status[0] == "2"]
    compares = {
        "IfMatch": "412" in answers,
        "IfNoneMatch": "304" in answers and any("ETag" in each.get("headers", ()) for each in success),
    }
    names = [name for name, is_compared in compares.items() if is_compared]
    shared |= {name: CONDITIONS[name] for name in names}
    references = [{"$ref": f"#/components/parameters/{name}"} for name in names]
    return {"parameters": [*said.get("parameters", ()), *references]} if names else {}


def _values_of(schema: Schema) -> list[str]:
    """Return the values of a parameter and their meanings."""
    choices = [each for each in schema.get("enum", ()) if isinstance(each, str)]
    return [*choices, *map(str, schema.get("x-values", {}).values())][:_VALUES]


def right_names(service: Service) -> list[str]:
    """Return the service's own permissions that it requires or declares."""
    asked: set[Any] = set()
    for operation in service.operations:
        asked |= operation.permission.rights if operation.permission else set()
    known = service.right_names
    declared = {f"{service.name}.{verb}" for verb in service.rights}
    return [right for right in known if right in asked | declared]
