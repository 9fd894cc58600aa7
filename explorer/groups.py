"""Groups of services, and of a service's operations: its record, its states, its lines, its files.

Those of operations come from paths and transitions, so every service has them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from core.contract.catalogue import Operation, Service

from .field_schemas import Schema

#: of what has a word of its own, but is alone with it
ALONE = "more"
FILES = "files"
STATES = "states"
#: of the record itself, and of what finds it in another way
RECORD = ""

#: the groups of services, in their order; those of other modules come between them and the last
SERVICE_GROUPS = ("Sales", "Goods", "Money", "People", "Administration")
OTHER = "Other"

_WORD = re.compile(r"[a-z0-9]+|[A-Z]+(?![a-z])|[A-Z][a-z0-9]*")


def group_operations(service: Service, said: Sequence[Schema]) -> list[str]:
    """The group of each operation of a service.

    :param said: what OpenAPI says of each
    """
    words = [_word(each.segments) for each in service.operations]
    known = Counter(words)
    # "contact" and "contacts" are one thing
    words = [f"{word}s" if f"{word}s" in known else word for word in words]
    known = Counter(words)
    transitions = {each.name for each in service.transitions}
    return [
        _group(each, word, known[word], transitions, told)
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
    """The first word below the service and its records; none where it only names what the record is found by."""
    for place, part in enumerate(segments):
        if not part.startswith(("{", "*")):
            return "" if segments[place + 1 :] == (f"{{{part}}}",) else part
    return ""


def _is_about_a_file(said: Schema) -> bool:
    """Whether it takes a file, or answers one and nothing else."""
    answered = said.get("responses", {}).get("200", {}).get("content", {})
    taken = said.get("requestBody", {}).get("content", {})
    return "multipart/form-data" in taken or (bool(answered) and "application/json" not in answered)
