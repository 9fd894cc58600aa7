"""The state of each module file, as `check` and the explorer list it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..common.readers import readable
from ..contract.catalogue import Catalogue
from ..records.events import named_handlers
from .manifest import Manifest
from .module_files import ModuleFolder
from .services import like_verbs, open_to_any_key, unguarded

STATES = ("loaded", "failed", "skipped")


@dataclass(frozen=True)
class FileStatus:
    """The state of a file.

    :param state: one of `STATES`
    :param line: the line of the error, from 1; None: unknown
    :param notes: the callers of operations whose docstrings have no permission, members that aren't operations, and
        handlers that are declared by their names
    :param service: its service, even if it failed; empty: the file has none
    """

    file: Path
    state: str
    module: str = ""
    service: str = ""
    reason: str = ""
    trace: str = ""
    line: int | None = None
    routes: tuple[dict[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def file_statuses(made: Catalogue) -> list[FileStatus]:
    """Return the state of each file of a catalogue, in the order of their paths."""
    return sorted(_statuses(made), key=lambda each: str(each.file))


def _statuses(made: Catalogue) -> Iterator[FileStatus]:
    for name, listed in made.services.items():
        service = replace(listed, operations=tuple(made.operations_by_origin[name]))
        routes = tuple(
            {
                "verb": each.verb,
                "path": each.template,
                "permission": each.permission.text if each.permission else each.access,
                "summary": each.annotation.summary,
            }
            for each in service.operations
        )
        unserved = (f"{name} isn't served: expected a plain method, got a {kind}" for name, kind in service.unserved)
        notes = (*unguarded(service), *open_to_any_key(service), *like_verbs(service), *unserved)
        yield FileStatus(service.file, "loaded", service.module, service.name, routes=routes, notes=notes)
    # A service may have failed after its file was loaded
    others = {service.file for service in made.services.values()} | {failure.file for failure in made.failures}
    for file, module in made.files.items():
        if file not in others:
            named = named_handlers(each for each in made.event_handlers if each.file == str(file))
            yield FileStatus(file, "loaded", module, notes=tuple(named))
    for each in made.failures:
        yield FileStatus(each.file, "failed", each.module, each.name, each.reason, each.trace, each.line)
    for file, reason in made.skipped:
        yield FileStatus(file, "skipped", reason=reason)


def module_rows(made: Catalogue, modules: Iterable[tuple[ModuleFolder, Manifest]]) -> list[dict[str, Any]]:
    """Return what each module is and adds (version, state, services, settings and so on), and what needs it."""
    modules = list(modules)
    failed = {each.module for each in made.failures}
    wrapped = [(each, module) for each in made.operations for module in each.wrapped_by]
    return [
        {
            "name": folder.name,
            "state": "disabled" if folder.is_disabled else "failed" if folder.name in failed else "loaded",
            "version": manifest.version or None,
            "description": manifest.description or None,
            "native": folder.is_native,
            "services": sorted(each.name for each in made.services.values() if each.module == folder.name),
            "settings": list(manifest.settings),
            "fields": [f"{each.service}.{each.name}" for each in manifest.extra_fields],
            "permissions": list(manifest.permissions),
            "wraps": [f"{each.verb} {each.template}" for each, module in wrapped if module == folder.name],
            "requires": list(manifest.requires),
            "needed_by": [other.name for other, needs in modules if folder.name in needs.requires],
        }
        for folder, manifest in modules
    ]


def count(statuses: Sequence[FileStatus]) -> dict[str, int]:
    """Return the number of files in each state."""
    return {state: sum(each.state == state for each in statuses) for state in STATES}


def report(statuses: Sequence[FileStatus]) -> dict[str, Any]:
    """Return everything as plain data, for callers who may see paths and reasons."""
    files = [{**vars(each), "file": readable(str(each.file))} for each in statuses]
    return {"files": files, **count(statuses)}


def outline(made: Catalogue) -> dict[str, Any]:
    """Return the modules and services, for any caller: neither paths nor reasons.

    Skipped files, and failed ones without a service, are left out, because their names are paths.
    """
    hidden = {each.file for each in made.failures if each.shadowed} | {file for file, _ in made.skipped}
    statuses = [each for each in file_statuses(made) if each.file not in hidden]
    known = ("state", "module", "service", "routes")
    counted = {state: number for state, number in count(statuses).items() if state != "skipped"}
    return {"files": [{name: getattr(each, name) for name in known} for each in statuses], **counted}
