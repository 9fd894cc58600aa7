"""Rate limits of keys: an allowance per minute, which workers take in portions of a shared counter.

All workers and hosts share one number for each key: the part of the current window's allowance that has been taken. A
worker takes a portion and serves requests from it, so most requests need no statement. The portion grows with the
worker's own use and shrinks with the rest of the allowance. An idle worker therefore holds little back, and of a small
rest each request is taken separately. Workers together exceed the allowance only in a minute in which
the shared counter can't be reached.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import peewee

from ..common.process import ProcessValue
from ..storage.database import (
    backend,
    database,
    driver_sql,
    ensure_connected,
    is_temporary,
    lock_timeout,
    transaction,
    untracked_writes,
)
from ..storage.error_kinds import reason_of
from ..storage.model import Model
from ..storage.statements import upsert_statement

#: seconds of a window; all begin at a full minute. A sliding window would need two numbers for each key
WINDOW = 60
#: a worker takes at most one part in 16 of the remaining allowance at once
SHARE = 16
#: seconds without another attempt after the shared store was unreachable
PAUSE = 1.0
#: seconds for which a request waits for SQLite's lock: one commit on a busy disk takes longer than a tenth of a second
LOCK_WAIT_SECONDS = 1.0
#: seconds for which a request waits for a Redis
REDIS_WAIT_SECONDS = 0.1

_log = logging.getLogger("comptoir.limits")


def window_at(now: int) -> int:
    """Return the start of a second's window, in Unix seconds."""
    return now - now % WINDOW


def portion(limit: int, taken: int, used: int) -> int:
    """Return the portion of an allowance that a worker takes at once.

    :param taken: what all workers together have taken
    :param used: what this worker has taken and used in this window
    """
    return max(1, min(used, (limit - taken) // SHARE))


def granted(limit: int, taken: int, wanted: int) -> int:
    """Return the part of a portion that is within the allowance.

    :param taken: what all workers together have taken, including this portion
    """
    return max(0, min(wanted, limit - (taken - wanted)))


class Allowance(NamedTuple):
    """A request's share of its key's allowance.

    :ivar remaining: the rest of the allowance, as far as this worker knows
    :ivar seconds: until the window ends
    :ivar is_spent: nothing was left for this request
    """

    limit: int
    remaining: int
    seconds: int
    is_spent: bool = False

    def write(self, headers: dict[str, str]) -> None:
        """Add the response headers of the IETF draft on rate limits."""
        headers["ratelimit-policy"] = f'"key";q={self.limit};w={WINDOW}'
        headers["ratelimit"] = f'"key";r={self.remaining};t={self.seconds}'


class Unshared(Exception):
    """The shared store is unreachable; the message has the reason."""


class TakenRequests(Model):
    """The used allowance of a key: one row per key, for its last window."""

    key = peewee.IntegerField(column_name="fk_key", primary_key=True)
    since = peewee.BigIntegerField(help_text="when the window began, in Unix seconds")
    taken = peewee.BigIntegerField(help_text="requests that workers have reserved in the window, used or not")

    class Meta:
        table_name = "comptoir_key_rate"
        audited = False


#: A window ahead of this one comes from a host whose clock is ahead, and is used; a window far ahead is replaced
_IS_OVER = f"(comptoir_key_rate.since < excluded.since OR comptoir_key_rate.since > excluded.since + {WINDOW})"
_TAKE = (
    f"taken = excluded.taken + CASE WHEN {_IS_OVER} THEN 0 ELSE comptoir_key_rate.taken END, "
    f"since = CASE WHEN {_IS_OVER} THEN excluded.since ELSE comptoir_key_rate.since END"
)


class DatabaseStore:
    """Counters in the database: one statement, in its own transaction."""

    def take(self, key_id: int, since: int, amount: int) -> int:
        """Add to the taken part of a window's allowance; return the new sum.

        :raises Unshared: the store is unreachable, or SQLite's lock isn't free within `LOCK_WAIT_SECONDS`
        """
        try:
            return self._take(key_id, since, amount)
        except peewee.PeeweeException as error:
            # Two inserts at the same time can end in a deadlock
            if backend().one_writer or not is_temporary(error):
                raise Unshared(reason_of(error)) from error
        try:
            return self._take(key_id, since, amount)
        except peewee.PeeweeException as error:
            raise Unshared(reason_of(error)) from error

    def _take(self, key_id: int, since: int, amount: int) -> int:
        # Not `upsert`, whose transaction would be two more messages to the database
        sql = upsert_statement("comptoir_key_rate", ("fk_key", "since", "taken"), "fk_key", _TAKE, "taken")
        ensure_connected()
        with lock_timeout(LOCK_WAIT_SECONDS), untracked_writes():
            return int(database.execute_sql(driver_sql(sql), (key_id, since, amount)).fetchall()[0][0])

    def forget(self, since: int) -> None:
        """Remove the counters of earlier windows; writes only if there are any."""
        old = TakenRequests.since < since
        ensure_connected()
        if TakenRequests.select().where(old).exists():
            with transaction():
                TakenRequests.delete().where(old).execute()


class RedisStore:
    """Counters in a Redis, which removes windows when they expire.

    :param url: such as ``redis://host:6379/0``
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._turn = threading.Lock()
        self._client: Any = None

    def take(self, key_id: int, since: int, amount: int) -> int:
        """See `DatabaseStore.take`; waits at most `REDIS_WAIT_SECONDS` for a connection and for a response."""
        name = f"comptoir:rate:{key_id}:{since}"
        try:
            # Both in one message
            steps = self._connected().pipeline(transaction=False)
            taken, _ = steps.incrby(name, amount).expire(name, 2 * WINDOW).execute()
        except Exception as error:
            raise Unshared(f"Redis at {urlsplit(self._url).hostname}: {error}") from error
        return int(taken)

    def _connected(self) -> Any:
        with self._turn:
            # One client for all threads: the library closes the connections of a client that is garbage-collected
            if self._client is None:
                # Imported here because only this setting needs it
                from redis import Redis
                from redis.backoff import NoBackoff
                from redis.retry import Retry

                self._client = Redis.from_url(
                    self._url,
                    socket_timeout=REDIS_WAIT_SECONDS,
                    socket_connect_timeout=REDIS_WAIT_SECONDS,
                    retry=Retry(NoBackoff(), 0),
                )
            return self._client

    def forget(self, since: int) -> None:
        """Do nothing: Redis removes expired counters."""


class _Share:
    """This worker's view of one key's window.

    :ivar ends: the end of the window
    :ivar rest: the part that no worker had taken at the last check; below 0 if more was requested than is left
    :ivar left: what this worker has taken and not yet used
    :ivar got: what this worker has taken in total
    """

    __slots__ = ("ends", "got", "left", "limit", "rest")

    def __init__(self, limit: int, ends: int) -> None:
        self.limit = self.rest = limit
        self.ends = ends
        self.got = self.left = 0


class Limiter:
    """The allowances of all keys, as one worker grants them.

    While the shared store is unreachable, each worker counts separately: a limit must not take the service down.

    :param clock: now, in Unix seconds
    """

    def __init__(self, store: DatabaseStore | RedisStore, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock
        self._turn = threading.Lock()
        self._shares: dict[int, _Share] = {}
        #: until when the store isn't used, because it was unreachable; 0: it is reachable
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
                # The usual case
                share.left = left = left - 1
                return Allowance(limit, (share.rest if share.rest > 0 else 0) + left, share.ends - now)
            if share.rest <= 0:
                return Allowance(limit, 0, share.ends - now, True)
            # This worker has used all that it has taken
            wanted = portion(limit, limit - share.rest, share.got)
        # Without the lock, so that other requests of this worker continue
        taken = self._ask(key_id, share, wanted)
        with self._turn:
            if taken is None:
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
        """Return what all workers have taken, including this portion; None if the store is unreachable."""
        if self._clock() < self._away:
            return None
        try:
            taken = self._store.take(key_id, share.ends - WINDOW, wanted)
        except Unshared as error:
            if not self._away:
                _log.warning("rate limits: the shared counter is unavailable; each worker counts on its own: %s", error)
            self._away = self._clock() + PAUSE
            return None
        if self._away:
            self._away = 0.0
            _log.warning("rate limits: the shared counter is available again")
        return taken

    def forget_old_windows(self) -> None:
        """Forget past windows, here and in the shared store."""
        since = window_at(int(self._clock()))
        with self._turn:
            old = [key_id for key_id, share in self._shares.items() if share.ends <= since]
            for key_id in old:
                del self._shares[key_id]
        if old:
            # Clocks of hosts differ: a host may still be in the previous window
            self._store.forget(since - WINDOW)


#: counts the requests of each key
limiter = ProcessValue(Limiter(DatabaseStore()))
