"""Counters of requests and jobs, for Prometheus."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from .process import ProcessValue

if TYPE_CHECKING:
    from prometheus_client import Counter

#: upper bounds of the histogram, in seconds
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
#: other methods are counted as "other", so that clients can't create series
METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
MAX_ROUTE_CHARS = 200


class Metrics:
    """The counters of this process, and the sum of all processes.

    :param folder: files of prometheus-client's multiprocess mode; None: only this process is known
    :param main_process: parent of all processes that count; None: this process
    """

    def __init__(self, folder: Path | None = None, main_process: int | None = None) -> None:
        # Imported here: commands that count nothing don't wait for the library
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, values

        if folder is None:
            # A server passes its folder to the programs that it starts, in a variable that the library reads
            values.ValueClass = values.MutexValue
        self._folder = folder
        self.main_process = main_process or os.getpid()
        #: method, route, status → the functions that count a request, its time, its time in the database
        self._series: dict[tuple[str, str, int], tuple[Callable[..., None], ...]] = {}
        self._registry = CollectorRegistry()
        counter = partial(Counter, registry=self._registry)
        gauge = partial(Gauge, registry=self._registry, multiprocess_mode="livesum")
        histogram = partial(Histogram, registry=self._registry, buckets=BUCKETS)
        route = ["method", "route"]
        self._requests = counter("comptoir_http_requests_total", "Requests.", [*route, "status"])
        self._durations = histogram(
            "comptoir_http_request_duration_seconds", "Time until a response is complete.", route
        )
        self._database = counter(
            "comptoir_http_request_database_seconds_total", "Time of requests in the database.", route
        )
        self._job_runs = counter(
            "comptoir_job_runs_total", "Attempts to run background jobs.", ["module", "function", "outcome"]
        )
        self.rejected_writes = counter(
            "comptoir_database_rejected_writes_total", "Writes that the database rejected: disk full, read-only."
        )
        self.ended_threads = counter(
            "comptoir_threads_ended_total", "Threads that ended unexpectedly and were replaced."
        )
        self.workers = gauge("comptoir_workers", "Worker processes.")
        self.threads = gauge("comptoir_threads", "Threads of the workers.")
        self.busy_threads = gauge("comptoir_threads_busy", "Threads that handle a request, updated once a second.")

    def count_request(self, method: str, route: str, status: int, seconds: float, database_seconds: float) -> None:
        """Count a request.

        :param route: path with the names of its parameters; empty if no route matches
        """
        # The functions are looked up once for each series: `labels()` takes longer than counting
        count, observe, add = self._series.get((method, route, status)) or self._bind(method, route, status)
        count()
        observe(seconds)
        if database_seconds:
            add(database_seconds)

    def _bind(self, method: str, route: str, status: int) -> tuple[Callable[..., None], ...]:
        method = method if method in METHODS else "other"
        key = method, route, status
        if key not in self._series:
            labels = method, route[:MAX_ROUTE_CHARS]
            self._series[key] = (
                self._requests.labels(*labels, str(status)).inc,
                self._durations.labels(*labels).observe,
                self._database.labels(*labels).inc,
            )
        return self._series[key]

    def count_improper_request(self, status: int) -> None:
        """Count a request that isn't valid HTTP."""
        self._requests.labels("", "", str(status)).inc()

    def count_job_run(self, module: str, function: str, outcome: str) -> None:
        """Count an attempt to run a job."""
        self._job_runs.labels(module, function, outcome).inc()

    def collect(self) -> Iterable[Any]:
        """Return the metrics of all processes that share the folder."""
        return self._registry.collect() if self._folder is None else self._merged("*.db")

    def total(self, counter: Counter) -> float:
        """Return the value of a counter without labels, of all processes."""
        families = counter.collect() if self._folder is None else self._merged("counter_*.db")
        name = f"{next(iter(counter.describe())).name}_total"
        return float(sum(each.value for family in families for each in family.samples if each.name == name))

    def _merged(self, pattern: str) -> Iterable[Any]:
        from prometheus_client.multiprocess import MultiProcessCollector

        assert self._folder is not None
        merge: Callable[[list[str]], Iterable[Any]] = MultiProcessCollector.merge
        return merge([str(file) for file in self._folder.glob(pattern)])


_counting: ProcessValue[Metrics | None] = ProcessValue(None)
_turn = Lock()


def metrics() -> Metrics:
    """Return the counters of this process."""
    if (counters := _counting.value) is None:
        with _turn:
            counters = _counting.value = _counting.value or Metrics()
    return counters


def use_metrics(counters: Metrics) -> None:
    """Let this process, and those that it forks, count with other counters."""
    _counting.value = counters
