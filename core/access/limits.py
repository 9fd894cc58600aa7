"""How often a key may be used: windows of a minute, whose allowance is handed out in portions.

What all workers and hosts share is one number for each key: how much of the window's allowance has been taken. A worker
takes a portion and hands it out without asking again, so that most requests cost no statement. What it takes grows with
what it has used itself, and shrinks with what is left: who is idle holds little back, and of a small allowance, or of
the rest of a large one, each request is taken by itself. More than the allowance is never handed out.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from ..common.in_force import InForce

#: seconds of a window; all begin at a full minute
WINDOW = 60
#: the part of what is left that one worker may take at once
SHARE = 16
#: seconds for which nobody asks again after what is shared could not be reached
PAUSE = 1.0

_log = logging.getLogger("comptoir.limits")


def window_at(now: float) -> int:
    """When the window began that an instant lies in, in Unix seconds."""
    return math.floor(now / WINDOW) * WINDOW


def seconds_left(now: float, since: int) -> int:
    """Seconds until a window ends, rounded up; at least one."""
    return max(1, math.ceil(since + WINDOW - now))


def portion(limit: int, taken: int, used: int) -> int:
    """How much of an allowance a worker takes at once.

    :param taken: what all together have taken of it
    :param used: what this worker has used in this window
    """
    return max(1, min(used, (limit - taken) // SHARE))


def granted(limit: int, taken: int, wanted: int) -> int:
    """How much of a portion is within the allowance.

    :param taken: what all together have taken, this portion included
    """
    return max(0, min(wanted, limit - (taken - wanted)))


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a request got of its key's allowance.

    :param remaining: what is left, as far as this worker knows
    :param seconds: until the window ends
    :param is_spent: nothing was left for this request
    """

    limit: int
    remaining: int
    seconds: int
    is_spent: bool = False

    def headers(self) -> dict[str, str]:
        """The header fields of the answer, as the draft standard for them says."""
        return {
            "ratelimit-policy": _policy(self.limit),
            "ratelimit": f'"key";r={self.remaining};t={self.seconds}',
        }


@lru_cache(maxsize=256)
def _policy(limit: int) -> str:
    return f'"key";q={limit};w={WINDOW}'


class Unshared(Exception):
    """What all share cannot be reached; says why."""


class Store(Protocol):
    """Where what has been taken is kept for all workers."""

    def take(self, key_id: int, since: int, amount: int) -> int:
        """Add to what has been taken of a window's allowance; answers how much that is by now.

        :raises Unshared: it cannot be done now
        """

    def forget(self, since: int) -> None:
        """Remove what was taken in windows before this one.

        :raises Unshared: it cannot be done now
        """


class _Share:
    """What this worker knows of one key's window.

    :ivar taken: what all have taken of it, when this worker looked last
    :ivar left: what this worker has taken and not yet used
    :ivar used: what it has used
    :ivar owed: what it has used without having been able to say so
    """

    __slots__ = ("left", "limit", "owed", "since", "taken", "used")

    def __init__(self, limit: int, since: int) -> None:
        self.limit = limit
        self.since = since
        self.taken = self.left = self.used = self.owed = 0


class Limiter:
    """The allowances of all keys, as one worker hands them out.

    While what is shared cannot be reached each worker counts for itself: a limit must not be what ends the service.

    :param clock: now, in Unix seconds
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock
        self._turn = threading.Lock()
        self._shares: dict[int, _Share] = {}
        #: until when nobody asks, because it could not be done; 0: it could
        self._away = 0.0

    def take(self, key_id: int, limit: int) -> Allowance:
        """Take one request of a key's allowance.

        :param limit: requests a minute
        """
        now = self._clock()
        since = window_at(now)
        with self._turn:
            share = self._shares.get(key_id)
            if share is None or share.since != since or share.limit != limit:
                share = self._shares[key_id] = _Share(limit, since)
            if not share.left and share.taken < limit:
                wanted = portion(limit, share.taken, share.used)
            else:
                return self._hand_out(share, now)
        # Others of this worker go on meanwhile
        taken = self._ask(key_id, share, wanted, now)
        with self._turn:
            if taken is None:
                share.owed += wanted
                taken = share.taken + wanted
            share.taken = max(share.taken, taken)
            share.left += granted(limit, taken, wanted)
            return self._hand_out(share, now)

    def _hand_out(self, share: _Share, now: float) -> Allowance:
        seconds = seconds_left(now, share.since)
        if not share.left:
            return Allowance(share.limit, 0, seconds, is_spent=True)
        share.left -= 1
        share.used += 1
        return Allowance(share.limit, max(0, share.limit - share.taken) + share.left, seconds)

    def _ask(self, key_id: int, share: _Share, wanted: int, now: float) -> int | None:
        """What all have taken by now, this portion included; None: nobody knows."""
        if now < self._away:
            return None
        owed = share.owed
        try:
            taken = self._store.take(key_id, share.since, wanted + owed)
        except Unshared as error:
            if not self._away:
                _log.warning("requests of keys cannot be counted together, each worker counts for itself: %s", error)
            self._away = now + PAUSE
            return None
        if self._away:
            self._away = 0.0
            _log.warning("requests of keys are counted together again")
        share.owed -= owed
        return taken

    def forget_old_windows(self) -> None:
        """Forget windows that have ended, here and in what is shared."""
        since = window_at(self._clock())
        with self._turn:
            old = [key_id for key_id, share in self._shares.items() if share.since < since]
            for key_id in old:
                del self._shares[key_id]
        if old:
            # Clocks of hosts differ: who is late is still in the last one
            self._store.forget(since - WINDOW)


_limiter: InForce[Limiter | None] = InForce(None)


def limiter() -> Limiter:
    """The one in force."""
    assert _limiter.value is not None
    return _limiter.value


def use_limiter(made: Limiter) -> None:
    """Put one in force; before the application is made."""
    _limiter.value = made
