"""What became of each module file, as `check` and the explorer tell it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..contract.annotations import readable
from ..contract.catalogue import Catalogue, Operation
from .folders import TABLE
from .silent_operations import open_to_any_key, unguarded

STATES = ("loaded", "failed", "skipped")


@dataclass(frozen=True)
class FileStatus:
    """What became of one file.

    :param state: one of `STATES`
    :param line: the line of a failed file that is to blame, from 1; None: unknown
    :param notes: who may call what, where no docstring says it
    :param service: the name it is served under, or would be; empty: the file serves none
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
    """What became of each file of a catalogue, in the order of their paths."""
    return sorted(_statuses(made), key=lambda each: str(each.file))


def _statuses(made: Catalogue) -> Iterator[FileStatus]:
    served: dict[str, list[Operation]] = defaultdict(list)
    for operation in made.operations:
        served[operation.origin].append(operation)
    for service in made.services.values():
        routes = tuple(
            {
                "verb": each.verb,
                "path": each.template,
                "permission": each.permission.text if each.permission else each.access,
                "summary": each.annotation.summary,
            }
            for each in served[service.name]
        )
        notes = (*unguarded(service), *open_to_any_key(service))
        yield FileStatus(service.file, "loaded", service.module, service.name, routes=routes, notes=notes)
    for template in made.templates:
        yield FileStatus(template.file, "loaded", template.module)
    for texts in made.texts:
        yield FileStatus(texts.file, "loaded", texts.module)
    # One that was imported may still hold handlers that nobody will call
    broken = {failure.file for failure in made.failures}
    for file in made.known_files:
        if file not in broken:
            yield FileStatus(file, "loaded", file.parent.parent.name if file.suffix == TABLE else file.parent.name)
    for failure in made.failures:
        yield FileStatus(
            failure.file, "failed", failure.module, failure.name, failure.reason, failure.trace, failure.line
        )
    for file, reason in made.skipped:
        yield FileStatus(file, "skipped", reason=reason)


def count(statuses: Sequence[FileStatus]) -> dict[str, int]:
    """How many files are in which state."""
    return {state: sum(each.state == state for each in statuses) for state in STATES}


def report(statuses: Sequence[FileStatus]) -> dict[str, Any]:
    """Everything there is to tell, as plain data: for those who may see paths and reasons."""
    files = [{**vars(each), "file": readable(str(each.file))} for each in statuses]
    return {"files": files, **count(statuses)}


def outline(made: Catalogue) -> dict[str, Any]:
    """What everybody may know: which modules and services there are; neither paths nor reasons.

    What was skipped, and what failed without costing a service, is for administrators alone: its name would be a path,
    too.
    """
    hidden = {each.file for each in made.failures if each.shadowed} | {file for file, _ in made.skipped}
    statuses = [each for each in file_statuses(made) if each.file not in hidden]
    known = ("state", "module", "service", "routes")
    counted = {state: number for state, number in count(statuses).items() if state != "skipped"}
    return {"files": [{name: getattr(each, name) for name in known} for each in statuses], **counted}
