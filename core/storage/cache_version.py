"""A counter that all workers share, so that what rarely changes can be kept in memory and is never stale.

Constants and extra-field definitions raise it when they change; the query that names the caller reads it along.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import peewee

from ..common.request_state import current_state
from ..common.unset import UNSET
from .database import database, query, transaction
from .model import Model

T = TypeVar("T")


class CacheVersion(Model):
    """The counter."""

    id = peewee.AutoField(column_name="rowid")
    number = peewee.BigIntegerField(default=0)
    tables = peewee.BigIntegerField(default=0, help_text="the generation of the tables")

    class Meta:
        table_name = "comptoir_generation"
        audited = False


#: the counter as a part of another statement's select list
SUBQUERY = "(SELECT MAX(number) FROM comptoir_generation)"


def bump() -> None:
    """Say that something that is kept in memory has changed; call it inside the transaction that changes it."""
    with transaction():
        if not CacheVersion.update(number=CacheVersion.number + 1).execute():
            CacheVersion.create(number=1)
    state = current_state()
    if state is not None:
        state.cache_version = None


def cache_version() -> int:
    """The counter as this request sees it; read at most once a request."""
    state = current_state()
    if state is None or state.cache_version is None:
        number = query(f"SELECT {SUBQUERY}")[0][0] or 0
        if state is None or database.in_transaction():
            # A transaction may have moved it and still be undone
            return int(number)
        state.cache_version = int(number)
    return state.cache_version


def may_cache() -> bool:
    """Whether what is read now may be kept in memory.

    What a transaction has changed and not yet committed must not be seen by others: inside one, only a request that
    has seen the counter and has not moved it may keep what it reads.
    """
    if not database.in_transaction():
        return True
    state = current_state()
    return state is not None and state.cache_version is not None


def remember(memory: dict[Any, T], key: Any, make: Callable[[], T]) -> T:
    """What is kept under a key, made when there is nothing; what was kept under another one is forgotten.

    What may not be kept beyond a transaction is kept as long as the request lasts.

    :param key: holds the counter
    """
    known = memory.get(key, UNSET)
    if known is not UNSET:
        return known  # type: ignore[no-any-return]
    state = current_state()
    own: dict[Any, Any] = state.cache.setdefault(id(memory), {}) if state is not None else {}
    if key in own:
        return own[key]  # type: ignore[no-any-return]
    value = make()
    place = memory if may_cache() else own
    place.clear()
    place[key] = value
    return value


def cached(make: Callable[[], T]) -> Callable[[], T]:
    """Keep what a function answers until the counter has moved (or another database is active)."""
    memory: dict[tuple[int, int], T] = {}

    def read() -> T:
        return remember(memory, (id(database.obj), cache_version()), make)

    return read
