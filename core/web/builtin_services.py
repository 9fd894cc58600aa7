"""The services of the server itself: its health, and its metrics for Prometheus.

They are API classes like those of a module, so the explorer and the documents include them.
"""

from __future__ import annotations

import logging
import os
import platform
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

import peewee

from ..common.errors import Unavailable
from ..common.metrics import metrics
from ..common.process import ProcessValue
from ..common.repeated_failures import is_news
from ..common.settings import is_native
from ..contract.api import File
from ..contract.catalogue import Catalogue, cached_per_catalogue, catalogue
from ..jobs.queue import count_jobs
from ..records.events import Event, emit
from ..storage.cache_version import CACHE_VERSION, bump
from ..storage.database import end_of_request, ensure_connected, query
from ..storage.error_kinds import reason_of
from ..version import VERSION

#: the name of their module
OWN = "core"

# Health --------------------------------------------------------------------------------------------------------------

#: seconds for which the result of a check is returned, because it requires no key
KEPT = 1.0
#: seconds after which a database that rejects writes is tried again
RETRY_SECONDS = 3.0
#: the events that the services of the server send
SENT_BY_SERVER = {
    "health": {
        "store": Event("nothing", ("before",)),
        "degraded": Event(
            "`parts`, to which a handler adds a name and why this part is degraded; everybody can read it", ("before",)
        ),
    }
}

State = Literal["ok", "degraded", "failed"]

_log = logging.getLogger("comptoir.health")


def _check_database() -> None:
    """Read a row: an open connection doesn't prove that the file and the tables exist."""
    try:
        ensure_connected()
        query(f"SELECT {CACHE_VERSION}")
        readiness.value.check_writes()
    finally:
        end_of_request()


def _check_modules() -> None:
    broken = [each.file for each in catalogue().failures if is_native(each.file) and not each.stays]
    if broken:
        raise RuntimeError(f"{broken[0]} can't be loaded; run `comptoir check` for the reason")


#: part → its check, which raises if the part can't work
PARTS: dict[str, Callable[[], None]] = {
    "database": _check_database,
    # The module that stores files handles this event
    "store": lambda: emit("health", "store", {}),
    "modules": _check_modules,
}


class Readiness:
    """The state of each part of the server; the reason of a failure is only in the log."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._checked: tuple[float, dict[str, State]] | None = None
        #: part of a module → why it is degraded
        self.degraded: dict[str, str] = {}
        #: the rejected writes of all workers at the last trial, its time, and why it failed
        self._rejected = self._tried = 0.0
        self._reason = ""
        #: how many threads of all processes have ended unexpectedly
        self.ended_threads = 0

    def parts(self) -> dict[str, State]:
        """Return the state of each part. While one request checks, which may take long, others get the last result."""
        last = self._checked
        if last is not None and (time.monotonic() - last[0] < KEPT or self._lock.locked()):
            return last[1]
        with self._lock:
            if self._checked is last:
                known = last[1] if last is not None else {}
                states = {name: self._state(name, check, known.get(name)) for name, check in PARTS.items()}
                self.degraded = self._degraded() if states["database"] == "ok" else {}
                self._checked = time.monotonic(), states
                counters = metrics()
                self.ended_threads = int(counters.total(counters.ended_threads))
        return self._checked[1] if self._checked is not None else {}

    def _state(self, name: str, check: Callable[[], None], before: State | None) -> State:
        try:
            check()
        except Exception as error:  # noqa: BLE001 - a part may fail in any way
            if before != "failed":
                _log.error("not ready: %s: %s", name, error)
            return "failed"
        if before == "failed":
            _log.warning("ready again: %s", name)
        return "ok"

    def _degraded(self) -> dict[str, str]:
        """Return the parts of modules that are degraded, each with the reason."""
        parts: dict[str, str] = {}
        try:
            ensure_connected()
            emit("health", "degraded", {"parts": parts})
        except Exception as error:  # noqa: BLE001 - a handler may fail in any way
            if is_news(str(error)):
                _log.exception("a handler of health.degraded failed")
        finally:
            end_of_request()
        return parts

    def check_writes(self) -> None:
        """Write something if the database has rejected a write of any worker, until a write succeeds.

        :raises Unavailable: writes fail
        """
        counters = metrics()
        rejected = counters.total(counters.rejected_writes)
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


#: whether each part of the server can work
readiness = ProcessValue(Readiness())


@cached_per_catalogue
def _degraded_modules(served: Catalogue) -> list[str]:
    return sorted({each.module for each in served.failures})


class Alive(TypedDict):
    """The server responds."""

    live: Annotated[Literal[True], "always true"]


class Ready(TypedDict):
    """The server is ready."""

    ready: Annotated[Literal[True], "always true"]
    parts: Annotated[dict[str, State], "the state of each part; `degraded` is explained below"]
    degraded: Annotated[list[str], "the modules with a file that can't be loaded, and why other parts are degraded"]


class Health:
    """Liveness and readiness checks for monitoring.

    :access: public
    """

    group = "Administration"

    #: they require no key, and respond while the database doesn't
    needs_database = False

    def live(self) -> Alive:
        """Check that a worker is alive.

        The worker responds immediately, without the database. If it doesn't, restart it.

        :url: GET live
        """
        return {"live": True}

    def ready(self) -> Ready:
        """Check that the server is ready.

        Responds with 200 if all parts work, otherwise with 503 and the failing part. It checks at most once a second.
        If a module's file can't be loaded, `modules` is `degraded`; if a thread has ended, `threads` is; `webhooks` is
        if the server has paused one. The status is still 200.

        :url: GET ready
        :raises Unavailable: a part is unavailable; `parts` lists it
        """
        parts, degraded = readiness.value.parts(), _degraded_modules()
        failed = [name for name, state in parts.items() if state != "ok"]
        if degraded and "modules" not in failed:
            parts = parts | {"modules": "degraded"}
        if ended := readiness.value.ended_threads:
            parts = parts | {"threads": "degraded"}
            degraded = [*degraded, f"threads: {ended} ended unexpectedly and were replaced; see the log"]
        parts = parts | dict.fromkeys(readiness.value.degraded, "degraded")
        degraded = [*degraded, *(f"{name}: {reason}" for name, reason in readiness.value.degraded.items())]
        if failed:
            message = f"not ready: {', '.join(failed)}; see the log for the reason"
            raise Unavailable(message, details={"parts": parts}, headers={"Retry-After": "1"})
        return {"ready": True, "parts": parts, "degraded": degraded}


# Metrics -------------------------------------------------------------------------------------------------------------

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Prometheus metrics."""

    group = "Administration"

    def index(self) -> File:
        """Read the metrics for Prometheus.

        Includes requests by method, route and status, their time and their time in the database.

        :permission: read
        :produces: text/plain
        :raises 304: the metrics match `If-None-Match`
        """
        return File(metrics_text(), "metrics.txt", CONTENT_TYPE)


SERVICES = (Health, Metrics)


def metrics_text() -> bytes:
    """Return the counters of all processes, and the metrics that are collected now."""
    # Imported here: commands that serve nothing don't wait for the library
    from prometheus_client import CollectorRegistry, generate_latest

    registry = CollectorRegistry()
    registry.register(metrics())
    registry.register(_CurrentMetrics())
    return generate_latest(registry)


class _CurrentMetrics:
    """Collector of the build, modules, database, jobs and processes."""

    def collect(self) -> Iterator[Any]:
        """Yield each metric."""
        from prometheus_client.core import GaugeMetricFamily

        build = GaugeMetricFamily("comptoir_build_info", "The running version.", labels=["version", "python_version"])
        build.add_metric([VERSION, platform.python_version()], 1)
        yield build
        failed = set(_degraded_modules())
        loaded = {each.module for each in catalogue().services.values()} - failed - {OWN}
        modules = GaugeMetricFamily("comptoir_modules", "Modules; failed: a file can't be loaded.", labels=["state"])
        modules.add_metric(["loaded"], len(loaded))
        modules.add_metric(["failed"], len(failed))
        yield modules
        jobs = GaugeMetricFamily("comptoir_jobs", "Background jobs that are not done.", labels=["state"])
        try:
            counts = count_jobs()
        except peewee.PeeweeException:
            counts = {}
        for state, number in counts.items():
            jobs.add_metric([state.replace(" ", "_")], number)
        yield GaugeMetricFamily("comptoir_database_up", "1: the database responds.", value=bool(counts))
        yield jobs
        yield from _process_metrics(metrics().main_process)


#: how the values of several processes are combined; others are added
_COMBINED: dict[str, Callable[[list[float]], float]] = {
    "process_start_time_seconds": min,
    "process_open_fds": max,
    "process_max_fds": min,
}


def _process_metrics(main: int) -> Iterator[Any]:
    """Yield the standard metrics of a process, for the main process together with those that it has started."""
    from prometheus_client import ProcessCollector

    families: dict[str, Any] = {}
    values: dict[str, list[float]] = defaultdict(list)
    for process in [main, *_children(main)]:
        for family in ProcessCollector(pid=partial(int, process), registry=None).collect():
            families.setdefault(family.name, family)
            values[family.name].append(family.samples[0].value)
        values["process_cpu_seconds"].append(_cpu_seconds_of_children(process))
    for name, family in families.items():
        combine = _COMBINED.get(name, sum)
        family.samples = [family.samples[0]._replace(value=combine(values[name]))]
        yield family


def _children(process: int) -> list[int]:
    with suppress(OSError):
        return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    return []


def _cpu_seconds_of_children(process: int) -> float:
    """Return the CPU time of the ended children, so that the sum doesn't fall when a worker ends."""
    with suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
    return 0.0
