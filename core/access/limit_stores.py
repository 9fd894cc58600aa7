"""Where the allowances of keys are counted for all workers: the database, or the Redis that a setting names."""

from __future__ import annotations

import threading
from typing import Any
from urllib.parse import urlsplit

import peewee

from ..storage.database import database, dialect_name, ensure_connected, hurried, query, transaction
from ..storage.model import Model
from ..storage.troubles import may_pass, reason_of
from .limits import WINDOW, Store, Unshared

#: seconds for which a request waits for SQLite's lock: one commit on a busy disk takes longer than a tenth of a second
LOCK_WAIT_SECONDS = 1.0
#: seconds for which a request waits for a Redis
REDIS_WAIT_SECONDS = 0.1


class TakenRequests(Model):
    """How much of its allowance a key has taken: one row for each key, that of its last window."""

    key = peewee.IntegerField(column_name="fk_key", primary_key=True)
    since = peewee.BigIntegerField(help_text="Unix seconds at which the window began")
    taken = peewee.BigIntegerField(help_text="what workers have taken of it, used or not")

    class Meta:
        table_name = "comptoir_key_rate"
        audited = False


#: A window that is ahead of ours is that of a host whose clock is, and the one that counts; unless it is far ahead
_IS_OVER = f"({{old}}.since < {{new}} OR {{old}}.since > {{new}} + {WINDOW})"
_INSERT = "INSERT INTO comptoir_key_rate (fk_key, since, taken) VALUES (?, ?, ?) "
_OVER = _IS_OVER.format(old="comptoir_key_rate", new="excluded.since")
_TAKE = (
    f"{_INSERT}ON CONFLICT (fk_key) DO UPDATE SET "
    f"taken = excluded.taken + CASE WHEN {_OVER} THEN 0 ELSE comptoir_key_rate.taken END, "
    f"since = CASE WHEN {_OVER} THEN excluded.since ELSE comptoir_key_rate.since END RETURNING taken"
)
# What is assigned first is seen by what is assigned next; the server tells what LAST_INSERT_ID was handed, and 0 where
# a row was inserted
_OVER = _IS_OVER.format(old="comptoir_key_rate", new="VALUES(since)")
_TAKE_MYSQL = (
    f"{_INSERT}ON DUPLICATE KEY UPDATE "
    f"taken = LAST_INSERT_ID(VALUES(taken) + IF({_OVER}, 0, comptoir_key_rate.taken)), "
    f"since = IF({_OVER}, VALUES(since), comptoir_key_rate.since)"
).replace("?", "%s")


class DatabaseStore:
    """Counts in the database: one statement, which is a transaction of its own."""

    def take(self, key_id: int, since: int, amount: int) -> int:
        """As `Store.take`; waits no longer for SQLite's lock than `LOCK_WAIT_SECONDS`."""
        try:
            return self._take(key_id, since, amount)
        except peewee.PeeweeException as error:
            # Two that insert at once may have waited for each other
            if dialect_name() == "sqlite" or not may_pass(error):
                raise Unshared(reason_of(error)) from error
        try:
            return self._take(key_id, since, amount)
        except peewee.PeeweeException as error:
            raise Unshared(reason_of(error)) from error

    def _take(self, key_id: int, since: int, amount: int) -> int:
        with hurried(LOCK_WAIT_SECONDS):
            if dialect_name() == "mysql":
                ensure_connected()
                return int(database.execute_sql(_TAKE_MYSQL, (key_id, since, amount)).lastrowid) or amount
            return int(query(_TAKE, (key_id, since, amount))[0][0])

    def forget(self, since: int) -> None:
        """As `Store.forget`; writes only where there is something to remove."""
        old = TakenRequests.since < since
        ensure_connected()
        if TakenRequests.select().where(old).exists():
            with transaction():
                TakenRequests.delete().where(old).execute()


class RedisStore:
    """Counts in a Redis, where a window ends by itself.

    :param url: such as ``redis://host:6379/0``
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._turn = threading.Lock()
        self._client: Any = None

    def take(self, key_id: int, since: int, amount: int) -> int:
        """As `Store.take`; waits no longer than `REDIS_WAIT_SECONDS`, for a connection and for a response."""
        name = f"comptoir:rate:{key_id}:{since}"
        try:
            # Both in one message
            steps = self._connected().pipeline(transaction=False)
            taken, _ = steps.incrby(name, amount).expire(name, 2 * WINDOW).execute()
        except Exception as error:
            raise Unshared(f"the Redis at {urlsplit(self._url).hostname}: {error}") from error
        return int(taken)

    def _connected(self) -> Any:
        with self._turn:
            # One for all threads: the library ends the connections of one that is let go of
            if self._client is None:
                # Here, for it is needed only where the setting asks for it
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
        """Nothing: what has been counted goes by itself."""


def store_of(cache: str) -> Store:
    """The store that a setting asks for.

    :param cache: the URL of a Redis; empty: the database
    """
    return RedisStore(cache) if cache else DatabaseStore()
