"""Shared counters of the requests of keys, for all workers: in the database, or in the configured Redis."""

from __future__ import annotations

import threading
from typing import Any
from urllib.parse import urlsplit

import peewee

from ..storage.bookkeeping import uncounted
from ..storage.database import database, dialect_name, ensure_connected, hurried, query, transaction
from ..storage.model import Model
from ..storage.troubles import may_pass, reason_of
from .limits import WINDOW, Store, Unshared

#: seconds for which a request waits for SQLite's lock: one commit on a busy disk takes longer than a tenth of a second
LOCK_WAIT_SECONDS = 1.0
#: seconds for which a request waits for a Redis
REDIS_WAIT_SECONDS = 0.1


class TakenRequests(Model):
    """The used allowance of a key: one row per key, for its last window."""

    key = peewee.IntegerField(column_name="fk_key", primary_key=True)
    since = peewee.BigIntegerField(help_text="when the window began, in Unix seconds")
    taken = peewee.BigIntegerField(help_text="requests that workers have reserved in the window, used or not")

    class Meta:
        table_name = "comptoir_key_rate"
        audited = False


#: A window ahead of this one comes from a host whose clock is ahead, and is used; a window far ahead is replaced
_IS_OVER = f"({{old}}.since < {{new}} OR {{old}}.since > {{new}} + {WINDOW})"
_INSERT = "INSERT INTO comptoir_key_rate (fk_key, since, taken) VALUES (?, ?, ?) "
_OVER = _IS_OVER.format(old="comptoir_key_rate", new="excluded.since")
_TAKE = (
    f"{_INSERT}ON CONFLICT (fk_key) DO UPDATE SET "
    f"taken = excluded.taken + CASE WHEN {_OVER} THEN 0 ELSE comptoir_key_rate.taken END, "
    f"since = CASE WHEN {_OVER} THEN excluded.since ELSE comptoir_key_rate.since END RETURNING taken"
)
# MySQL sees earlier assignments in later ones. The server returns the argument of LAST_INSERT_ID, and 0 if it inserted
# a row
_OVER = _IS_OVER.format(old="comptoir_key_rate", new="VALUES(since)")
_TAKE_MYSQL = (
    f"{_INSERT}ON DUPLICATE KEY UPDATE "
    f"taken = LAST_INSERT_ID(VALUES(taken) + IF({_OVER}, 0, comptoir_key_rate.taken)), "
    f"since = IF({_OVER}, VALUES(since), comptoir_key_rate.since)"
).replace("?", "%s")


class DatabaseStore:
    """Counters in the database: one statement, in its own transaction."""

    def take(self, key_id: int, since: int, amount: int) -> int:
        """See `Store.take`; waits at most `LOCK_WAIT_SECONDS` for SQLite's lock."""
        try:
            return self._take(key_id, since, amount)
        except peewee.PeeweeException as error:
            # Two inserts at the same time can end in a deadlock
            if dialect_name() == "sqlite" or not may_pass(error):
                raise Unshared(reason_of(error)) from error
        try:
            return self._take(key_id, since, amount)
        except peewee.PeeweeException as error:
            raise Unshared(reason_of(error)) from error

    def _take(self, key_id: int, since: int, amount: int) -> int:
        with hurried(LOCK_WAIT_SECONDS), uncounted():
            if dialect_name() == "mysql":
                ensure_connected()
                return int(database.execute_sql(_TAKE_MYSQL, (key_id, since, amount)).lastrowid) or amount
            return int(query(_TAKE, (key_id, since, amount))[0][0])

    def forget(self, since: int) -> None:
        """See `Store.forget`; writes only if there is a row to remove."""
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
        """See `Store.take`; waits at most `REDIS_WAIT_SECONDS` for a connection and for a response."""
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


def store_of(cache: str) -> Store:
    """Return the store for a setting.

    :param cache: the URL of a Redis; empty: the database
    """
    return RedisStore(cache) if cache else DatabaseStore()
