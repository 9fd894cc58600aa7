"""Handlers of events that nothing sends: their file has failed, and the changes that it should check are rejected.

The events are read from the modules' texts: `notify("spent", ...)`, `emit("cards", "spent", ...)`, or `event="spent"`
in any call. `Records` send `created`, `changed` and `deleted`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ..contract.catalogue import Failure
from ..records.events import ANY, NAME, SENT_BY_RECORDS, stand_ins
from ..web.readiness import SENT_BY_SERVER
from .failures import failure_of, line_of_text
from .importing import LoadError
from .module_files import ModuleFile, ModuleFolder, Print, read_source, text_of

Handlers = Mapping[str, Sequence[Callable[..., object]]]


class SentEvents(NamedTuple):
    """The events that modules send; `is_whole` is False if the text of a file couldn't be read."""

    names: set[str]
    is_whole: bool


_SENDING = re.compile(rb"\bnotify\(|\bemit\(|\bevent=")


def sent_events(folders: Iterable[ModuleFolder]) -> SentEvents:
    """Return the events that modules, records and the server send."""
    read = [
        _read(file, state)
        for folder in folders
        for file, state in folder.prints.items()
        if Path(file) not in folder.unreadable and file.endswith((".py", ".class"))
    ]
    return SentEvents(set(SENT_BY_RECORDS + SENT_BY_SERVER).union(*filter(None, read)), None not in read)


@lru_cache(maxsize=16384)
def _read(file: str, state: Print) -> frozenset[str] | None:
    """Return the events that a file sends; None: it isn't Python.

    :param state: part of the cache's key
    """
    try:
        text = read_source(Path(file))
        nodes = [*ast.walk(ast.parse(text))] if _SENDING.search(text) else []
    except (SyntaxError, ValueError, OSError, RecursionError, MemoryError):
        return None
    words = [word for each in nodes if isinstance(each, ast.Call) for sent in _sent(each) for word in ast.walk(sent)]
    return frozenset(each.value for each in words if isinstance(each, ast.Constant) and isinstance(each.value, str))


def _sent(call: ast.Call) -> list[ast.expr]:
    """Return what a call names as an event: `"spent" if points else "emptied"` has two."""
    place = {"notify": 0, "emit": 1}.get(getattr(call.func, "attr", getattr(call.func, "id", "")))
    sent = [] if place is None else call.args[place : place + 1]
    return sent or [each.value for each in call.keywords if each.arg == "event"]


def check_handlers(
    folder: ModuleFolder,
    handlers: Handlers,
    sent: SentEvents,
    services: Collection[str],
    unloadable: Collection[str],
) -> tuple[Handlers, Failure | None]:
    """Return the handlers of a module's `events.py` that are called, and its failure if one would never be called.

    If a name is misspelt, the intended event is unknown. Every event of the services in the names of its ``before_``
    functions is then rejected.

    :param handlers: the handlers of the file, or their replacements
    :param services: the services that are served
    :param unloadable: services that exist, but have failed; they may send any event
    """
    wrong = {name: _why_unheard(name, sent, services, unloadable) for name in handlers}
    reasons = [reason for reason in wrong.values() if reason]
    if not reasons:
        return handlers, None
    file = folder.path / "events.py"
    text = text_of(file)
    found = [line_of_text(rf"(?:async )?def {name}\b", text) for name, reason in wrong.items() if reason]
    error = LoadError("; ".join(reasons), min(filter(None, found), default=None))
    guarded = {match[2] for name in handlers if (match := NAME.fullmatch(name)) and match[1] == "before"}
    meant = {near for name in guarded for near in get_close_matches(name, sorted({*services, ANY}), 1, 0.8)}
    names = {*handlers} | {f"before_{service}_{event}" for service in meant for event in sent.names}
    return stand_ins(sorted(names), f"{folder.name}/events.py"), failure_of(folder, ModuleFile("events", file), error)


def _why_unheard(name: str, sent: SentEvents, services: Collection[str], unloadable: Collection[str]) -> str:
    """Return why a handler is never called; empty: it is, or will be when another file is fixed."""
    match = NAME.fullmatch(name)
    if match is None:
        return ""
    service, event = match[2], match[3]
    if service != ANY and service not in services:
        return "" if service in unloadable else f"{name}: unknown service {service}{_near(service, services)}"
    if event in sent.names or (service == ANY and not sent.is_whole):
        return ""
    return f"{name}: no service sends the event {event}{_near(event, sent.names)}"


def _near(word: str, known: Collection[str]) -> str:
    """Return the end of a message with the most similar known word."""
    found = get_close_matches(word, sorted(known), 1)
    return f"; did you mean {found[0]}?" if found else ""
