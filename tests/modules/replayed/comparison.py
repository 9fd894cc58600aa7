"""What differs between a recorded answer and ours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from tests.modules.replayed.exchanges import UNKNOWN, Exchange
from tests.modules.replayed.identifiers import is_reference

#: the hour of the recording: a value in it is an instant of it, of which the type alone counts
_INSTANTS = range(1795224000, 1795231200)
_INSTANT = re.compile(r"2026-11-21 0[1-3]:[0-5][0-9]:[0-5][0-9]|20261121T?0[1-3][0-9]{4}Z?")
_SECONDS = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}")
_NUMBERS = re.compile("[0-9]+")
#: what no two servers have in common: sizes and contents of files, places on a disk
_OF_FILES = ("filesize", "size", "content", "path", "fullname")
_EMPTY = (None, "", 0, "0", [], {}, False, "0.0000", "0.00000000")


@dataclass(frozen=True)
class Difference:
    """What differs.

    :param what: `status 500 400`, `absent` (a key), `absent empty` (a key whose value was empty), `empty` (both values
        are, each in its way), `type`, `value`, `more` (a text that goes
        on where the recorded one ends), `length` (of a list)
    """

    exchange: Exchange
    key: str
    what: str
    recorded: Any
    ours: Any

    def __str__(self):
        return f"{self.exchange.place}\t{self.key}\t{self.what}\t{_short(self.recorded)}\t{_short(self.ours)}"


def _short(value):
    return repr(value)[:140]


class Comparison:
    """Compares answers; knows which identifier is which."""

    def __init__(self, identifiers):
        self.identifiers = identifiers

    def differences(self, exchange, status, answer):
        """Those of one exchange; where the status is another, nothing else is looked at."""
        if status != exchange.status:
            return [Difference(exchange, "", f"status {exchange.status} {status}", exchange.status, answer)]
        if exchange.answer is UNKNOWN:
            return []
        created = self.identifiers.created(exchange.path)
        if exchange.verb == "POST" and created and type(answer) is type(exchange.answer) is int:
            self.identifiers.bind(created, exchange.answer, answer)
            return []
        return [
            Difference(exchange, key, what, recorded, ours)
            for key, what, recorded, ours in self._compared(exchange, exchange.answer, answer, "")
        ]

    def _compared(self, exchange, recorded, ours, key):
        if isinstance(recorded, int) and isinstance(ours, str) and ours.isdecimal() and ours != "0":
            # Its type may be another, it is learnt all the same
            self._is_equal(exchange, str(recorded), ours, key)
        if _kind(recorded) != _kind(ours):
            is_empty = recorded in _EMPTY and ours in _EMPTY
            yield key, "empty" if is_empty else "type", recorded, ours
        elif isinstance(recorded, dict):
            yield from self._objects(exchange, recorded, ours, key)
        elif isinstance(recorded, list):
            if len(recorded) != len(ours) and not (exchange.is_cut and len(recorded) < len(ours)):
                yield key, "length", len(recorded), len(ours)
            for one, other in zip(recorded, ours, strict=False):
                yield from self._compared(exchange, one, other, f"{key}.#".lstrip("."))
        elif not self._is_equal(exchange, recorded, ours, key):
            yield key, _unlike(recorded, ours), recorded, ours

    def _objects(self, exchange, recorded, ours, key):
        if recorded and all(each.isdecimal() for each in recorded) and "error" not in key:
            # Keys that are identifiers of rows: their values count
            if len(recorded) != len(ours):
                yield key, "length", len(recorded), len(ours)
            for one, other in zip(recorded.values(), ours.values(), strict=False):
                yield from self._compared(exchange, one, other, f"{key}.#".lstrip("."))
            return
        for name, value in recorded.items():
            below = f"{key}.{name}".lstrip(".")
            if name not in ours:
                yield below, "absent empty" if value in _EMPTY else "absent", value, None
            else:
                yield from self._compared(exchange, value, ours[name], below)

    def _is_equal(self, exchange, recorded, ours, key):
        if key.rpartition(".")[2] in _OF_FILES and exchange.path.startswith("/documents"):
            return True
        kind = self.identifiers.kind(exchange.path, key)
        if kind and recorded not in _EMPTY:
            return self.identifiers.is_same(kind, recorded, ours)
        if isinstance(recorded, int | float) and not isinstance(recorded, bool):
            return bool(recorded == ours) or (recorded in _INSTANTS and ours > 1_000_000_000)
        if not isinstance(recorded, str):
            return bool(recorded == ours)
        if is_reference(recorded) and is_reference(ours):
            return self.identifiers.is_same("references", recorded, ours)
        if _INSTANT.fullmatch(recorded):
            return _INSTANT.fullmatch(ours) is not None or _SECONDS.fullmatch(ours) is not None
        if key == "error.message":
            # Numbers of records in it are those of here
            return _NUMBERS.sub("#", recorded) == _NUMBERS.sub("#", ours)
        return bool(self.identifiers.references(recorded) == ours)


def _unlike(recorded, ours):
    """How two values of one type differ."""
    if recorded in _EMPTY and ours in _EMPTY:
        return "empty"
    return "more" if isinstance(recorded, str) and recorded and ours.startswith(recorded) else "value"


def _kind(value):
    if isinstance(value, bool) or value is None:
        return str(type(value))
    return "number" if isinstance(value, int | float) else str(type(value))
