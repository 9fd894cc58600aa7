"""Counters of requests and jobs, for Prometheus.

prometheus-client's multiprocess mode keeps them in memory-mapped files, one of each type for each number of a process.
A process has its number until it ends; the next one that takes the number goes on counting in its files.
`PROMETHEUS_MULTIPROC_DIR` is their folder; without it, each process counts separately.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import struct
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, partial
from itertools import count
from operator import getitem
from pathlib import Path
from typing import Any

#: environment variable with the folder of the multiprocess mode
FOLDER = "PROMETHEUS_MULTIPROC_DIR"
#: upper bounds of the histogram, in seconds
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
#: other methods are counted as "other", so that clients can't create series
METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
MAX_ROUTE_CHARS = 200

#: size of a process's file at first; prometheus-client doubles it
_FILE_BYTES = 1 << 16
#: bytes of a value in a file, without its labels
_VALUE_BYTES = 400
#: types of metrics, as prometheus-client names their files
_SUMS = ("counter", "histogram")
_TYPES = (*_SUMS, "gauge_livesum")

_log = logging.getLogger("comptoir.metrics")


def _ignore(*_: float) -> None:
    """Count nothing."""


class Metrics:
    """The counters of this process, and the sum of all processes."""

    def __init__(self) -> None:
        # Imported here: commands that count nothing don't wait for the library
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, values

        #: parent of all processes that count
        self.main_process = os.getpid()
        self._folder = Path(os.environ[FOLDER]) if os.environ.get(FOLDER) else None
        #: the number of this process
        self._number = [0]
        if self._folder is not None:
            self._take_number(self._folder)
            identify: Any = partial(getitem, self._number, 0)
            values.ValueClass = values.MultiProcessValue(identify)  # type: ignore[no-untyped-call]
        self._lock = threading.Lock()
        self._counts = True
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
        self._rejected = counter(
            "comptoir_database_rejected_writes_total", "Writes that the database rejected: disk full, read-only."
        )
        self._ended = counter("comptoir_threads_ended_total", "Threads that ended unexpectedly and were replaced.")
        self._job_runs = counter(
            "comptoir_job_runs_total", "Attempts to run background jobs.", ["module", "function", "outcome"]
        )
        self._workers = gauge("comptoir_workers", "Worker processes.")
        self._threads = gauge("comptoir_threads", "Threads of the workers.")
        self._busy = gauge("comptoir_threads_busy", "Threads that handle a request, updated once a second.")

    def start_process(self) -> None:
        """Count in this process, which was just forked."""
        self._series = {}
        self._lock = threading.Lock()
        if self._folder is None:
            return
        try:
            self._take_number(self._folder)
            self._counts = True
        except OSError as error:
            self._counts = False
            _log.error("/metrics doesn't include process %d: %s", os.getpid(), error)

    def _take_number(self, folder: Path) -> None:
        """Take the lowest number that no process has.

        :raises OSError: there is no room for its files
        """
        from prometheus_client.multiprocess import mark_process_dead

        for number in count():
            allocate_files(folder, number, _SUMS)
            # Locked until this process ends
            self._lock_file = _file_of(folder, "counter", number).open("rb")
            with suppress(BlockingIOError):
                fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._number[0] = number
                mark_process_dead(number, str(folder))  # type: ignore[no-untyped-call]
                allocate_files(folder, number)
                return

    # Counting

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
            try:
                self._series[key] = (
                    self._child(self._requests, *labels, str(status)).inc,
                    self._child(self._durations, *labels).observe,
                    self._child(self._database, *labels).inc,
                )
            except OSError as error:
                _log.log(logging.ERROR if self._counts else logging.DEBUG, "/metrics lacks %s %s: %s", *labels, error)
                self._series[key] = _ignore, _ignore, _ignore
        return self._series[key]

    def count_improper_request(self, status: int) -> None:
        """Count a request that isn't valid HTTP."""
        with suppress(OSError):
            self._child(self._requests, "", "", str(status)).inc()

    def count_job_run(self, module: str, function: str, outcome: str) -> None:
        """Count an attempt to run a job."""
        with suppress(OSError):
            self._child(self._job_runs, module, function, outcome).inc()

    def count_rejected_write(self) -> None:
        """Count a write that the database rejected because its disk is full or it is read-only."""
        if self._counts:
            self._rejected.inc()

    def count_ended_thread(self) -> None:
        """Count a thread of requests or jobs that has ended unexpectedly."""
        if self._counts:
            self._ended.inc()

    def count_worker(self, threads: int) -> None:
        """Count this process as a worker."""
        if self._counts:
            self._workers.set(1)
            self._threads.set(threads)

    def set_busy_threads(self, number: int) -> None:
        """Note how many threads of this process handle a request."""
        if self._counts:
            self._busy.set(number)

    def _child(self, metric: Any, *labels: str) -> Any:
        """Return a metric with labels.

        :raises OSError: this process doesn't count, or its files can't grow
        """
        if not self._counts:
            raise OSError("no room in the folder of the metrics")
        with self._lock:
            if self._folder is not None:
                length = (len(BUCKETS) + 2) * (_VALUE_BYTES + len(json.dumps(labels)))
                for kind in _SUMS:
                    _make_room(_file_of(self._folder, kind, self._number[0]), length)
            return metric.labels(*labels)

    # All processes

    def collect(self) -> Iterable[Any]:
        """Return the metrics of all processes; without the multiprocess mode, of this one."""
        return self._registry.collect() if self._folder is None else self._merged("*.db")

    def rejected_writes(self) -> float:
        """Return how many writes the database has rejected."""
        return self._sum(self._rejected)

    def ended_threads(self) -> float:
        """Return how many threads have ended unexpectedly."""
        return self._sum(self._ended)

    def _sum(self, counter: Any) -> float:
        families = counter.collect() if self._folder is None else self._merged("counter_*.db")
        name = f"{counter.describe()[0].name}_total"
        return float(sum(each.value for family in families for each in family.samples if each.name == name))

    def _merged(self, pattern: str) -> Iterable[Any]:
        from prometheus_client.multiprocess import MultiProcessCollector

        assert self._folder is not None
        merge: Callable[[list[str]], Iterable[Any]] = MultiProcessCollector.merge
        return merge([str(file) for file in self._folder.glob(pattern)])

    def remove_ended_processes(self) -> None:
        """Remove the gauges of processes that have ended; their counters stay."""
        from prometheus_client.multiprocess import mark_process_dead

        for file in self._folder.glob("counter_*.db") if self._folder is not None else ():
            with suppress(OSError), file.open("rb") as opened:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                mark_process_dead(file.stem.removeprefix("counter_"), str(self._folder))  # type: ignore[no-untyped-call]


@cache
def metrics() -> Metrics:
    """Return the counters of this process."""
    return Metrics()


# Files. prometheus-client creates and extends them without allocating the bytes. On a full disk, the first access to
# such bytes would end the process with SIGBUS.


def _file_of(folder: Path, kind: str, number: int) -> Path:
    return folder / f"{kind}_{number}.db"


def allocate_files(folder: Path, number: int = 0, kinds: Iterable[str] = _TYPES) -> None:
    """Create the files of a process before prometheus-client does.

    :raises OSError: there is no room
    """
    for kind in kinds:
        _allocate(_file_of(folder, kind, number))


def _allocate(file: Path) -> None:
    if file.exists():
        return
    part = file.with_suffix(f".{os.getpid()}")
    try:
        with part.open("wb") as opened:
            os.posix_fallocate(opened.fileno(), 0, _FILE_BYTES)
        # A reader must not find an empty file, and no process another file in place of its own
        with suppress(FileExistsError):
            os.link(part, file)
    finally:
        part.unlink(missing_ok=True)


def _make_room(file: Path, length: int) -> None:
    """Let a file have room for further bytes.

    :raises OSError: the file can't grow
    """
    with file.open("r+b") as opened:
        size, needed = file.stat().st_size, struct.unpack("i", opened.read(4))[0] + length
        if needed > size:
            # Twice the size is prometheus-client's own next step, which then finds the bytes allocated
            os.posix_fallocate(opened.fileno(), 0, max(2 * size, needed))
