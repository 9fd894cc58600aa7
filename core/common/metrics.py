"""Counters of requests and jobs, for Prometheus.

prometheus-client's multiprocess mode keeps them in memory-mapped files, for each process one of each type.
`PROMETHEUS_MULTIPROC_DIR` is their folder; without it, each process counts separately.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import struct
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
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
        # The library reads the variable while it is imported; commands that count nothing don't wait for the import
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        #: parent of all processes that count
        self.main_process = os.getpid()
        self._folder = Path(os.environ[FOLDER]) if os.environ.get(FOLDER) else None
        if self._folder is not None:
            allocate_files(self._folder)
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
            allocate_files(self._folder)
            self._counts = True
        except OSError as error:
            self._counts = False
            _log.error("/metrics doesn't include process %d: %s", os.getpid(), error)

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
                    _make_room(_file_of(self._folder, kind, os.getpid()), length)
            return metric.labels(*labels)

    # All processes

    def collect(self) -> Iterable[Any]:
        """Return the metrics of all processes; without the multiprocess mode, of this one."""
        return self._registry.collect() if self._folder is None else self._merged("*.db")

    def rejected_writes(self) -> float:
        """Return how many writes the database has rejected."""
        families = self._rejected.collect() if self._folder is None else self._merged("counter_*.db")
        name = "comptoir_database_rejected_writes_total"
        return sum(sample.value for family in families for sample in family.samples if sample.name == name)

    def _merged(self, pattern: str) -> Iterable[Any]:
        from prometheus_client.multiprocess import MultiProcessCollector

        assert self._folder is not None
        merge: Callable[[list[str]], Iterable[Any]] = MultiProcessCollector.merge
        with _locked(self._folder, fcntl.LOCK_SH):
            return merge([str(file) for file in self._folder.glob(pattern)])

    def fold_dead_processes(self) -> None:
        """Add the files of ended processes to one file of each type, so that their number stays small."""
        from prometheus_client.multiprocess import mark_process_dead

        if self._folder is None:
            return
        mark_dead: Callable[[int, str], None] = mark_process_dead
        dead = {number for file in self._folder.glob("*_*.db") if (number := _process_of(file)) and _has_ended(number)}
        for number in dead:
            mark_dead(number, str(self._folder))
        # While another process reads, or without room, the files stay as they are: they count as well
        with suppress(OSError), _locked(self._folder, fcntl.LOCK_EX | fcntl.LOCK_NB):
            for kind in _SUMS:
                for file in [_file_of(self._folder, kind, number) for number in dead]:
                    if file.exists():
                        _fold(file, _file_of(self._folder, kind, "ended"))


def _has_ended(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False


# Files. prometheus-client creates and extends them without allocating the bytes. On a full disk, the first access to
# such bytes would end the process with SIGBUS.


def _file_of(folder: Path, kind: str, process: int | str) -> Path:
    return folder / f"{kind}_{process}.db"


def _process_of(file: Path) -> int:
    number = file.stem.rpartition("_")[2]
    return int(number) if number.isdecimal() else 0


@contextmanager
def _locked(folder: Path, how: int) -> Iterator[None]:
    """Lock a folder, so that nothing reads its files while they are folded.

    :raises BlockingIOError: with LOCK_NB, another process has the lock
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)


def allocate_files(folder: Path) -> None:
    """Create the files of this process before prometheus-client does.

    :raises OSError: there is no room
    """
    for kind in _TYPES:
        _allocate(_file_of(folder, kind, os.getpid()))


def _allocate(file: Path) -> None:
    if file.exists():
        return
    part = file.with_suffix(".part")
    try:
        with part.open("wb") as opened:
            os.posix_fallocate(opened.fileno(), 0, _FILE_BYTES)
        # A reader must not find an empty file
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def _used_bytes(file: Path) -> int:
    with file.open("rb") as opened:
        return int(struct.unpack("i", opened.read(4))[0])


def _make_room(file: Path, length: int) -> None:
    """Let a file have room for further bytes.

    :raises OSError: the file can't grow
    """
    size, needed = file.stat().st_size, _used_bytes(file) + length
    if needed > size:
        with file.open("r+b") as opened:
            # Twice the size is prometheus-client's own next step, which then finds the bytes allocated
            os.posix_fallocate(opened.fileno(), 0, max(2 * size, needed))


def _fold(file: Path, into: Path) -> None:
    """Add the values of a file to another one, and remove it.

    :raises OSError: there is no room
    """
    from prometheus_client.mmap_dict import MmapedDict

    read: Callable[[str], Iterable[tuple[str, float, float, int]]] = MmapedDict.read_all_values_from_file
    _allocate(into)
    _make_room(into, _used_bytes(file))
    totals: Any = MmapedDict(str(into))  # type: ignore[no-untyped-call]
    for key, value, *_ in read(str(file)):
        totals.write_value(key, totals.read_value(key)[0] + value, 0.0)
    totals.close()
    file.unlink()
