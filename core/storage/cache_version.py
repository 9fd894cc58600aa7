"""A counter that all workers share, so that rarely changed data can be kept in memory and is never stale.

A change of constants or extra-field definitions increases it. The query that identifies the caller also reads it.
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


#: the counter, for the select list of another statement
SUBQUERY = "(SELECT MAX(number) FROM comptoir_generation)"


def bump() -> None:
    """Increase the counter; call it inside the transaction that changes data which is kept in memory."""
    with transaction():
        if not CacheVersion.update(number=CacheVersion.number + 1).execute():
            CacheVersion.create(number=1)
    state = current_state()
    if state is not None:
        state.cache_version = None


def cache_version() -> int:
    """Return the counter as this request sees it; it is read at most once a request."""
    state = current_state()
    if state is None or state.cache_version is None:
        number = query(f"SELECT {SUBQUERY}")[0][0] or 0
        if state is None or database.in_transaction():
            # The transaction may have increased it, and may be undone
            return int(number)
        state.cache_version = int(number)
    return state.cache_version


def may_cache() -> bool:
    """Return whether data that is read now may be kept in memory.

    Other requests must not see uncommitted changes. Inside a transaction, a request may keep data only if it has read
    the counter and not increased it.
    """
    if not database.in_transaction():
        return True
    state = current_state()
    return state is not None and state.cache_version is not None


def remember(memory: dict[Any, T], key: Any, make: Callable[[], T]) -> T:
    """Return the value of a key, made by a function if it is missing; values of other keys are dropped.

    A value that must not outlive the transaction is kept as long as the request lasts.

    :param key: contains the counter
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
    """Return a function that keeps the result of another one until the counter, or the database, is another one."""
    memory: dict[tuple[int, int], T] = {}

    def read() -> T:
        return remember(memory, (id(database.obj), cache_version()), make)

    return read
