"""What became of each module file, as `check` and the explorer tell it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .annotations import readable
from .catalogue import Catalogue

STATES = ("loaded", "failed", "skipped")


@dataclass(frozen=True)
class Finding:
    """What became of one file.

    :param state: one of `STATES`
    :param service: the name it is served under, or would be; empty: the file serves none
    """

    file: Path
    state: str
    module: str = ""
    service: str = ""
    reason: str = ""
    trace: str = ""
    routes: tuple[dict[str, str], ...] = ()


def find(made: Catalogue) -> list[Finding]:
    """What became of each file of a catalogue, in the order of their paths."""
    return sorted(_find(made), key=lambda each: str(each.file))


def _find(made: Catalogue) -> Iterator[Finding]:
    for service in made.services.values():
        routes = tuple(
            {
                "verb": each.verb,
                "path": each.template,
                "permission": each.permission.text if each.permission else each.access,
                "summary": each.annotation.summary,
            }
            for each in service.operations
        )
        yield Finding(service.file, "loaded", service.module, service.name, routes=routes)
    for template in made.templates:
        yield Finding(template.file, "loaded", template.module)
    # One that was imported may still hold handlers that nobody will call
    broken = {failure.file for failure in made.failures}
    for file in made.listeners:
        if file not in broken:
            yield Finding(file, "loaded", file.parent.name)
    for failure in made.failures:
        yield Finding(failure.file, "failed", failure.module, failure.name, failure.reason, failure.trace)
    for file, reason in made.skipped:
        yield Finding(file, "skipped", reason=reason)


def count(findings: Sequence[Finding]) -> dict[str, int]:
    """How many files are in which state."""
    return {state: sum(each.state == state for each in findings) for state in STATES}


def report(findings: Sequence[Finding]) -> dict[str, Any]:
    """Everything there is to tell, as plain data: for those who may see paths and reasons."""
    files = [{**vars(each), "file": readable(str(each.file))} for each in findings]
    return {"files": files, **count(findings)}


def outline(made: Catalogue) -> dict[str, Any]:
    """What everybody may know: which modules and services there are; neither paths nor reasons.

    What was skipped, and what failed without costing a service, is nobody's business but an administrator's: its name
    would be a path, too.
    """
    hidden = {each.file for each in made.failures if each.shadowed} | {file for file, _ in made.skipped}
    findings = [each for each in find(made) if each.file not in hidden]
    known = ("state", "module", "service", "routes")
    counted = {state: number for state, number in count(findings).items() if state != "skipped"}
    return {"files": [{name: getattr(each, name) for name in known} for each in findings], **counted}
