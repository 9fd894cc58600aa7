"""How often a key may be used: windows of a minute, whose allowance is handed out in portions.

What all workers and hosts share is one number for each key: how much of the window's allowance has been taken. A worker
takes a portion and hands it out without asking again, so that most requests cost no statement. What it takes grows with
what it has used itself, and shrinks with what is left: who is idle holds little back, and of a small allowance, or of
the rest of a large one, each request is taken by itself. More than the allowance is never handed out.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

from ..common.in_force import InForce

#: seconds of a window; all begin at a full minute. A sliding window would need two numbers for each key
WINDOW = 60
#: the part of what is left that one worker may take at once
SHARE = 16
#: seconds for which nobody asks again after what is shared could not be reached
PAUSE = 1.0

_log = logging.getLogger("comptoir.limits")


def window_at(now: int) -> int:
    """When the window began that a second lies in, in Unix seconds."""
    return now - now % WINDOW


def portion(limit: int, taken: int, used: int) -> int:
    """How much of an allowance a worker takes at once.

    :param taken: what all together have taken of it
    :param used: what this worker has taken and used in this window
    """
    return max(1, min(used, (limit - taken) // SHARE))


def granted(limit: int, taken: int, wanted: int) -> int:
    """How much of a portion is within the allowance.

    :param taken: what all together have taken, this portion included
    """
    return max(0, min(wanted, limit - (taken - wanted)))


class Allowance(NamedTuple):
    """What a request got of its key's allowance.

    :ivar remaining: what is left, as far as this worker knows
    :ivar seconds: until the window ends
    :ivar is_spent: nothing was left for this request
    """

    limit: int
    remaining: int
    seconds: int
    is_spent: bool = False

    def write(self, headers: dict[str, str]) -> None:
        """Add the header fields of the answer, as the draft standard for them says."""
        headers["ratelimit-policy"] = f'"key";q={self.limit};w={WINDOW}'
        headers["ratelimit"] = f'"key";r={self.remaining};t={self.seconds}'


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

    :ivar ends: when the window ends
    :ivar rest: what nobody has taken of it, when this worker looked last; less than 0: more was asked for than there is
    :ivar left: what this worker has taken and not yet used
    :ivar got: what it has taken in all
    :ivar owed: what of it the others do not know of, because nothing could be shared
    """

    __slots__ = ("ends", "got", "left", "limit", "owed", "rest")

    def __init__(self, limit: int, ends: int) -> None:
        self.limit = self.rest = limit
        self.ends = ends
        self.got = self.left = self.owed = 0


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
        now = int(self._clock())
        with self._turn:
            share = self._shares.get(key_id)
            if share is None or not 0 < share.ends - now <= WINDOW or share.limit != limit:
                share = self._shares[key_id] = _Share(limit, window_at(now) + WINDOW)
            left = share.left
            if left:
                # As most requests find it
                share.left = left = left - 1
                return Allowance(limit, (share.rest if share.rest > 0 else 0) + left, share.ends - now)
            if share.rest <= 0:
                return Allowance(limit, 0, share.ends - now, True)
            # What it has taken it has used
            wanted = portion(limit, limit - share.rest, share.got)
        # Others of this worker go on meanwhile
        taken = self._ask(key_id, share, wanted)
        with self._turn:
            if taken is None:
                share.owed += wanted
                taken = limit - share.rest + wanted
            share.rest = min(share.rest, limit - taken)
            more = granted(limit, taken, wanted)
            share.got += more
            share.left += more
            if not share.left:
                return Allowance(limit, 0, share.ends - now, True)
            share.left -= 1
            return Allowance(limit, max(0, share.rest) + share.left, share.ends - now)

    def _ask(self, key_id: int, share: _Share, wanted: int) -> int | None:
        """What all have taken by now, this portion included; None: nobody knows."""
        if self._clock() < self._away:
            return None
        owed = share.owed
        try:
            taken = self._store.take(key_id, share.ends - WINDOW, wanted + owed)
        except Unshared as error:
            if not self._away:
                _log.warning("requests of keys cannot be counted together, each worker counts for itself: %s", error)
            self._away = self._clock() + PAUSE
            return None
        if self._away:
            self._away = 0.0
            _log.warning("requests of keys are counted together again")
        share.owed -= owed
        return taken

    def forget_old_windows(self) -> None:
        """Forget windows that have ended, here and in what is shared."""
        since = window_at(int(self._clock()))
        with self._turn:
            old = [key_id for key_id, share in self._shares.items() if share.ends <= since]
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
