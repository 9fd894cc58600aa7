"""Rate limits of keys: an allowance per minute that all workers and hosts share.

A Redis counts each request. A database counts portions: a worker takes one and serves requests from it without another
statement. The portion grows with the worker's own use and shrinks with the rest of the allowance. An idle worker
therefore holds little back, and of a small rest each request is counted.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import peewee

from ..common.process import ProcessValue
from ..storage.database import backend, database, driver_sql, is_temporary, lock_timeout, transaction, untracked_writes
from ..storage.error_kinds import reason_of
from ..storage.model import Model
from ..storage.statements import upsert_statement

#: seconds of a window; all begin at a full minute. A sliding window would need two numbers for each key
WINDOW = 60
#: seconds without another attempt after the shared store was unreachable
PAUSE = 1.0
#: seconds for which a request waits for SQLite's lock: one commit on a busy disk takes longer than a tenth of a second
LOCK_WAIT_SECONDS = 1.0
#: seconds for which a request waits for a Redis
REDIS_WAIT_SECONDS = 0.1

_log = logging.getLogger("comptoir.limits")


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
    """Counters in the database."""

    #: a worker takes at most one part in this number of the remaining allowance at once
    portions = 16
    error: type[Exception] = peewee.PeeweeException

    def take(self, key_id: int, since: int, amount: int, *, again: bool = True) -> int:
        """Add to the taken part of a window's allowance; return the new sum.

        :param again: whether a deadlock is tried again
        :raises PeeweeException: it is unreachable, or SQLite's lock isn't free within `LOCK_WAIT_SECONDS`
        """
        # Not `upsert`, whose transaction would be two more messages to the database
        sql = upsert_statement("comptoir_key_rate", ("fk_key", "since", "taken"), "fk_key", _TAKE, "taken")
        try:
            with lock_timeout(LOCK_WAIT_SECONDS), untracked_writes():
                return int(database.execute_sql(driver_sql(sql), (key_id, since, amount)).fetchall()[0][0])
        except peewee.PeeweeException as error:
            # Two inserts at the same time can end in a deadlock
            if again and not backend().one_writer and is_temporary(error):
                return self.take(key_id, since, amount, again=False)
            raise

    def forget(self, since: int) -> None:
        """Remove the counters of earlier windows."""
        with transaction():
            TakenRequests.delete().where(TakenRequests.since < since).execute()


class RedisStore:
    """Counters in a Redis, such as ``redis://host:6379/0``. It connects when the first request is counted."""

    portions = 0

    def __init__(self, url: str) -> None:
        # Imported here because only this setting needs it
        from redis import Redis

        wait = REDIS_WAIT_SECONDS
        self._client: Any = Redis.from_url(url, socket_timeout=wait, socket_connect_timeout=wait)
        # A wrong option of the URL is found only when the library connects, by errors of any kind
        self.error: type[Exception] = Exception

    def take(self, key_id: int, since: int, amount: int) -> int:
        """See `DatabaseStore.take`; waits at most `REDIS_WAIT_SECONDS` for a connection and for a response."""
        name = f"comptoir:rate:{key_id}:{since}"
        # Both in one message
        steps = self._client.pipeline(transaction=False).incrby(name, amount).expire(name, 2 * WINDOW)
        return int(steps.execute()[0])

    def forget(self, since: int) -> None:
        """Do nothing: they expire."""


@dataclass(slots=True)
class _Share:
    """This worker's view of one key's allowance.

    :ivar rest: the part that no worker had taken at the last check; below 0 if more was requested than is left
    :ivar left: what this worker has taken and not yet used
    :ivar got: what this worker has taken in total
    """

    limit: int
    rest: int
    left: int = 0
    got: int = 0


class Limiter:
    """The allowances of all keys, as one worker grants them.

    While the shared store is unreachable, each worker counts separately: a limit must not take the service down.

    :param clock: now, in Unix seconds
    """

    def __init__(self, store: DatabaseStore | RedisStore, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock
        self._turn = threading.Lock()
        #: key → share in the window since this second
        self._shares: dict[int, _Share] = {}
        self._since = self._forgotten = 0
        #: until when the store isn't used, because it was unreachable; 0: it is reachable
        self._away = 0.0

    def take(self, key_id: int, limit: int) -> Allowance:
        """Take one request of a key's allowance.

        :param limit: requests a minute
        """
        with self._turn:
            now = int(self._clock())
            since = now - now % WINDOW
            if since != self._since:
                self._since, self._shares = since, {}
            share = self._shares.get(key_id)
            if share is None or share.limit != limit:
                share = self._shares[key_id] = _Share(limit, limit)
            while not share.left and share.rest > 0:
                portions = self._store.portions
                wanted = max(1, min(share.got, share.rest // portions)) if portions else 1
                # Other requests of this worker continue meanwhile
                self._turn.release()
                try:
                    before = self._ask(key_id, since, wanted)
                finally:
                    self._turn.acquire()
                if before is None:
                    before = limit - share.rest
                granted = max(0, min(wanted, limit - before))
                share.rest = min(share.rest, limit - before - wanted)
                share.left += granted
                share.got += granted
            if not share.left:
                return Allowance(limit, 0, since + WINDOW - now, True)
            share.left -= 1
            # Not `max`: this is the path of each request
            rest = share.rest if share.rest > 0 else 0
            return Allowance(limit, rest + share.left, since + WINDOW - now)

    def _ask(self, key_id: int, since: int, wanted: int) -> int | None:
        """Take a portion; return what all workers had taken before. None: the store is unreachable."""
        if self._clock() < self._away:
            return None
        try:
            before = self._store.take(key_id, since, wanted) - wanted
        except self._store.error as error:
            if not self._away:
                text = "rate limits: the shared counter is unavailable; each worker counts on its own: %s"
                _log.warning(text, reason_of(error))
            self._away = self._clock() + PAUSE
            return None
        if self._away:
            self._away = 0.0
            _log.warning("rate limits: the shared counter is available again")
        return before

    def forget_old_windows(self) -> None:
        """Remove the counters of windows that have ended, if this worker has counted since the last time."""
        if self._since > self._forgotten:
            since = self._since
            # Clocks of hosts differ: a host may still be in the previous window
            self._store.forget(since - WINDOW)
            self._forgotten = since


#: counts the requests of each key
limiter = ProcessValue(Limiter(DatabaseStore()))
