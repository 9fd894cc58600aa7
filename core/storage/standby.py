"""A standby: a copy of the database that follows it, and may be asked what may be some seconds old.

How far it is behind is not taken on its own word: one whose line to the database is cut believes that it has
everything. Once a second a worker notes how far the database has come (`Marks`); what the standby has reached of that
says how old an answer of it is at most.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import peewee

from .database import database, dialect_name, query
from .lasting import Lasting, NeedsPrimary
from .troubles import TOO_LONG, reason_of, trouble_of

P = ParamSpec("P")
T = TypeVar("T")

_log = logging.getLogger("comptoir.database")

#: seconds between two looks at how far the standby has come
LOOK = 1.0
#: looks that are remembered
_KEPT = 120

#: how far a database has come; and how far one that follows another has
_COME = {"postgresql": "SELECT pg_current_wal_lsn()::text", "mysql": "SELECT @@gtid_binlog_pos"}
_FOLLOWED = {
    "postgresql": "SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END",
    "mysql": "SELECT @@gtid_slave_pos",
}

#: how far something has come: by the name of each line of changes
Position = dict[str, int]


def read_position(text: str | None) -> Position:
    """A place in the log of PostgreSQL (``0/16B3748``), or places in those of MariaDB (``0-1-100,1-2-5``)."""
    if not text:
        return {}
    if "/" in text:
        high, low = text.split("/")
        return {"": (int(high, 16) << 32) + int(low, 16)}
    parts = [each.strip().split("-") for each in text.split(",")]
    return {domain: int(number) for domain, _, number in parts}


class Marks:
    """How far the database had come at some moments, and the last of them that the standby has reached."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._marks: deque[tuple[float, Position]] = deque(maxlen=_KEPT)
        self._looked = float("-inf")
        #: the last moment of which the standby has everything
        self._reached: float | None = None
        self._told = False

    def age(self) -> float | None:
        """Seconds that an answer of the standby is old at most; None: nobody knows, or it does not answer."""
        if time.monotonic() - self._looked > LOOK and self._turn.acquire(blocking=False):
            try:
                self._looked = time.monotonic()
                self._look()
            finally:
                self._turn.release()
        return None if self._reached is None else time.monotonic() - self._reached

    def _look(self) -> None:
        moment = time.monotonic()
        ((text,),) = query(_COME[dialect_name()])
        self._marks.append((moment, read_position(text)))
        try:
            with at_standby():
                ((text,),) = query(_FOLLOWED[dialect_name()])
        except peewee.PeeweeException as error:
            self.lost(error)
            return
        there = read_position(text)
        reached = [when for when, mark in self._marks if there and _has(there, mark)]
        self._reached = max(reached, default=None)
        if self._reached is not None and self._told:
            _log.warning("the standby is up to date again")
            self._told = False
        elif not there and not self._told:
            _log.error("COMPTOIR_DATABASE_READ isn't a standby; everything is read from the primary")
            self._told = True

    def lost(self, error: BaseException) -> None:
        """It does not answer: nobody asks it before the next look."""
        self._reached = None
        if not self._told:
            _log.error("the standby doesn't respond: %s; everything is read from the primary", reason_of(error))
        self._told = True


def _has(there: Position, mark: Position) -> bool:
    return all(there.get(name, -1) >= number for name, number in mark.items())


@contextmanager
def at_standby() -> Iterator[None]:
    """Read at the standby meanwhile."""
    opened: Lasting = database.obj
    with opened.elsewhere(standby=True):
        yield


@contextmanager
def at_primary() -> Iterator[None]:
    """Read where it is written meanwhile: what is kept in memory, or says who may do what, must not be old."""
    opened: Any = database.obj
    if opened is None or not opened.own.at_standby:
        yield
        return
    with opened.elsewhere(standby=False):
        yield


def has_standby() -> bool:
    """Whether there is a standby."""
    opened: Any = database.obj
    return opened is not None and opened.standby is not None


def standby_age() -> float | None:
    """Seconds that an answer of the standby is old at most; None: it cannot be asked."""
    opened: Any = database.obj
    if opened.marks is None:
        opened.marks = Marks()
    age: float | None = opened.marks.age()
    return age


def first_at_standby(call: Callable[P, T], asked: Callable[[], None]) -> Callable[P, T]:
    """What reads at the standby, and where that fails, or it writes, at the primary.

    :param asked: told that the standby has answered
    """

    def read(*arguments: P.args, **more: P.kwargs) -> T:
        try:
            with at_standby():
                answered = call(*arguments, **more)
        except NeedsPrimary:
            return call(*arguments, **more)
        except peewee.PeeweeException as error:
            if trouble_of(error) is TOO_LONG:
                # The primary would take as long, and has other things to do
                raise
            if database.obj.is_lost(error):
                database.obj.marks.lost(error)
            return call(*arguments, **more)
        asked()
        return answered

    return read
