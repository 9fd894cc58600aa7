"""What the page shows to one caller: services and operations with what the caller may do, and what is broken."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core import VERSION, Caller, Catalogue, settings
from core.catalogue import Failure, Service

from .fields import Schema
from .openapi import Described, Description


def overview(description: Description, caller: Caller) -> Schema:
    """Everything the page shows. Reasons, tracebacks and paths of files are for administrators alone."""
    served = description.catalogue
    of_service: dict[str, list[Described]] = {}
    for each in description.operations:
        of_service.setdefault(each.operation.service, []).append(each)
    shown: Schema = {
        "version": VERSION,
        "profile": settings().profile.name,
        "caller": {"login": caller.login, "admin": caller.admin},
        "services": [_service(each, of_service.get(each.name, ()), caller) for each in description.services],
        "schemas": description.schemas,
        "failures": [_failure(each, caller.admin) for each in _failures(served, caller.admin)],
    }
    if caller.admin:
        shown["skipped"] = [{"file": str(path), "reason": reason} for path, reason in served.skipped]
    return shown


def _service(service: Service, operations: Iterable[Described], caller: Caller) -> Schema:
    return {
        "name": service.name,
        "module": service.module,
        "summary": service.annotation.summary,
        "description": service.annotation.description,
        "operations": [_operation(each, caller) for each in operations],
    }


def _operation(each: Described, caller: Caller) -> Schema:
    operation = each.operation
    note, permission = operation.annotation, operation.permission
    body: dict[str, Any] = next(iter(each.body["content"].values())) if each.body else {}
    return {
        "id": each.id,
        "verb": operation.verb,
        "path": each.path,
        "summary": note.summary,
        "description": note.description,
        "deprecated": note.deprecated,
        "access": operation.access,
        "permission": permission.text if permission else None,
        "held": permission is None or caller.may(permission),
        "parameters": [{**one, "shared": each.is_shared(one) and "required" not in one} for one in each.parameters],
        "body": {"schema": body["schema"], "example": body["example"]} if body else None,
        "status": operation.status,
        "returns": note.returns,
        "answer": each.answer,
        "errors": [[status, text] for status, text in operation.errors],
    }


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
        shown |= {"file": str(failure.file), "reason": failure.reason, "trace": failure.trace}
    return shown
