"""What module folders gave, put together to a catalogue: which of two serves a name, what nobody can call or grant."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from ..access.callers import ADMINISTRATORS
from ..contract.catalogue import Catalogue, FailedMethod, Failure, Operation, Service, Template, Texts
from ..storage.model import Model
from ..web.builtin_services import OWN
from .folders import ModuleFolder, fingerprint
from .heard_events import hear, sent_events
from .importing import LoadError
from .services import check_twice, own_services


@dataclass
class Loaded:
    """What was loaded from one module folder."""

    folder: ModuleFolder
    imports: set[str] = field(default_factory=set)
    #: why its tables, or those of a module that it needs, are not what its models say; empty: they are
    mismatch: str = ""
    services: list[Service] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    models: list[type[Model]] = field(default_factory=list)
    templates: list[Template] = field(default_factory=list)
    texts: list[Texts] = field(default_factory=list)
    #: what its `KNOWN_FILES` give, and those of them that were imported
    handlers: dict[str, list[Callable[..., object]]] = field(default_factory=dict)
    rules: list[Any] = field(default_factory=list)
    points: dict[str, Any] = field(default_factory=dict)
    jobs: dict[str, Any] = field(default_factory=dict)
    #: profile → model → further keys of all its records
    key_tables: dict[str, dict[type[Model], Any]] = field(default_factory=dict)
    known_files: list[Path] = field(default_factory=list)


def assemble(
    number: int, modules: list[Loaded], skipped: list[tuple[Path, str]], left_out: Collection[ModuleFolder] = ()
) -> Catalogue:
    """Return the catalogue of loaded modules, in the order of their folders.

    :param left_out: folders of modules that are served, and were not loaded
    """
    known = {file.service for folder in left_out for file in folder.api_files}
    services: dict[str, Service] = {service.name: service for service in own_services()}
    failures: list[Failure] = [failure for loaded in modules for failure in loaded.failures]
    handlers: dict[str, list[Callable[..., object]]] = {}
    for loaded in modules:
        for service in loaded.services:
            first = services.setdefault(service.name, service)
            if first is not service:
                reason = f"/{service.name} is already served by {first.file}"
                failures.append(Failure(service.name, service.module, service.file, reason, shadowed=True))
    points, disputed = _points(modules)
    failures += disputed
    failures = [replace(each, shadowed=True) if each.name in services else each for each in failures]
    unloadable = {*known, *(failure.name for failure in failures)}
    sent = sent_events([*(loaded.folder for loaded in modules), *left_out])
    for loaded in modules:
        heard, failure = hear(loaded.folder, loaded.handlers, sent, services, unloadable)
        if failure is not None and all(each.file != failure.file for each in failures):
            failures.append(failure)
        for name, functions in heard.items():
            handlers.setdefault(name, []).extend(functions)
    absent = {*known, *(failure.name for failure in failures)}
    for service in list(services.values()):
        wrong = _unknown_right(service, services, failures) or wrong_guest(service, services, absent)
        if wrong:
            del services[service.name]
            failures.append(Failure(service.name, service.module, service.file, wrong, "", _as_failed(service)))
    return Catalogue(
        number,
        dict(sorted(with_guests(services).items())),
        tuple(sorted(failures, key=lambda each: (each.name, str(each.file)))),
        (*skipped, *(each for loaded in modules for each in loaded.folder.skipped)),
        handlers,
        tuple(model for loaded in modules for model in loaded.models),
        tuple(template for loaded in modules for template in loaded.templates),
        rules=tuple(rule for loaded in modules for rule in loaded.rules),
        points=points,
        key_tables=_key_tables(modules),
        jobs=dict(sorted(each for loaded in modules for each in loaded.jobs.items())),
        texts=tuple(texts for loaded in modules for texts in loaded.texts),
        known_files=tuple(file for loaded in modules for file in loaded.known_files),
        fingerprint=fingerprint(loaded.folder for loaded in modules),
    )


def _points(modules: list[Loaded]) -> tuple[dict[str, Any], list[Failure]]:
    """The points of the profile that the modules have, and those that two of them have."""
    points: dict[str, Any] = {}
    owners: dict[str, str] = {}
    failures = []
    for loaded in modules:
        module, file = loaded.folder.name, loaded.folder.path / "profile.py"
        for name, point in loaded.points.items():
            if name in points:
                reason = f"the point {name} is already defined in {owners[name]}/profile.py"
                failures.append(Failure(f"{module}/profile", module, file, reason, shadowed=True))
                continue
            points[name], owners[name] = point, module
    return points, failures


def _key_tables(modules: list[Loaded]) -> dict[str, dict[type[Model], Any]]:
    """What all records of a model hold besides, in each profile for which a module says something."""
    tables: dict[str, dict[type[Model], Any]] = {}
    for loaded in modules:
        for profile, of_models in loaded.key_tables.items():
            tables.setdefault(profile, {}).update(of_models)
    return tables


def _unknown_right(service: Service, services: dict[str, Service], failures: list[Failure]) -> str:
    unloadable = {failure.name for failure in failures}
    for operation in service.operations:
        if operation.permission is None or operation.permission == ADMINISTRATORS:
            continue
        for right in sorted(operation.permission.rights):
            owner, _, _ = right.partition(".")
            if owner in unloadable and owner not in services:
                continue
            if owner not in services or right not in services[owner].right_names:
                return f"{operation.name}: unknown permission {right}; a service defines its own verbs with :rights:"
    return ""


def _as_failed(service: Service) -> tuple[FailedMethod, ...]:
    return tuple(FailedMethod(each.verb, each.template, each.annotation.summary) for each in service.operations)


def wrong_guest(service: Service, services: Mapping[str, Service], absent: Collection[str]) -> str:
    """Why operations that a service serves below another one cannot be served; empty: they can.

    :param absent: services that are known and not served now
    """
    for operation in service.operations:
        host = services.get(operation.service)
        if not operation.is_guest or (host is None and operation.service in absent):
            continue
        if host is None:
            return f"{operation.name}: unknown service {operation.service} in the path {operation.template}"
        if host.module == OWN:
            return f"{operation.name}: paths below /{host.name} are reserved for the server"
        others = [each for each in takewhile(lambda other: other is not service, services.values()) if each is not host]
        taken = [each for other in (host, *others) for each in other.operations if each.service == host.name]
        try:
            check_twice((*taken, operation))
        except LoadError as error:
            return str(error)
    return ""


def with_guests(services: Mapping[str, Service]) -> dict[str, Service]:
    """Return the services, each with all operations below its path, also those of other services."""
    guests: dict[str, list[Operation]] = {}
    for service in services.values():
        for operation in service.operations:
            if operation.is_guest:
                guests.setdefault(operation.service, []).append(operation)
    if not guests:
        return dict(services)
    return {name: _host(service, guests.get(name, [])) for name, service in services.items()}


def _host(service: Service, guests: list[Operation]) -> Service:
    own = [each for each in service.operations if not each.is_guest]
    if len(own) == len(service.operations) and not guests:
        return service
    return replace(service, operations=(*own, *guests))
