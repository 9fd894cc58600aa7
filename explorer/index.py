"""What the page lists for one caller: services and operations in few words, and what is broken.

Everything else the page needs of a service stands in the service's OpenAPI document.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from core import VERSION, Catalogue, settings
from core.contract.annotations import readable
from core.contract.catalogue import Failure

from .field_schemas import Schema
from .openapi import Held
from .operations import Described, DescribedService

#: letters of a summary in a list
LONGEST = 300


def index(served: Catalogue, services: Sequence[DescribedService], admin: bool, held: Held) -> Schema:
    """Everything the page lists, for all who hold the same rights.

    :param admin: whether reasons, tracebacks and paths of files are told
    """
    shown: Schema = {
        "version": VERSION,
        "profile": settings().profile.name,
        "confirm": settings().confirm,
        "services": [_service(each, held) for each in services],
        "failures": [_failure(each, admin) for each in _failures(served, admin)],
    }
    if admin:
        shown["skipped"] = [{"file": readable(str(path)), "reason": reason} for path, reason in served.skipped]
    return shown


def _service(described: DescribedService, held: Held) -> Schema:
    service = described.service
    return {
        "name": service.name,
        "module": service.module,
        "summary": service.annotation.summary[:LONGEST],
        "tag": described.tag,
        "operations": [_operation(each, held) for each in described.operations],
    }


def _operation(each: Described, held: Held) -> Schema:
    """An operation in few words; there may be ten thousand."""
    operation, permission = each.operation, each.operation.permission
    shown: dict[str, Any] = {"id": each.id, "verb": operation.verb, "path": each.path}
    if operation.annotation.summary:
        shown["summary"] = operation.annotation.summary[:LONGEST]
    if each.words:
        shown["words"] = " ".join(each.words)
    if operation.annotation.deprecated is not None:
        shown["deprecated"] = True
    if permission is not None and not held(permission):
        shown["missing"] = permission.text
    return shown


def _failures(served: Catalogue, admin: bool) -> Iterable[Failure]:
    """A file that another one shadows is nobody's business but an administrator's."""
    return (each for each in served.failures if admin or not each.shadowed)


def _failure(failure: Failure, admin: bool) -> Schema:
    shown: Schema = {
        "name": failure.name,
        "module": failure.module,
        "shadowed": failure.shadowed,
        "methods": [
            {"verb": each.verb, "path": each.template, "summary": each.summary, "status": 501}
            for each in failure.methods
        ],
    }
    if admin:
        shown |= {"file": readable(str(failure.file)), "reason": failure.reason, "trace": failure.trace}
    return shown
