"""The names that documents use: of schemas, of operations, and which operation reads a record of a table.

All are made from the catalogue alone and the same way on every worker, so that what one of them answers fits what
another has answered before.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core import Catalogue, Model
from core.access.accounts import ACCOUNT_TABLES
from core.common.settings import NATIVE_MODULES
from core.contract.catalogue import Operation, Service
from core.contract.relations import model_of
from core.storage.model import meta_of
from core.web.views import Relations

from .samples import Samples, read_samples

#: what a schema's name may have behind the model's: the record, and the bodies that create and change it
PURPOSES = ("", "New", "Change")

_UNUSUAL = re.compile(r"[^A-Za-z0-9_]+")
_RESERVED = ("AllowedOperation", "Error", "Pagination", "Reason")
_NATIVE = f"{NATIVE_MODULES}{os.sep}"


@dataclass(frozen=True)
class Names:
    """The names of one catalogue.

    :param models: a model's name in schemas
    :param readers: table → identifier of the operation that reads one of its records by identifier
    :param relations: which records may be expanded
    :param samples: what authors say of their examples
    :param kinds: what a record is called, such as ``thirdparty`` → the service that reads it by identifier
    """

    models: Mapping[type[Model], str]
    readers: Mapping[str, str]
    relations: Relations
    samples: Samples
    kinds: Mapping[str, str]


def read_names(served: Catalogue, services: Iterable[Service]) -> Names:
    """The names of a catalogue.

    :param services: its services as `ordered` has them
    """
    services = list(services)
    models, readers = _name_models(served, services), _find_readers(services)
    kinds = _name_kinds(served, readers)
    return Names(models, readers, Relations(served), read_samples(services, models, module_of), kinds)


def ordered(served: Catalogue) -> list[Service]:
    """Native services first, so that what is dropped in cannot change the names of theirs."""
    return sorted(served.services.values(), key=lambda each: (not is_native(each), each.name))


def is_native(service: Service) -> bool:
    """Whether a service is one of the server's own."""
    # Asked for each of a thousand services: comparing texts takes no time, comparing paths does
    return str(service.file).startswith(_NATIVE)


# Schemas -------------------------------------------------------------------------------------------------------------


def _name_models(served: Catalogue, services: Iterable[Service]) -> dict[type[Model], str]:
    """Each model's name; a second model of that name carries its module's before it.

    The server's own tables come before those of what is dropped in: native services answer records of them, too.
    """
    native = {each.module for each in services if is_native(each)}

    def place(model: type[Model]) -> tuple[int, str, str]:
        first = 0 if module_of(model) in native else 1 if model in ACCOUNT_TABLES else 2
        return first, model.__module__, model.__name__

    models = sorted({*served.models, *ACCOUNT_TABLES}, key=place)
    taken = set(_RESERVED)
    names = {}
    for model in models:
        name = next(each for each in candidates(model) if not taken & {each + purpose for purpose in PURPOSES})
        taken |= {name + purpose for purpose in PURPOSES}
        names[model] = name
    return names


def candidates(model: type[Model]) -> Iterable[str]:
    """What a model may be called, the best first."""
    short = re.sub(r"\W", "_", model.__name__, flags=re.ASCII)
    long = module_of(model).title().replace("_", "") + short
    yield from (short, long)
    yield from (f"{long}{number}" for number in range(2, 10_000))


def module_of(model: type[Model]) -> str:
    """The module that a model is of."""
    parts = model.__module__.split(".")
    return parts[1] if parts[0] == "modules" and len(parts) > 1 else parts[0]


# Operations ----------------------------------------------------------------------------------------------------------


def name_operations(operations: Iterable[Operation]) -> list[str]:
    """The identifiers of a service's operations: ``get-thirdparties-id``, from verb and path.

    The method's name, and a number, stand behind it where that is not enough. The service's name is the second word, so
    identifiers of two services are never the same.
    """
    taken: set[str] = set()
    found = []
    for operation in operations:
        words = [operation.verb.lower(), operation.service]
        words += ["rest" if part == "*" else _UNUSUAL.sub("-", part).strip("-") for part in operation.segments]
        plain = "-".join(word for word in words if word)
        longer = f"{plain}-{operation.name}"
        numbered = (f"{longer}-{number}" for number in range(2, len(taken) + 3))
        # Programs that make names of them ignore case and hyphens
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
            table = _table_read_by(operation)
            if table and table not in found:
                names = names or name_operations(service.operations)
                found[table] = names[place]
    return found


def service_reading(reader: str) -> str:
    """The service of an operation, by its identifier."""
    return reader.split("-")[1]


def _name_kinds(served: Catalogue, readers: Mapping[str, str]) -> dict[str, str]:
    """Of each model that is read by identifier its name in small letters, and the service; the first one counts."""
    found: dict[str, str] = {}
    for model in sorted(served.models, key=lambda each: (each.__module__, each.__name__)):
        reader = readers.get(meta_of(model).table_name)
        if reader:
            found.setdefault(model.__name__.lower(), service_reading(reader))
    return found


def _table_read_by(operation: Operation) -> str:
    """The table whose record an operation reads by its identifier; empty where it does not."""
    if operation.verb != "GET" or len(operation.segments) != 1 or not operation.segments[0].startswith("{"):
        return ""
    name = operation.segments[0][1:-1]
    if not any(each.name == name and each.type is int for each in operation.inputs):
        return ""
    model = model_of(operation.result)
    return str(meta_of(model).table_name) if model is not None else ""
