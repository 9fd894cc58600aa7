"""The names in OpenAPI documents: of schemas and operations, and the operation that reads a table's records.

They depend only on the catalogue, so every worker generates the same ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core import Model
from core.access.accounts import ACCOUNT_TABLES
from core.common import settings
from core.contract.catalogue import Catalogue, Operation, Service
from core.contract.relations import model_of
from core.storage.model import meta_of
from core.web.views import Relations

from .events import EVENT, EventFacts, find_events
from .samples import Samples, read_samples

#: names of a model's schemas: the record, a part of it, and the bodies that create and change it
RECORD, PARTIAL, NEW, CHANGE = PURPOSES = ("{}", "Partial{}", "{}New", "{}Change")

_UNUSUAL = re.compile(r"[^A-Za-z0-9_]+")
_RESERVED = ("AllowedOperation", "Error", "Pagination", "Reason", EVENT)


@dataclass(frozen=True)
class Names:
    """The names of one catalogue.

    :param models: model → its name in schemas
    :param readers: table → ID of the operation that reads one of its records by ID
    :param relations: the records that can be expanded
    :param samples: the authors' examples
    :param kinds: name of a record, such as ``thirdparty`` → the service that reads it by ID
    :param events: service → the events that webhooks receive, by name
    """

    models: Mapping[type[Model], str]
    readers: Mapping[str, str]
    relations: Relations
    samples: Samples
    kinds: Mapping[str, str]
    events: Mapping[str, Mapping[str, EventFacts]]


def read_names(served: Catalogue, services: Iterable[Service]) -> Names:
    """Return the names of a catalogue.

    :param services: its services in the order of `ordered`
    """
    services = list(services)
    models, readers = _name_models(served, services), _find_readers(services)
    kinds = _name_kinds(served, readers)
    samples = read_samples(services, models, module_of)
    return Names(models, readers, Relations(served), samples, kinds, find_events(served))


def ordered(served: Catalogue) -> list[Service]:
    """Return the services, native ones first: added modules can't change the names of native schemas."""
    return sorted(served.services.values(), key=lambda each: (not is_native(each), each.name))


def is_native(service: Service) -> bool:
    """Return whether a service belongs to the server."""
    return settings.is_native(service.file)


# Schemas -------------------------------------------------------------------------------------------------------------


def _name_models(served: Catalogue, services: Iterable[Service]) -> dict[type[Model], str]:
    """Return each model's name; the second model of a name is prefixed with its module's name.

    The server's own tables come before those of added modules, because native services also return their records.
    """
    native = {each.module for each in services if is_native(each)}

    def place(model: type[Model]) -> tuple[int, str, str]:
        first = 0 if module_of(model) in native else 1 if model in ACCOUNT_TABLES else 2
        return first, model.__module__, model.__name__

    models = sorted({*served.models, *ACCOUNT_TABLES}, key=place)
    taken = set(_RESERVED)
    names = {}
    for model in models:
        name = next(each for each in candidates(model) if taken.isdisjoint(_schema_names(each)))
        taken |= _schema_names(name)
        names[model] = name
    return names


def _schema_names(name: str) -> set[str]:
    return {purpose.format(name) for purpose in PURPOSES}


def candidates(model: type[Model]) -> Iterable[str]:
    """Return the possible names of a model, the best first."""
    short = re.sub(r"\W", "_", model.__name__, flags=re.ASCII)
    long = module_of(model).title().replace("_", "") + short
    yield from (short, long)
    yield from (f"{long}{number}" for number in range(2, 10_000))


def record_name(name: str) -> str:
    """Return the name of the record that a schema is of: ``Order`` for ``OrderNew``."""
    return name.removesuffix("New").removesuffix("Change").removeprefix("Partial") or name


def module_of(model: type[Model]) -> str:
    """Return the name of a model's module."""
    parts = model.__module__.split(".")
    return parts[1] if parts[0] == "modules" and len(parts) > 1 else parts[0]


# Operations ----------------------------------------------------------------------------------------------------------


def name_operations(operations: Iterable[Operation]) -> list[str]:
    """Return the path IDs of a service's operations: verb and path, such as ``get-thirdparties-id``.

    If that isn't unique, the method's name and a number are appended. The service's name is the second word, so the IDs
    of two services always differ.
    """
    taken: set[str] = set()
    found = []
    for operation in operations:
        words = [operation.verb.lower(), operation.service]
        words += ["rest" if part == "*" else _UNUSUAL.sub("-", part).strip("-") for part in operation.segments]
        plain = "-".join(word for word in words if word)
        longer = f"{plain}-{operation.name}"
        numbered = (f"{longer}-{number}" for number in range(2, len(taken) + 3))
        # Client generators ignore case and hyphens
        chosen = next(each for each in (plain, longer, *numbered) if _same(each) not in taken)
        taken.add(_same(chosen))
        found.append(chosen)
    return found


def _same(identifier: str) -> str:
    return identifier.lower().replace("-", "_")


def _find_readers(services: Iterable[Service]) -> dict[str, str]:
    found: dict[str, str] = {}
    for service in services:
        names: list[str] = []
        for place, operation in enumerate(service.operations):
            table = table_read_by(operation)
            if table and table not in found:
                names = names or name_operations(service.operations)
                found[table] = names[place]
    return found


def service_reading(reader: str) -> str:
    """Return the service of an operation from its ID."""
    return reader.split("-")[1]


def _name_kinds(served: Catalogue, readers: Mapping[str, str]) -> dict[str, str]:
    """Return the lower-case name → the service of each model that is read by ID; the first of a name wins."""
    found: dict[str, str] = {}
    for model in sorted(served.models, key=lambda each: (each.__module__, each.__name__)):
        reader = readers.get(meta_of(model).table_name)
        if reader:
            found.setdefault(model.__name__.lower(), service_reading(reader))
    return found


def table_read_by(operation: Operation) -> str:
    """Return the table whose record an operation reads by its ID; empty for other operations."""
    if operation.verb != "GET" or len(operation.segments) != 1 or not operation.takes_id(operation.segments[0]):
        return ""
    model = model_of(operation.result)
    return str(meta_of(model).table_name) if model is not None else ""
