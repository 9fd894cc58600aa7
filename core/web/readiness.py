"""Whether the server can do its work, part by part; what is wrong in which way stands in the log alone."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Literal

import peewee

from ..common.errors import Unavailable
from ..common.runtime import active
from ..common.settings import NATIVE_MODULES
from ..contract.catalogue import Catalogue, cached_per_catalogue
from ..records.events import emit
from ..storage.cache_version import COUNTERS, bump
from ..storage.database import end_of_request, ensure_connected, query
from ..storage.error_kinds import reason_of

#: seconds for which a look at the parts serves all who ask: nobody needs a key for it
KEPT = 1.0

#: seconds after which a database that rejects writes is tried again
RETRY_SECONDS = 3.0

State = Literal["ok", "degraded", "failed"]

#: the events that the server itself sends, which belong to no record
SENT_BY_SERVER = ("store",)

_log = logging.getLogger("comptoir.health")


class Writes:
    """Whether the database takes writes: tried only once it has rejected one, of any worker, until one succeeds."""

    def __init__(self) -> None:
        self._rejected = self._tried = 0.0
        self._reason = ""

    def look(self) -> None:
        """Go on only if no write has been rejected, or one has succeeded since.

        :raises Unavailable: writes fail
        """
        rejected = active.runtime.metrics.rejected_writes()
        if rejected == self._rejected and not self._reason:
            return
        if not self._reason or time.monotonic() - self._tried >= RETRY_SECONDS:
            self._rejected, self._tried, self._reason = rejected, time.monotonic(), ""
            try:
                bump()
            except peewee.PeeweeException as error:
                self._reason = reason_of(error)
        if self._reason:
            raise Unavailable(f"the database rejects writes: {self._reason}")


def _look_at_database() -> None:
    """Read a row: that a connection is open would not say whether the file or the tables are there."""
    try:
        ensure_connected()
        query(f"SELECT {COUNTERS}")
        active.runtime.readiness.writes.look()
    finally:
        end_of_request()


@cached_per_catalogue
def _broken_files(served: Catalogue) -> list[str]:
    """The server's own files that cannot be loaded. Another's module costs only itself, here too."""
    return [str(each.file) for each in served.failures if each.file.is_relative_to(NATIVE_MODULES)]


@cached_per_catalogue
def degraded_modules(served: Catalogue) -> list[str]:
    """The modules of which a file cannot be loaded."""
    return sorted({each.module for each in served.failures})


def _look_at_modules() -> None:
    broken = _broken_files()
    if broken:
        raise RuntimeError(f"{broken[0]} can't be loaded; run `comptoir check` for the reason")


#: part → what raises when it is not there
PARTS: dict[str, Callable[[], None]] = {
    "database": _look_at_database,
    # The module that keeps files waits for this event
    "store": lambda: emit("health", "store", {}),
    "modules": _look_at_modules,
}


class Readiness:
    """The last look at the parts."""

    def __init__(self) -> None:
        self.writes = Writes()
        self._turn = threading.Lock()
        self._seen: tuple[float, dict[str, State]] | None = None

    def parts(self) -> dict[str, State]:
        """Each part's state. While one request looks, which may take long, others are told what was seen last."""
        seen = self._seen
        if seen is not None and (time.monotonic() - seen[0] < KEPT or self._turn.locked()):
            return seen[1]
        with self._turn:
            if self._seen is seen:
                known = seen[1] if seen is not None else {}
                found = {name: self._state(name, look, known.get(name)) for name, look in PARTS.items()}
                self._seen = seen = time.monotonic(), found
        return self._seen[1] if self._seen is not None else {}

    def _state(self, name: str, look: Callable[[], None], before: State | None) -> State:
        try:
            look()
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it
            # Once, not for each who asks
            if before != "failed":
                _log.error("not ready: %s: %s", name, error)
            return "failed"
        if before == "failed":
            _log.warning("ready again: %s", name)
        return "ok"


def ensure_ready() -> dict[str, State]:
    """Return the state of every part.

    :raises Unavailable: a part is not available
    """
    parts = active.runtime.readiness.parts()
    failed = [name for name, state in parts.items() if state != "ok"]
    if degraded_modules() and "modules" not in failed:
        # The rest of the server works
        parts = parts | {"modules": "degraded"}
    if failed:
        message = f"not ready: {', '.join(failed)}; see the log for the reason"
        raise Unavailable(message, details={"parts": parts}, headers={"Retry-After": "1"})
    return parts
