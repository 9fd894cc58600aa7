"""Groups of services, and of a service's operations: its record, its states, its lines, its files.

Those of operations come from paths and transitions, so every service has them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from core.contract.catalogue import Operation, Service

from .field_schemas import Schema

#: the only operation with its first word, or a PUT whose path also has a PATCH
ALONE = "more"
FILES = "files"
STATES = "states"
#: the record itself, and operations that find it by another field
RECORD = ""

#: the groups of services, in their order; those of other modules come between them and the last
SERVICE_GROUPS = ("Sales", "Goods", "Money", "People", "Administration")
OTHER = "Other"

_WORD = re.compile(r"[a-z0-9]+|[A-Z]+(?![a-z])|[A-Z][a-z0-9]*")


def group_operations(service: Service, said: Sequence[Schema]) -> list[str]:
    """Return the group of each operation of a service.

    :param said: the operations in OpenAPI
    """
    words = [_word(each.segments) for each in service.operations]
    known = Counter(words)
    # "contact" and "contacts" are the same group
    words = [f"{word}s" if f"{word}s" in known else word for word in words]
    known = Counter(words)
    transitions = {each.name for each in service.transitions}
    patched = {each.template for each in service.operations if each.verb == "PATCH"}
    return [
        ALONE if each.verb == "PUT" and each.template in patched else _group(each, word, known[word], transitions, told)
        for each, word, told in zip(service.operations, words, said, strict=True)
    ]


def group_services(services: Iterable[Service]) -> dict[str, list[str]]:
    """Return the names of the services by group, each sorted."""
    found: dict[str, list[str]] = {name: [] for name in SERVICE_GROUPS}
    for each in sorted(services, key=lambda one: (not one.group, one.group, one.name)):
        found.setdefault(each.group or OTHER, []).append(each.name)
    return {name: names for name, names in found.items() if names}


def _group(operation: Operation, word: str, count: int, transitions: set[str], said: Schema) -> str:
    if operation.name in transitions:
        return STATES
    if not word:
        return RECORD
    if count > 1:
        return " ".join(_WORD.findall(word)).lower() or word
    return FILES if _is_about_a_file(said) else ALONE


def _word(segments: Sequence[str]) -> str:
    """Return the first word after the service and its records; empty if it is only the field of a search."""
    for place, part in enumerate(segments):
        if not part.startswith(("{", "*")):
            return "" if segments[place + 1 :] == (f"{{{part}}}",) else part
    return ""


def _is_about_a_file(said: Schema) -> bool:
    """Return whether an operation takes a file, or returns only files."""
    answered = said.get("responses", {}).get("200", {}).get("content", {})
    taken = said.get("requestBody", {}).get("content", {})
    return "multipart/form-data" in taken or (bool(answered) and "application/json" not in answered)
