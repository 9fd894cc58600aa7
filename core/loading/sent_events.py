"""The events that modules send, read from their text: a handler for another event would never run.

An event is sent by ``tell("spent", …)``, by ``emit("cards", "spent", …)``, or named as ``event="spent"`` in a table of
moves. Every service may send what `Records` send themselves: `created`, `changed`, `deleted`.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from ..records.events import SENT_BY_RECORDS
from ..web.readiness import SENT_BY_SERVER
from .folders import ModuleFolder, Print, read_source

_SENDING = re.compile(rb"\btell\(|\bemit\(|\bevent=")
_CLASS = re.compile(rb"^class (\w+)(?:\[[^\]]*\])?(?:\(([^)]*)\))?\s*:", re.MULTILINE)


@dataclass(frozen=True)
class _Sent:
    """What the text of a file sends.

    :param events: service and event; the service is empty where the text does not name it
    :param to: module and event, of records that the file imports from another module
    :param classes: a class and the names of its bases
    :param of_classes: a class and an event that its methods send of themselves
    :param is_read: whether the text is Python
    """

    events: tuple[tuple[str, str], ...] = ()
    to: tuple[tuple[str, str], ...] = ()
    classes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    of_classes: tuple[tuple[str, str], ...] = ()
    is_read: bool = True


@dataclass
class SentEvents:
    """The events of each service.

    :param is_whole: whether the text of every module could be read
    """

    of: dict[str, set[str]] = field(default_factory=dict)
    is_whole: bool = True

    @property
    def all(self) -> set[str]:
        """The events of all services."""
        return set().union(*self.of.values())


def sent_events(folders: Iterable[ModuleFolder]) -> SentEvents:
    """Return what the services of module folders send, and the server itself."""
    found = SentEvents({name: set(events) for name, events in SENT_BY_SERVER.items()})
    texts = [(folder, list(_texts(folder))) for folder in folders]
    read = [each for _, of_folder in texts for each in of_folder]
    found.is_whole = all(each.is_read for each in read)
    bases: dict[str, set[str]] = {}
    own: dict[str, set[str]] = {}
    to: dict[str, set[str]] = {}
    for each in read:
        for name, parents in each.classes:
            bases.setdefault(name, set()).update(parents)
        for name, event in each.of_classes:
            own.setdefault(name, set()).add(event)
        for module, event in each.to:
            to.setdefault(module, set()).add(event)
        for service, event in each.events:
            if service:
                found.of.setdefault(service, set()).add(event)
    for folder, of_folder in texts:
        events = {event for each in of_folder for service, event in each.events if not service}
        events |= to.get(folder.name, set()) | set(SENT_BY_RECORDS)
        for name in _lineage({name for each in of_folder for name, _ in each.classes}, bases):
            events |= own.get(name, set())
        for file in folder.api_files:
            found.of.setdefault(file.service, set()).update(events)
    return found


def _lineage(names: set[str], bases: dict[str, set[str]]) -> set[str]:
    """Classes with those that they derive from, by name."""
    pending, found = list(names), set(names)
    while pending:
        more = bases.get(pending.pop(), set()) - found
        found |= more
        pending += more
    return found


def _texts(folder: ModuleFolder) -> Iterator[_Sent]:
    for file, state in folder.prints.items():
        if Path(file) not in folder.unreadable and file.endswith((".py", ".class")):
            yield _read(file, file.count(os.sep, len(str(folder.path))), state)


@lru_cache(maxsize=16384)
def _read(file: str, depth: int, state: Print) -> _Sent:
    """What a file sends.

    :param depth: the folders above it in its module, the module's own included
    :param state: what the file looks like: another one is read anew
    """
    try:
        text = read_source(Path(file))
        classes = tuple(
            (name.decode(), tuple(re.findall(r"\w+", parents.decode(errors="replace"))))
            for name, parents in _CLASS.findall(text)
        )
        if not _SENDING.search(text):
            return _Sent(classes=classes)
        tree = ast.parse(text)
    except (SyntaxError, ValueError, OSError, RecursionError, MemoryError):
        return _Sent(is_read=False)
    imported = {
        alias.asname or alias.name: (node.module or alias.name).removeprefix("modules.").partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and (node.level == depth + 1 or (not node.level and str(node.module).startswith("modules.")))
        for alias in node.names
    }
    events: list[tuple[str, str]] = []
    to: list[tuple[str, str]] = []
    of_classes: list[tuple[str, str]] = []
    for holder in tree.body:
        for call in ast.walk(holder):
            if not isinstance(call, ast.Call):
                continue
            service, receiver, sent = _sending(call)
            if receiver == "self" and isinstance(holder, ast.ClassDef):
                of_classes += [(holder.name, event) for event in sent]
            elif receiver in imported:
                to += [(imported[receiver], event) for event in sent]
            else:
                events += [(service, event) for event in sent]
    return _Sent(tuple(events), tuple(to), classes, tuple(of_classes))


def _sending(call: ast.Call) -> tuple[str, str, set[str]]:
    """The service that a call names, the name whose method is called, and the events that it sends."""
    named = getattr(call.func, "attr", getattr(call.func, "id", ""))
    receiver = (
        call.func.value.id if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name) else ""
    )
    if named == "tell" and call.args:
        return "", receiver, _words(call.args[0])
    if named == "emit" and len(call.args) > 1:
        service = call.args[0]
        # emit(self.service, …) tells of the class, as self.tell(…) does
        receiver = (
            service.value.id if isinstance(service, ast.Attribute) and isinstance(service.value, ast.Name) else ""
        )
        return "".join(sorted(_words(service))[:1]), receiver, _words(call.args[1])
    return "", "", set().union(*(_words(each.value) for each in call.keywords if each.arg == "event"))


def _words(node: ast.AST) -> set[str]:
    """The texts in an expression: ``"spent" if points else "emptied"`` has two."""
    return {each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)}
