"""The catalogue, assembled from the loaded modules: services, the paths below them, and what can't be served."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..access.callers import ADMINISTRATORS
from ..contract.catalogue import Catalogue, FailedMethod, Failure, Operation, Service, Template, Texts
from ..storage.model import Model
from ..web.own_services import OWN
from .event_checks import check_handlers, sent_events
from .folders import fingerprint
from .importing import LoadError
from .module_files import ModuleFolder
from .services import check_twice, own_services


@dataclass
class Loaded:
    """The result of loading a module.

    :param imports: the modules that it imports
    :param patched: the attributes of these modules that it changes, such as ``modules.orders.orders.Orders.create``
    :param mismatch: why its tables, or those of a module that it needs, don't match the models; empty: they do
    :param key_tables: (profile, model) → the keys that all its records have
    :param files: the files that were loaded
    """

    folder: ModuleFolder
    imports: set[str] = field(default_factory=set)
    patched: set[str] = field(default_factory=set)
    mismatch: str = ""
    models: list[type[Model]] = field(default_factory=list)
    services: list[Service] = field(default_factory=list)
    handlers: dict[str, list[Callable[..., object]]] = field(default_factory=dict)
    rules: list[Any] = field(default_factory=list)
    points: dict[str, Any] = field(default_factory=dict)
    jobs: dict[str, Any] = field(default_factory=dict)
    templates: list[Template] = field(default_factory=list)
    texts: list[Texts] = field(default_factory=list)
    key_tables: dict[tuple[str, type[Model]], Any] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


def assemble(
    number: int, modules: list[Loaded], skipped: list[tuple[Path, str]], left_out: Collection[ModuleFolder] = ()
) -> Catalogue:
    """Return the catalogue of loaded modules, in the order of their folders.

    :param left_out: modules that exist, but were not loaded
    """
    known = {file.service for folder in left_out for file in folder.api_files}
    services: dict[str, Service] = {service.name: service for service in own_services()}
    failures: list[Failure] = [failure for loaded in modules for failure in loaded.failures]
    for service in [service for loaded in modules for service in loaded.services]:
        first = services.setdefault(service.name, service)
        if first is not service:
            reason = f"/{service.name} is already served by {first.file}"
            failures.append(Failure(service.name, service.module, service.file, reason, shadowed=True))
    points, disputed = _points(modules)
    failures += disputed
    failures = [replace(each, shadowed=True) if each.name in services else each for each in failures]
    handlers, unheard = _handlers(modules, left_out, services, {*known, *(failure.name for failure in failures)})
    failures += [each for each in unheard if all(each.file != other.file for other in failures)]
    absent = {*known, *(failure.name for failure in failures)}
    below: dict[str, list[Operation]] = defaultdict(list)
    for service in services.values():
        below[service.name] += [each for each in service.operations if not each.is_mounted]
    for service in list(services.values()):
        wrong = _unknown_right(service, services, failures) or _mount(service, services, below, absent)
        if wrong:
            del services[service.name]
            failures.append(Failure(service.name, service.module, service.file, wrong, "", _as_failed(service)))
    key_tables: dict[str, dict[type[Model], Any]] = defaultdict(dict)
    for (profile, model), table in [each for loaded in modules for each in loaded.key_tables.items()]:
        key_tables[profile][model] = table
    return Catalogue(
        number,
        {name: _with_operations(service, tuple(below[name])) for name, service in sorted(services.items())},
        tuple(sorted(failures, key=lambda each: (each.name, str(each.file)))),
        (*skipped, *(each for loaded in modules for each in loaded.folder.skipped)),
        handlers,
        tuple(model for loaded in modules for model in loaded.models),
        tuple(template for loaded in modules for template in loaded.templates),
        rules=tuple(rule for loaded in modules for rule in loaded.rules),
        points=points,
        key_tables=key_tables,
        jobs=dict(sorted(each for loaded in modules for each in loaded.jobs.items())),
        texts=tuple(texts for loaded in modules for texts in loaded.texts),
        files={file: loaded.folder.name for loaded in modules for file in loaded.files},
        patches={loaded.folder.name: tuple(sorted(loaded.patched)) for loaded in modules if loaded.patched},
        fingerprint=fingerprint(loaded.folder for loaded in modules),
    )


def _points(modules: list[Loaded]) -> tuple[dict[str, Any], list[Failure]]:
    """Return the points of all modules, and a failure for each that an earlier module has."""
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


def _handlers(
    modules: list[Loaded], left_out: Collection[ModuleFolder], services: Collection[str], unloadable: Collection[str]
) -> tuple[dict[str, list[Callable[..., object]]], list[Failure]]:
    """Return the event handlers of all modules, and a failure for each file with one that would never be called."""
    sent = sent_events([*(loaded.folder for loaded in modules), *left_out])
    handlers: dict[str, list[Callable[..., object]]] = defaultdict(list)
    failures = []
    for loaded in modules:
        called, failure = check_handlers(loaded.folder, loaded.handlers, sent, services, unloadable)
        failures += [failure] if failure is not None else []
        for name, functions in called.items():
            handlers[name] += functions
    return dict(handlers), failures


def _unknown_right(service: Service, services: dict[str, Service], failures: list[Failure]) -> str:
    """Return which permission of a service can't be granted; empty: all can, or might if a failed file is fixed."""
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


def _mount(
    service: Service, services: Mapping[str, Service], below: dict[str, list[Operation]], absent: Collection[str]
) -> str:
    """Add those operations of a service that are below other services to these; return why it can't, or nothing.

    :param below: service → the operations below its path
    :param absent: services that exist, but have failed
    """
    mounted = [each for each in service.operations if each.is_mounted]
    for operation in mounted:
        host = services.get(operation.service)
        if host is None and operation.service not in absent:
            return f"{operation.name}: unknown service {operation.service} in the path {operation.template}"
        if host is not None and host.module == OWN:
            return f"{operation.name}: paths below /{host.name} are reserved for the server"
        try:
            check_twice((*below[operation.service], operation))
        except LoadError as error:
            return str(error)
    for operation in mounted:
        below[operation.service].append(operation)
    return ""


def _with_operations(service: Service, operations: tuple[Operation, ...]) -> Service:
    return service if service.operations == operations else replace(service, operations=operations)
