"""The generation of the tables: raised by the transaction that changes what columns mean, seen by every process.

Each worker loads modules on its own, so one may still have the old models when another has changed a table. If SQLite
keeps an exact decimal with another scale now, that worker would read and write wrong amounts. So each process knows the
generation that its models were loaded at, and checks it with the statement that finds the key. On SQLite it checks
again after every BEGIN and before a response is sent. The check reads the cache version, which a change of tables also
raises, and reads the generation only if the cache version has changed. SQLite first reads `PRAGMA data_version`, which
changes when another connection commits.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from ..common.errors import Unavailable
from ..common.request_state import RequestState, current_state
from ..common.runtime import active
from .backend import Backend
from .cache_version import SUBQUERY, CacheVersion, cache_version
from .database import after_commit, backend, database, query, transaction
from .database_errors import classify_error
from .error_kinds import MISSING

#: the message of a request that comes between a change of tables and the load of the new models
CHANGING = "the tables have just changed and the server is loading the new modules; try again in a second"
#: the same for a request that has written something
CHANGED_SINCE = "the change was made, but tables have changed since; read the record again"


class TablesChanged(Unavailable):
    """The models that a request uses are older than their tables."""

    def __init__(self, message: str = CHANGING) -> None:
        super().__init__(message, headers={"Retry-After": "1"} if message == CHANGING else {})


def active_generation() -> int:
    """Return the generation that the active models were loaded at; -1: this process doesn't compare it."""
    return active.runtime.generation[0]


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
        raised = CacheVersion.update(number=CacheVersion.number + 1, tables=CacheVersion.tables + 1)
        if not raised.execute():
            CacheVersion.create(number=1, tables=1)
        after_commit(_note_raised)


def _note_raised() -> None:
    active.runtime.raised += 1


def watch(state: RequestState) -> None:
    """Let a request use the models that are active now; if tables change, it fails."""
    state.generation = active.runtime.generation[0]


@contextmanager
def unchanged_tables() -> Iterator[None]:
    """Let work outside a request, such as a job, use the models that are active now; if tables change, it fails.

    :raises TablesChanged: tables have changed since the models were loaded; the newer ones are then loaded
    """
    own = database.obj.own
    own.generation = active_generation()
    try:
        if own.generation >= 0:
            ensure_unchanged(own, int(query(f"SELECT {SUBQUERY}")[0][0] or 0))
        yield
    except TablesChanged:
        own.generation = -1
        catch_up(waits=False)
        raise
    finally:
        own.generation = -1


class ModelUser(Protocol):
    """A request, or other work that uses the models of one generation; -1: any generation."""

    generation: int


def ensure_unchanged(state: ModelUser, version: int) -> None:
    """Check that the tables are those that the active models were loaded for.

    :param version: the cache version, just read
    :raises TablesChanged: they have changed
    """
    generation, seen = active.runtime.generation
    if state.generation < 0 or (state.generation == generation and version == seen):
        return
    if read_generation() != state.generation:
        raise TablesChanged
    if state.generation == generation:
        active.runtime.generation = (generation, version)


def ensure_unchanged_at_start(state: RequestState) -> None:
    """Do `ensure_unchanged` for a request without a key; the look-up of a key also reads the version."""
    if state.generation >= 0:
        ensure_unchanged(state, cache_version())


def _ensure_unchanged_again(_: Any) -> None:
    """Do `ensure_unchanged` after a BEGIN of SQLite, when no other connection can write."""
    if backend().scaled_decimals:
        _ensure_if_committed(current_state() or database.obj.own)


Backend.when_begun = staticmethod(_ensure_unchanged_again)


def ensure_unchanged_at_end(state: RequestState) -> None:
    """Do `ensure_unchanged` before a response is sent: all of it was read with the right models.

    Only SQLite needs it: it keeps decimals without their scale. Elsewhere a statement with a dropped column fails.

    :raises TablesChanged: they have changed
    """
    if state.generation < 0 or not backend().scaled_decimals or not state.statements:
        return
    try:
        _ensure_if_committed(state)
    except TablesChanged:
        if state.writes:
            raise TablesChanged(CHANGED_SINCE) from None
        raise


def _ensure_if_committed(state: ModelUser) -> None:
    """Do `ensure_unchanged` if another connection has committed something since the last check."""
    own, generation = database.obj.own, active.runtime.generation[0]
    if state.generation < 0:
        return
    # Read before the version: a later commit changes it
    seen = generation, backend().data_version()
    if state.generation == generation and seen == own.checked_version:
        return
    ensure_unchanged(state, int(backend().read(f"SELECT {SUBQUERY}").fetchone()[0] or 0))
    own.checked_version = seen


def has_moved(state: RequestState) -> bool:
    """Return whether a request may have failed because tables have changed."""
    try:
        return state.generation >= 0 and read_generation() != state.generation
    except Exception:  # noqa: BLE001 - then it failed for a reason of its own
        return False


def catch_up(*, waits: bool = True) -> bool:
    """Have newer models loaded; return whether the active ones are now those of the tables."""
    active.runtime.catch_up(waits)
    return active_generation() == read_generation()
