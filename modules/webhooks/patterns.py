"""Patterns of events: ``orders.* *.deleted``."""

from __future__ import annotations

import re
from typing import Any

from core.for_natives import Catalogue, cached_per_catalogue, meant

_PATTERN = re.compile(r"(\*|[a-z0-9]+)\.(\*|[a-z0-9_]+)")

#: service and event of each pattern; ``*`` stands for any
Patterns = tuple[tuple[str, str], ...]


@cached_per_catalogue
def sent_events(served: Catalogue) -> dict[str, list[str]]:
    """Return the names of the events that each service sends once something has happened, in order."""
    found = {
        service: sorted(name for name, each in events.items() if "after" in each.moments)
        for service, events in sorted(served.events.items())
    }
    return {service: names for service, names in found.items() if names}


def read_patterns(text: str) -> Patterns:
    """Return the patterns of a text, separated by spaces or commas.

    :raises ValueError: one of them has another form, or matches no event
    """
    found = []
    for each in re.split(r"[\s,]+", text.strip(" ,")):
        match = _PATTERN.fullmatch("*.*" if each == "*" else each)
        if match is None:
            raise ValueError(f"expected patterns such as orders.* or *.deleted, got {each!r}")
        _check(each, *match.groups())
        found.append((match[1], match[2]))
    return tuple(dict.fromkeys(found))


def _check(text: str, service: str, event: str) -> None:
    sent = sent_events()
    if service not in ("*", *sent):
        raise ValueError(f"no service {service} sends events{meant(service, [*sent])}")
    events = sorted({name for names in sent.values() for name in names}) if service == "*" else sent[service]
    if event not in ("*", *events):
        raise ValueError(f"{text}: there is no such event{meant(event, events)}")


def stored_patterns(text: str) -> Patterns:
    """Return the patterns of a text that was checked before; their events may have gone since."""
    return tuple((service, event) for service, _, event in (each.partition(".") for each in text.split()))


def text_of(patterns: Patterns) -> str:
    """Return patterns as they are stored."""
    return " ".join(f"{service}.{event}" for service, event in patterns)


def matches(patterns: Patterns, service: str, event: str) -> bool:
    """Return whether one of the patterns matches an event."""
    return any(first in ("*", service) and second in ("*", event) for first, second in patterns)


def condition_of(patterns: Patterns) -> tuple[str, list[Any]]:
    """Return the condition that one of the patterns matches a row of the table of events."""
    texts, values = [], list[Any]()
    for service, event in patterns:
        parts = [(name, value) for name, value in (("service", service), ("event", event)) if value != "*"]
        texts.append(" AND ".join(f"{name} = ?" for name, _ in parts) or "1 = 1")
        values += [value for _, value in parts]
    return f"({' OR '.join(texts)})", values
