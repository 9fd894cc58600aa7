"""The generation of the tables: raised by the transaction that changes what columns mean, seen by every process.

Each worker follows the disk by itself, so one may still have the models of before when another has changed a table. It
would read and write wrong amounts where SQLite keeps an exact decimal under another scale. So whoever serves knows the
generation that its models were loaded at, and looks whether it still holds: with the statement that finds the key, on
SQLite again behind every BEGIN and before an answer is sent. This reads the cache version, which a change of
tables raises too, and the generation only if the cache version has moved. SQLite first asks `PRAGMA data_version`,
which changes when another connection commits.
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

#: what a caller is told who comes in between
CHANGING = "the tables have just changed and the server is loading the new modules; try again in a second"
#: the same where something has been written
CHANGED_BEHIND = "the change was made, but tables have changed since; read the record again"


class TablesChanged(Unavailable):
    """The models that a request was to be answered with are older than their tables."""

    def __init__(self, message: str = CHANGING) -> None:
        super().__init__(message, headers={"Retry-After": "1"} if message == CHANGING else {})


def active_generation() -> int:
    """The generation of the tables that the active models were loaded at; -1: this process doesn't compare it."""
    return active.runtime.generation[0]


def read_generation() -> int:
    """The generation of the tables."""
    try:
        return int(query("SELECT MAX(tables) FROM comptoir_generation")[0][0] or 0)
    except Exception as error:
        if classify_error(error) is MISSING:
            return 0
        raise


def raise_generation() -> None:
    """Say that columns mean something else than before; inside the transaction that changes them."""
    with transaction():
        raised = CacheVersion.update(number=CacheVersion.number + 1, tables=CacheVersion.tables + 1)
        if not raised.execute():
            CacheVersion.create(number=1, tables=1)
        after_commit(_note_raised)


def _note_raised() -> None:
    active.runtime.raised += 1


def watch(state: RequestState) -> None:
    """Let a request, or a job, be done with the models that are active now, or not at all."""
    state.generation = active.runtime.generation[0]


@contextmanager
def minding_tables() -> Iterator[None]:
    """Something outside of a request, such as a job, is done with the models that are active now, or not at all.

    :raises TablesChanged: tables have been changed since these were loaded; what is newer is loaded behind it
    """
    own = database.obj.own
    own.generation = active_generation()
    try:
        if own.generation >= 0:
            insist(own, int(query(f"SELECT {SUBQUERY}")[0][0] or 0))
        yield
    except TablesChanged:
        own.generation = -1
        catch_up(waits=False)
        raise
    finally:
        own.generation = -1


class Minding(Protocol):
    """A request, or what else is done with the models of one generation; -1: it minds none."""

    generation: int


def insist(state: Minding, version: int) -> None:
    """Go on only if the tables are those that the active models were loaded for.

    :param version: the cache version, just read
    :raises TablesChanged: they have been changed
    """
    generation, seen = active.runtime.generation
    if state.generation < 0 or (state.generation == generation and version == seen):
        return
    if read_generation() != state.generation:
        raise TablesChanged
    if state.generation == generation:
        active.runtime.generation = (generation, version)


def insist_at_first(state: RequestState) -> None:
    """`insist` for a request that has no key, whose look-up would have read the version along."""
    if state.generation >= 0:
        insist(state, cache_version())


def _insist_again(_: Any) -> None:
    """`insist` after a BEGIN of SQLite, when no other connection can write."""
    if backend().scaled_decimals:
        _insist_if_changed(current_state() or database.obj.own)


Backend.when_begun = staticmethod(_insist_again)


def insist_at_last(state: RequestState) -> None:
    """`insist` before an answer is sent: what was read meanwhile was read with the right models.

    Only SQLite keeps decimals whose scale it does not know. On the others whoever reads a column that is gone fails.

    :raises TablesChanged: they have been changed
    """
    if state.generation < 0 or not backend().scaled_decimals or not state.statements:
        return
    try:
        _insist_if_changed(state)
    except TablesChanged:
        if state.writes:
            raise TablesChanged(CHANGED_BEHIND) from None
        raise


def _insist_if_changed(state: Minding) -> None:
    """`insist`, if another connection has committed anything since this one was asked."""
    own, generation = database.obj.own, active.runtime.generation[0]
    if state.generation < 0:
        return
    # Read before the version: a later commit makes it another one
    seen = generation, backend().data_version()
    if state.generation == generation and seen == own.checked_version:
        return
    insist(state, int(backend().read(f"SELECT {SUBQUERY}").fetchone()[0] or 0))
    own.checked_version = seen


def has_moved(state: RequestState) -> bool:
    """Whether a request that failed may have failed because tables were changed under it."""
    try:
        return state.generation >= 0 and read_generation() != state.generation
    except Exception:  # noqa: BLE001 - then it failed for a reason of its own
        return False


def catch_up(*, waits: bool = True) -> bool:
    """Have whatever is newer loaded; answers whether the active models are those of the tables now."""
    active.runtime.catch_up(waits)
    return active_generation() == read_generation()
