"""Two counters that all workers share: the cache version, and the generation of the tables.

A change of constants or extra-field definitions increases the cache version, so that such data can be kept in memory
and is never stale. A change of tables that models must follow increases the generation. Each worker loads modules on
its own, so a request or job may fail because its models are older than the tables: only then the generation is read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import peewee

from ..common.process import ProcessValue
from ..common.request_state import current_state
from ..common.unset import UNSET
from .column import SCALE
from .database import (
    DatabaseUrlError,
    after_commit,
    backend,
    classify_error,
    database,
    ensure_connected,
    query,
    transaction,
)
from .error_kinds import DENIED, MISSING, TablesChanged
from .model import Model, meta_of

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


#: the cache version, for the select list of another statement
CACHE_VERSION = "(SELECT MAX(number) FROM comptoir_generation)"


def bump() -> None:
    """Increase the counter; call it inside the transaction that changes data which is kept in memory."""
    with transaction():
        if not CacheVersion.update(number=CacheVersion.number + 1).execute():
            CacheVersion.create(number=1)
    state = current_state()
    if state is not None:
        state.cache_version = None


def cache_version() -> int:
    """Return the cache version as this request sees it; it is read at most once a request."""
    state = current_state()
    if state is not None and state.cache_version is not None:
        return state.cache_version
    number = int(query(f"SELECT {CACHE_VERSION}")[0][0] or 0)
    if not database.in_transaction():
        # A transaction may have increased it, and may be undone
        use_version(number)
    return number


def use_version(number: int | None) -> None:
    """Use the cache version, just read, for the rest of the request."""
    state = current_state()
    if state is not None:
        state.cache_version = number or 0


#: the generation of the tables that the models were loaded at; -1: it isn't compared
loaded_generation = ProcessValue(-1)
#: how often this process has raised the generation
raised = ProcessValue(0)
#: set when a request or job finds newer tables; the thread that follows the files then loads newer models
has_newer_tables = threading.Event()


def read_generation() -> int:
    """Return the generation of the tables."""
    try:
        return int(query("SELECT MAX(tables) FROM comptoir_generation")[0][0] or 0)
    except Exception as error:
        if classify_error(error) is MISSING:
            return 0
        raise


def raise_generation() -> None:
    """Record that columns have another meaning now, inside the transaction that changes them."""
    with transaction():
        changed = CacheVersion.update(number=CacheVersion.number + 1, tables=CacheVersion.tables + 1)
        if not changed.execute():
            CacheVersion.create(number=1, tables=1)
        after_commit(_note_raised)


def _note_raised() -> None:
    raised.value += 1


def tables_changed(error: BaseException, generation: int) -> TablesChanged | None:
    """Return the error of a request or job that failed because its models are older than the tables; else None.

    Newer models are then loaded in the background, within a second.

    :param error: what it failed with
    :param generation: the generation of the tables that its models were loaded at; -1: any
    """
    if generation < 0 or classify_error(error) not in (None, MISSING, DENIED):
        return None
    try:
        found = read_generation()
    except Exception:  # noqa: BLE001 - then it failed for a reason of its own
        return None
    if found == generation:
        return None
    has_newer_tables.set()
    return TablesChanged(is_written=database.obj.own.irreversible)


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


# Databases that can't be used -----------------------------------------------------------------------------------------


#: the table that exists as long as a copy or a restoration is filling the database
MARK = "comptoir_unfinished_copy"


def ensure_usable_database() -> None:
    """Check that no copy or restoration has left the database incomplete, and that its exact decimals can be read.

    :raises DatabaseUrlError: it is incomplete, or too old
    """
    ensure_connected()
    table = meta_of(CacheVersion).table_name
    if backend().scaled_decimals and {"scale", "rowid"} & {each.name for each in backend().columns(table)} == {"rowid"}:
        raise DatabaseUrlError(
            "the database was made before the first release, which keeps exact decimals in another way; nothing was "
            "changed. Use the version that made it, or set COMPTOIR_DATABASE to a new database"
        )
    if database.table_exists(MARK):
        raise DatabaseUrlError(
            "a copy into this database is running or was interrupted; wait for it to finish, start it again "
            "(comptoir copy --again or comptoir restore --again), or use another database"
        )
