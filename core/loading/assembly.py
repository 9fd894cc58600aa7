"""The catalogue, assembled from the loaded modules: services, the paths below them, and what can't be served."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ..access.callers import ADMINISTRATORS
from ..common.errors import joined, meant
from ..contract.catalogue import Catalogue, FailedMethod, Failure, Operation, Service, Template, Texts
from ..records.events import ANY, COMMIT, Event, EventHandler, stand_ins
from ..records.extra_field_definitions import DeclaredField
from ..records.module_settings import Setting
from ..storage.model import Model
from ..web.builtin_services import OWN, SENT_BY_SERVER
from .failures import failure_of, path_in
from .folders import fingerprint
from .importing import LoadError
from .manifest import NAME, Manifest
from .module_files import ModuleFile, ModuleFolder, Print
from .services import check_twice, line_of, own_services
from .wrapping import Wrap, wrapped_operations

#: service → the events that it sends
Events = Mapping[str, Mapping[str, Event]]


@dataclass
class Loaded:
    """The result of loading a module.

    :param prints: the state of its files when it was loaded
    :param stays: why it stays as it was loaded before, although it can't be loaded now
    :param mismatch: why its tables, or those of a module that it needs, don't match the models; empty: they do
    :param key_tables: (profile, model) → the keys that all its records have
    :param files: the files that were loaded
    :param is_imported: False if nothing of it may be imported
    """

    folder: ModuleFolder
    prints: Mapping[str, Print] = field(default_factory=dict)
    stays: str = ""
    mismatch: str = ""
    models: list[type[Model]] = field(default_factory=list)
    services: list[Service] = field(default_factory=list)
    events: Events = field(default_factory=dict)
    event_handlers: list[EventHandler] = field(default_factory=list)
    rules: list[Any] = field(default_factory=list)
    points: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Setting] = field(default_factory=dict)
    manifest: Manifest = field(default_factory=Manifest)
    first_data: Callable[[], object] | None = None
    wraps: list[Wrap] = field(default_factory=list)
    jobs: dict[str, Any] = field(default_factory=dict)
    templates: list[Template] = field(default_factory=list)
    texts: list[Texts] = field(default_factory=list)
    key_tables: dict[tuple[str, type[Model]], Any] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    is_imported: bool = True

    @property
    def has_natives(self) -> bool:
        """True if the server ships it and has imported it, which happens once."""
        return self.folder.is_native and self.is_imported


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
    settings, twice = _settings(modules)
    extra_fields, unfit = _extra_fields(modules, services, known | {each.name for each in failures})
    failures += [
        *disputed,
        *twice,
        *unfit,
        *_add_permissions(modules, services, known | {each.name for each in failures}),
    ]
    failures += [failure for loaded in modules for failure in _kept(loaded)]
    failures = [replace(each, shadowed=True) if each.name in services else each for each in failures]
    absent = {*known, *(failure.name for failure in failures if not failure.stays)}
    sent: dict[str, Mapping[str, Event]] = dict(SENT_BY_SERVER)
    for service_name, events in [each for loaded in modules for each in loaded.events.items()]:
        sent[service_name] = {**sent.get(service_name, {}), **events}
    event_handlers: list[EventHandler] = []
    for loaded in modules:
        called, failure = _check_handlers(loaded, sent, services, absent)
        if failure is not None and all(each.file != failure.file for each in failures):
            failures.append(failure)
        event_handlers += called
    below: dict[str, list[Operation]] = defaultdict(list)
    for service in services.values():
        below[service.name] += [each for each in service.operations if not each.is_mounted]
    for service in list(services.values()):
        try:
            _check_hosts(service, services, absent)
            _check_rights(service, services, failures)
            _mount(service, below)
        except LoadError as error:
            del services[service.name]
            failed, path = _as_failed(service), path_in(service.file)
            failures.append(
                Failure(service.name, service.module, service.file, str(error), "", failed, line=error.line, path=path)
            )
    found = (each for operations in below.values() for each in operations)
    wraps, wrong = wrapped_operations(found, [each for loaded in modules for each in loaded.wraps], absent)
    for name, operations in below.items() if wraps else ():
        below[name] = [wraps.get(f"{each.verb} {each.template}", each) for each in operations]
    for loaded in modules:
        if loaded.folder.name in wrong:
            failures.append(manifest_failure(loaded.folder, LoadError(wrong[loaded.folder.name])))
    key_tables: dict[str, dict[type[Model], Any]] = defaultdict(dict)
    for (profile, model), table in [each for loaded in modules for each in loaded.key_tables.items()]:
        key_tables[profile][model] = table
    return Catalogue(
        number,
        {name: replace(service, operations=tuple(below[name])) for name, service in sorted(services.items())},
        tuple(sorted(failures, key=lambda each: (each.name, str(each.file)))),
        (*skipped, *(each for loaded in modules for each in loaded.folder.skipped)),
        tuple(event_handlers),
        tuple(model for loaded in modules for model in loaded.models),
        tuple(template for loaded in modules for template in loaded.templates),
        rules=tuple(rule for loaded in modules for rule in loaded.rules),
        events=sent,
        points=points,
        settings=settings,
        extra_fields=extra_fields,
        modules={each.folder.name: (each.folder, each.manifest) for each in modules if not each.folder.is_second},
        first_data={each.folder.name: each.first_data for each in modules if each.first_data is not None},
        key_tables=key_tables,
        jobs=dict(sorted(each for loaded in modules for each in loaded.jobs.items())),
        texts=tuple(texts for loaded in modules for texts in loaded.texts),
        files={file: loaded.folder.name for loaded in modules for file in loaded.files},
        notes={loaded.folder.name: tuple(dict.fromkeys(loaded.notes)) for loaded in modules if loaded.notes},
        fingerprint=fingerprint(loaded.folder for loaded in modules),
    )


def manifest_failure(folder: ModuleFolder, error: BaseException) -> Failure:
    """Return the failure of something in a module's ``module.toml``."""
    return failure_of(folder, ModuleFile("manifest", folder.path / NAME), error)


def _kept(loaded: Loaded) -> Iterator[Failure]:
    """Yield the failure of a module that stays as it was loaded, whatever its files are now."""
    folder, advice = loaded.folder, ""
    reason = folder.lost or loaded.stays or (folder.refused if loaded.has_natives else "")
    if not reason and loaded.has_natives and loaded.prints != folder.prints:
        reason = "its files have changed, and a native module is loaded once"
        advice = "; restart the server, or send its master SIGUSR2"
    if reason:
        reason = f"{reason}; the module stays as it was loaded{advice}"
        yield Failure(folder.name, folder.name, folder.path, reason, shadowed=True, stays=True)


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


def _settings(modules: list[Loaded]) -> tuple[dict[str, Setting], list[Failure]]:
    """Return the settings of all modules in their order, and a failure for each constant that an earlier one has."""
    settings: dict[str, Setting] = {}
    owners: dict[str, str] = {}
    failures = []
    for loaded in modules:
        for name, each in loaded.settings.items():
            if name in settings:
                error = LoadError(f"{NAME}: settings.{name}: the module {owners[name]} already declares it")
                failures.append(manifest_failure(loaded.folder, error))
                continue
            settings[name], owners[name] = each, loaded.folder.name
    return settings, failures


def _extra_fields(
    modules: list[Loaded], services: Mapping[str, Service], absent: Collection[str]
) -> tuple[dict[tuple[str, str], DeclaredField], list[Failure]]:
    """Return the extra fields that modules declare, by kind of record and name, and a failure for each wrong one.

    :param absent: services that exist, but have failed
    """
    found: dict[tuple[str, str], DeclaredField] = {}
    failures = []
    served = [each for each in modules if not each.folder.is_disabled]
    for folder, each in [(loaded.folder, each) for loaded in served for each in loaded.manifest.extra_fields]:
        service = services.get(each.service)
        if service is None and each.service in absent:
            continue
        if service is None:
            reason = f"unknown service {each.service}{meant(each.service, sorted(services))}"
        elif not service.extrafields:
            reason = f"the records of {each.service} have no extra fields"
        elif (other := found.setdefault((service.extrafields, each.name), each)) is not each:
            reason = f"the module {other.module} already declares it"
        else:
            continue
        failures.append(manifest_failure(folder, LoadError(f"{NAME}: fields.{each.service}.{each.name}: {reason}")))
    return found, failures


def _add_permissions(modules: list[Loaded], services: dict[str, Service], absent: Collection[str]) -> Iterator[Failure]:
    """Add the permissions that modules declare to their services; yield a failure for each wrong one.

    :param absent: services that exist, but have failed
    """
    for loaded in (each for each in modules if not each.folder.is_disabled):
        for name, meaning in loaded.manifest.permissions.items():
            owner, _, verb = name.partition(".")
            service = services.get(owner)
            if service is not None and (verb not in service.verbs or service.module == loaded.folder.name):
                services[owner] = replace(service, rights={**service.rights, verb: meaning})
            elif service is not None or owner not in absent:
                near = meant(owner, sorted(services))
                reason = f"unknown service {owner}{near}" if service is None else f"the service {owner} already has it"
                yield manifest_failure(loaded.folder, LoadError(f"{NAME}: permissions.{name}: {reason}"))


def _check_rights(service: Service, services: dict[str, Service], failures: list[Failure]) -> None:
    """Check that the permissions of a service can be granted, or might be if a failed file is fixed.

    :raises LoadError: one can't
    """
    unloadable = {failure.name for failure in failures}
    for operation in service.operations:
        if operation.permission is None or operation.permission == ADMINISTRATORS:
            continue
        for right in sorted(operation.permission.rights):
            owner, _, _ = right.partition(".")
            if owner in unloadable and owner not in services:
                continue
            if owner not in services or right not in services[owner].right_names:
                known = [each for other in services.values() for each in other.right_names]
                instead = meant(right, known) or "; a service defines its own verbs with :rights:"
                raise _wrong(service, operation, f"unknown permission {right}{instead}")


def _wrong(service: Service, operation: Operation, text: str) -> LoadError:
    return LoadError(f"{service.class_name}.{operation.name}: {text}", line_of(service.file, f"def {operation.name}"))


def _as_failed(service: Service) -> tuple[FailedMethod, ...]:
    return tuple(FailedMethod(each.verb, each.template, each.annotation.summary) for each in service.operations)


def _check_hosts(service: Service, services: Mapping[str, Service], absent: Collection[str]) -> None:
    """Check that the services exist that operations of a service are below.

    :param absent: services that exist, but have failed
    :raises LoadError: one doesn't
    """
    for operation in (each for each in service.operations if each.is_mounted):
        host = services.get(operation.service)
        if host is None and operation.service not in absent:
            near = meant(operation.service, sorted({*services, *absent}))
            text = f"unknown service {operation.service} in the path {operation.template}{near}"
        elif host is not None and host.module == OWN:
            text = f"paths below /{host.name} are reserved for the server"
        else:
            continue
        if operation.own_segments is None:
            raise _wrong(service, operation, text)
        raise LoadError(f"{service.class_name}.path: {text}", line_of(service.file, "path"))


def _mount(service: Service, below: dict[str, list[Operation]]) -> None:
    """Add those operations of a service that are below other services to these.

    :param below: service → the operations below its path
    :raises LoadError: one can't be added
    """
    mounted = [each for each in service.operations if each.is_mounted]
    added = {each.service: [other for other in mounted if other.service == each.service] for each in mounted}
    for name, operations in added.items():
        check_twice((*below[name], *operations), {})
    for name, operations in added.items():
        below[name] += operations


# Event handlers that would never be called ----------------------------------------------------------------------------


def _check_handlers(
    loaded: Loaded, sent: Events, services: Collection[str], absent: Collection[str]
) -> tuple[list[EventHandler], Failure | None]:
    """Return the handlers of a module that are called, and the failure of a file if one would never be called.

    If a name is misspelt, the intended event is unknown. Every event of the services whose events its handlers may
    refuse is then rejected.

    :param sent: the events of each service
    :param services: the services that are served
    :param absent: services that exist, but have failed; they may send any event
    """
    # Those that replace a file's handlers have none
    own = [each for each in loaded.event_handlers if each.file]
    wrong = {_why_unheard(each, sent, services, absent): each for each in own}
    if not wrong.keys() - {""}:
        return loaded.event_handlers, None
    folder, file = loaded.folder, Path(next(each.file for reason, each in wrong.items() if reason))
    lines = [each.line for reason, each in wrong.items() if reason and each.line and each.file == str(file)]
    error = LoadError("; ".join(filter(None, wrong)), min(lines, default=None))
    guarded = {(each.service, each.event) for each in loaded.event_handlers if each.when != "after"}
    near = {each for name, _ in guarded for each in get_close_matches(name, sorted({*services, ANY}), 1, 0.8)}
    guarded |= {(service, event) for service in near for event in _events_of(service, sent)}
    return stand_ins(guarded, str(file.relative_to(folder.path.parent))), failure_of(
        folder, ModuleFile("events", file), error
    )


def _events_of(service: str, sent: Events) -> Mapping[str, Event]:
    if service != ANY:
        return sent.get(service, {})
    found: dict[str, Event] = {}
    for name, each in ((name, each) for events in sent.values() for name, each in events.items()):
        found[name] = replace(each, moments={*each.moments, *(found[name].moments if name in found else ())})
    return found


def _why_unheard(handler: EventHandler, sent: Events, services: Collection[str], absent: Collection[str]) -> str:
    """Return why a handler is never called; empty: it is, or will be when another file is fixed."""
    service, event = handler.service, handler.event
    if service in absent or (service == ANY and absent):
        return ""
    if service != ANY and service not in services and service not in sent:
        return f"{handler.name}: unknown service {service}{meant(service, sorted({*services, *sent}))}"
    events = _events_of(service, sent)
    if event == ANY:
        return ""
    if event not in events:
        sender = "no service sends" if service == ANY else f"{service} doesn't send"
        return f"{handler.name}: {sender} the event {event}{meant(event, sorted(events))}"
    moments = events[event].moments
    if ("after" if handler.when == COMMIT else handler.when) not in moments:
        return f"{handler.name}: {service}.{event} takes no handlers with when={handler.when!r}, only {joined(moments)}"
    return ""
