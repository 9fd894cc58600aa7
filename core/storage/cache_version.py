"""Two counters that all workers share: the cache version, and the generation of the tables.

A change of constants or extra-field definitions increases the cache version, so that such data can be kept in memory
and is never stale. A migration increases the generation in its transaction. Each worker loads modules on its own, so it
may still have the old models then. If values have another meaning now, such as another unit, it would misread them and
write wrong ones. So each process knows the generation that its models were loaded at. A request or job compares it:

- with the statement that finds the key, and without a key at the start
- on SQLite with each snapshot (`Sqlite._take_snapshot`) and after each BEGIN
- elsewhere before a BEGIN, if the last comparison is older than `RECHECK_SECONDS`
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import peewee

from ..common.request_state import RequestState, current_state
from ..common.runtime import active
from ..common.unset import UNSET
from .column import SCALE
from .database import after_commit, backend, database, query, transaction
from .database_errors import classify_error
from .error_kinds import MISSING
from .model import Model
from .retrying_database import GENERATION

T = TypeVar("T")


class CacheVersion(Model):
    """The counters."""

    id = peewee.AutoField(column_name="rowid")
    number = peewee.BigIntegerField(default=0)
    tables = peewee.BigIntegerField(default=0, help_text="the generation of the tables")
    scale = peewee.SmallIntegerField(default=SCALE, help_text="decimal places of whole numbers that are exact decimals")

    class Meta:
        table_name = "comptoir_generation"
        audited = False


#: both counters, for the select list of another statement
COUNTERS = "(SELECT MAX(number) FROM comptoir_generation), (SELECT MAX(tables) FROM comptoir_generation)"


def bump() -> None:
    """Increase the counter; call it inside the transaction that changes data which is kept in memory."""
    with transaction():
        if not CacheVersion.update(number=CacheVersion.number + 1).execute():
            CacheVersion.create(number=1)
    state = current_state()
    if state is not None:
        state.cache_version = None


def cache_version() -> int:
    """Return the cache version as this request sees it; it is read at most once a request.

    :raises TablesChanged: tables have changed since the models of the request or job were loaded
    """
    state = current_state()
    if state is not None and state.cache_version is not None:
        return state.cache_version
    number, generation = query(f"SELECT {COUNTERS}")[0]
    if not database.in_transaction():
        # A transaction may have increased it, and may be undone
        use_counters(number, generation)
    return int(number or 0)


def use_counters(number: int | None, generation: int | None) -> None:
    """Use the cache version, just read, for the rest of the request.

    :raises TablesChanged: the generation of the tables, just read, isn't that of the models in use
    """
    state = current_state()
    if state is not None:
        state.cache_version = number or 0
    backend().ensure_generation(generation)


def ensure_tables_unchanged() -> None:
    """Check the tables for a request without a key, if it uses them; the statement that finds a key does it too.

    :raises TablesChanged: they have changed since the models were loaded
    """
    if database.obj is not None and backend().own.generation >= 0:
        cache_version()


def read_generation() -> int:
    """Return the generation of the tables."""
    try:
        return int(query(GENERATION)[0][0] or 0)
    except Exception as error:
        if classify_error(error) is MISSING:
            return 0
        raise


def raise_generation() -> None:
    """Record that columns have another meaning now, inside the transaction that changes them."""
    with transaction():
        raised = CacheVersion.update(number=CacheVersion.number + 1, tables=CacheVersion.tables + 1)
        if not raised.execute():
            CacheVersion.create(number=1, tables=1)
        after_commit(_note_raised)


def _note_raised() -> None:
    active.runtime.raised += 1


def have_tables_changed(state: RequestState) -> bool:
    """Return whether a request may have failed because tables have changed."""
    try:
        return state.generation >= 0 and read_generation() != state.generation
    except Exception:  # noqa: BLE001 - then it failed for a reason of its own
        return False


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
    # Others must not see uncommitted changes: a transaction must have read the counter, and not increased it
    is_committed = not database.in_transaction() or (state is not None and state.cache_version is not None)
    place = memory if is_committed else own
    place.clear()
    place[key] = value
    return value


def cached(make: Callable[[], T]) -> Callable[[], T]:
    """Return a function that keeps the result of another one until the counter, or the database, is another one."""
    memory: dict[tuple[int, int], T] = {}

    def read() -> T:
        return remember(memory, (id(database.obj), cache_version()), make)

    return read
