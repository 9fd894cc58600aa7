"""The rows of the table: what is attacked, and what came of it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .field import Field

#: what is kept of that which got through, of each row
EXAMPLES = 20


@dataclass
class Tally:
    """What came of the attacks of one row; may be told by many threads at once."""

    tried: int = 0
    held: int = 0
    #: some of what got through, in words
    through: list[str] = field(default_factory=list)
    #: why there is nothing to attack; empty: there is
    reason: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def lost(self):
        """How many got through."""
        return self.tried - self.held

    def check(self, held, words):
        """Count one attack.

        :param words: what got through, where it did
        """
        with self._lock:
            self.tried += 1
            self.held += bool(held)
            if not held and len(self.through) < EXAMPLES:
                self.through.append(words[:400])
        return held

    def same(self, expected, found, words):
        """Count one attack, which held if what was found is what was expected."""
        return self.check(expected == found, f"{words}: expected {expected!r}, found {found!r:.200}")

    def nothing(self, reason):
        """There is nothing here that could be attacked."""
        self.reason = reason


Attack = Callable[["Field", Tally], None]


@dataclass(frozen=True)
class Row:
    """A kind of attack.

    :param name: what it is called by `--only`
    :param what: what is attacked, in a sentence
    """

    name: str
    what: str
    attack: Attack


ROWS = {}


def row(name, what):
    """Make a function a row of the table."""

    def add(attack):
        assert name not in ROWS, name
        ROWS[name] = Row(name, what, attack)
        return attack

    return add
