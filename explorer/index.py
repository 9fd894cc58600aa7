"""The index of the explorer for a caller: services and operations in short form, and files that failed to load.

A line of `OPERATION_FACTS` defines what the index contains of an operation; `OPERATION_COLUMNS` in
`script/shell/operation_columns.js` defines what lists show of it.

All other data of a service is in the service's OpenAPI document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from core.common.readers import readable
from core.common.settings import Settings, settings
from core.contract.catalogue import Catalogue, Failure
from core.version import VERSION

from .field_schemas import Schema
from .groups import group_services
from .guide_pages import guide_index
from .openapi import Held
from .operations import Described, DescribedService
from .search_words import SearchWords, words_of
from .titles import service_title

#: maximum length of a summary in a list, in characters
LONGEST = 300
#: maximum length of the searched text of a record's fields, in characters
FIELDS = 3000


def index(served: Catalogue, services: Sequence[DescribedService], admin: bool, held: Held) -> Schema:
    """Return the index for callers with the same permissions.

    :param admin: whether to include reasons, tracebacks and paths of files
    """
    words = words_of(served)
    shown: Schema = {
        "version": VERSION,
        "profile": "" if settings().profile_name == Settings.profile_name else settings().profile_name,
        "confirm": settings().confirm,
        "guide": guide_index(served, settings()),
        "groups": group_services(each.service for each in services if each.operations),
        "services": [_service(each, held, words) for each in services if each.operations],
        "failures": [_failure(each, admin) for each in _failures(served, admin)],
        "meanings": {word: also for word, also in words.others.items() if word not in served.services},
    }
    if admin:
        shown["skipped"] = [{"file": readable(str(path)), "reason": reason} for path, reason in served.skipped]
    return shown


def _service(described: DescribedService, held: Held, words: SearchWords) -> Schema:
    service = described.service
    used = dict.fromkeys(name for each in described.operations for name in each.models)
    return {
        "name": service.name,
        "title": service_title(service),
        "module": service.module,
        "summary": service.annotation.summary[:LONGEST],
        "tag": described.tag,
        "operations": [_operation(each, held, words) for each in described.operations],
    } | _filled(
        also=words.others.get(service.name),
        fields={name: text for name in used if (text := _field_words(name, described.schemas))},
    )


def _operation(each: Described, held: Held, words: SearchWords) -> Schema:
    """An operation in few words; there may be ten thousand."""
    facts = {key: fact(each, held) for key, fact in OPERATION_FACTS.items()}
    return _filled(**facts, also=words.operations.get(f"{each.operation.verb} {each.path}"))


def _filled(**keys: Any) -> Schema:
    return {key: value for key, value in keys.items() if value}


def _field_words(name: str, named: Mapping[str, Schema]) -> str:
    """Return the names of a record's fields, and the meanings of their values."""
    properties = named.get(name, {}).get("properties", {})
    parts = [part for each in properties.values() for part in (each, *each.get("anyOf", ()))]
    whole = [{**named.get(each.get("$ref", "").rpartition("/")[2], {}), **each} for each in parts]
    meanings = (text for each in whole for text in each.get("x-values", {}).values())
    return " ".join(dict.fromkeys([*properties, *map(str, meanings)]))[:FIELDS]


def _missing(each: Described, held: Held) -> str:
    """The right that the caller lacks."""
    permission = each.operation.permission
    return permission.text if permission is not None and not held(permission) else ""


def _records(each: Described, held: Held) -> Schema:
    """Return the records that an operation takes by their ID and a parameter that selects their service.

    Each value that the parameter documents (`{@values …}`) is then the name of a service.
    """
    inputs = {one.name: one for one in each.operation.inputs if one.place == "query"}
    if each.operation.verb != "GET" or "id" not in inputs:
        return {}
    kinds = {name: [value for value, _ in one.note.meanings] for name, one in inputs.items() if one.note.meanings}
    return {"parameter": next(iter(kinds)), "services": next(iter(kinds.values()))} if len(kinds) == 1 else {}


def _saves(each: Described, held: Held) -> str:
    """Return the extension of the file that it returns; empty if it returns text."""
    types = list(each.said.get("responses", {}).get("200", {}).get("content", {}))
    if not types or any(one.startswith("text/") or one.endswith("json") for one in types):
        return ""
    return ".pdf" if types == ["application/pdf"] else ".bin"


#: the data of an operation in the index: key → value, left out if it is empty
OPERATION_FACTS: dict[str, Callable[[Described, Held], Any]] = {
    "id": lambda each, held: each.id,
    "verb": lambda each, held: each.operation.verb,
    "path": lambda each, held: each.path,
    "title": lambda each, held: each.said.get("summary"),
    "summary": lambda each, held: each.operation.annotation.summary[:LONGEST],
    "group": lambda each, held: each.group,
    "words": lambda each, held: " ".join(each.words),
    "models": lambda each, held: list(each.models),
    "deprecated": lambda each, held: each.operation.annotation.deprecated is not None,
    "missing": _missing,
    "saves": _saves,
    "records": _records,
    "after": lambda each, held: each.after,
}


def _failures(served: Catalogue, admin: bool) -> Iterable[Failure]:
    """Return the failures; only administrators see shadowed files."""
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
        shown |= {"file": readable(str(failure.file)), "line": failure.line}
        shown |= {"reason": failure.reason, "trace": failure.trace}
    return shown
