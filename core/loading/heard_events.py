"""Handlers of events that no service sends: their file counts as broken, and what it guards is refused meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from difflib import get_close_matches

from ..contract.catalogue import Failure
from ..records.events import ANY, NAME, stand_ins
from .failures import line_of_text, text_of
from .folders import ModuleFolder
from .sent_events import SentEvents

Handlers = Mapping[str, Sequence[Callable[..., object]]]


def hear(
    folder: ModuleFolder, handlers: Handlers, sent: SentEvents, services: Collection[str], unloadable: Collection[str]
) -> tuple[Handlers, Failure | None]:
    """Return the handlers of a module's `events.py` as they are called, and the failure if one never would be.

    A file with a misspelt name guards every event of the services that its ``before_`` functions name: which one was
    meant is unknown.

    :param handlers: as the file, or its stand-in, gives them
    :param services: those that are served
    :param unloadable: services that exist and are not served now; they may send anything
    """
    wrong = {name: _why_unheard(name, sent, services, unloadable) for name in handlers}
    reasons = [reason for reason in wrong.values() if reason]
    if not reasons:
        return handlers, None
    file = folder.path / "events.py"
    text = text_of(file)
    found = [line_of_text(rf"(?:async )?def {name}\b", text) for name, reason in wrong.items() if reason]
    failure = Failure(
        f"{folder.name}/events",
        folder.name,
        file,
        "; ".join(reasons),
        shadowed=True,
        line=min(filter(None, found), default=None),
    )
    guarded = {match[2] for name in handlers if (match := NAME.fullmatch(name)) and match[1] == "before"}
    meant = {near for name in guarded for near in get_close_matches(name, sorted({*services, ANY}), 1, 0.8)}
    names = {*handlers} | {
        f"before_{service}_{event}"
        for service in meant
        for event in (sent.all if service == ANY else sent.of.get(service, ()))
    }
    return stand_ins(sorted(names), f"{folder.name}/events.py"), failure


def _why_unheard(name: str, sent: SentEvents, services: Collection[str], unloadable: Collection[str]) -> str:
    """Why a handler is never called; empty: it is, or may be once another file is repaired."""
    match = NAME.fullmatch(name)
    if match is None:
        return ""
    service, event = match[2], match[3]
    if service == ANY:
        if event in sent.all or not sent.is_whole:
            return ""
        return f"{name}: no service sends the event {event}{_instead(event, sent.all)}"
    if service not in services:
        return "" if service in unloadable else f"{name}: unknown service {service}{_near(service, services)}"
    events = sent.of.get(service, set())
    return "" if event in events else f"{name}: {service} doesn't send the event {event}{_instead(event, events)}"


def _near(word: str, known: Collection[str]) -> str:
    """The known word that may be meant, as the end of a message."""
    found = get_close_matches(word, sorted(known), 1)
    return f"; did you mean {found[0]}?" if found else ""


def _instead(event: str, events: Collection[str]) -> str:
    return _near(event, events) or (f"; expected one of {', '.join(sorted(events))}" if events else "")
