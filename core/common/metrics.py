"""Counters of requests and jobs, for Prometheus.

prometheus-client's multiprocess mode keeps them in memory-mapped files, for each process one of each type.
`PROMETHEUS_MULTIPROC_DIR` is their folder; without it, each process counts separately.
"""

from __future__ import annotations

import fcntl
import json
import logging
import mmap
import os
import struct
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from .in_force import InForce

#: environment variable with the folder of the multiprocess mode
FOLDER = "PROMETHEUS_MULTIPROC_DIR"

#: upper bounds of the histogram, in seconds
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

#: other methods are counted as "other", so that clients can't create series
METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))

MAX_ROUTE_CHARS = 200

#: size of a process's file at first; prometheus-client doubles it
FILE_BYTES = 1 << 16
#: bytes of a value in a file, without its labels
_VALUE_BYTES = 400
#: types of metrics, as prometheus-client names their files
_SUMS = ("counter", "histogram")
_TYPES = (*_SUMS, "gauge_livesum")

_log = logging.getLogger("comptoir.metrics")

#: the functions that count a request: its number, its time, its time in the database
_Series = tuple[Callable[[], object], Callable[[float], object], Callable[[float], object]]


def _ignore(*_: float) -> None:
    """Count nothing."""


_IGNORED: _Series = (_ignore, _ignore, _ignore)


class Metrics:
    """The counters of this process, and the sum of all processes."""

    def __init__(self) -> None:
        # The library reads the variable while it is imported; commands that count nothing don't wait for the import
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics

        disable_created: Callable[[], None] = disable_created_metrics
        disable_created()
        #: parent of all processes that count
        self.main_process = os.getpid()
        self._folder = Path(os.environ[FOLDER]) if os.environ.get(FOLDER) else None
        self._lock = threading.Lock()
        self._registry = known = CollectorRegistry()
        if self._folder is not None:
            allocate_files(self._folder)
        self._requests = Counter(
            "comptoir_http_requests_total", "Requests.", ["method", "route", "status"], registry=known
        )
        self._durations = Histogram(
            "comptoir_http_request_duration_seconds", "Time until a response is complete.", ["method", "route"],
            registry=known, buckets=BUCKETS,
        )  # fmt: skip
        self._database = Counter(
            "comptoir_http_request_database_seconds_total", "Time of requests in the database.", ["method", "route"],
            registry=known,
        )  # fmt: skip
        self._rejected = Counter(
            "comptoir_database_rejected_writes_total", "Writes that the database rejected: disk full, read-only.",
            registry=known,
        )  # fmt: skip
        self._job_runs = Counter(
            "comptoir_job_runs_total", "Attempts to run background jobs.", ["module", "function", "outcome"],
            registry=known,
        )  # fmt: skip
        self._workers, self._threads, self._busy = (
            Gauge(name, text, registry=known, multiprocess_mode="livesum")
            for name, text in (
                ("comptoir_workers", "Worker processes."),
                ("comptoir_threads", "Threads of the workers."),
                ("comptoir_threads_busy", "Threads that handle a request, updated once a second."),
            )
        )
        self._series: dict[tuple[str, str, int], _Series] = {}
        self._counts = True

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
        # The series of a route are looked up once: `labels()` takes longer than the rest
        count, observe, add = self._series.get((method, route, status)) or self._bind(method, route, status)
        count()
        observe(seconds)
        if database_seconds:
            add(database_seconds)

    def count_improper_request(self, status: int) -> None:
        """Count a request that isn't valid HTTP."""
        if self._counts:
            with suppress(OSError):
                self._child(self._requests, "", "", str(status)).inc()

    def count_rejected_write(self) -> None:
        """Count a write that the database rejected because its disk is full or it is read-only."""
        if self._counts:
            self._rejected.inc()

    def count_job_run(self, module: str, function: str, outcome: str) -> None:
        """Count an attempt to run a job."""
        if self._counts:
            with suppress(OSError):
                self._child(self._job_runs, module, function, outcome).inc()

    def count_worker(self, threads: int) -> None:
        """Count this process as a worker."""
        if self._counts:
            self._workers.set(1)
            self._threads.set(threads)

    def set_busy_threads(self, number: int) -> None:
        """Note how many threads of this process handle a request."""
        if self._counts:
            self._busy.set(number)

    def _bind(self, method: str, route: str, status: int) -> _Series:
        known = method if method in METHODS else "other"
        series = self._series.get((known, route, status))
        if series is None:
            series = self._series[known, route, status] = self._series_of(known, route[:MAX_ROUTE_CHARS], str(status))
        return series

    def _series_of(self, method: str, route: str, status: str) -> _Series:
        if not self._counts:
            return _IGNORED
        try:
            return (
                self._child(self._requests, method, route, status).inc,
                self._child(self._durations, method, route).observe,
                self._child(self._database, method, route).inc,
            )
        except OSError as error:
            _log.error("/metrics doesn't include %s %s in process %d: %s", method, route, os.getpid(), error)
            return _IGNORED

    def _child(self, metric: Any, *labels: str) -> Any:
        """Return a labelled metric.

        :raises OSError: its file can't grow
        """
        with self._lock:
            if self._folder is not None:
                length = (len(BUCKETS) + 2) * (_VALUE_BYTES + len(json.dumps(labels)))
                for kind in _SUMS:
                    _make_room(_file_of(self._folder, kind), length)
            return metric.labels(*labels)

    # The sum of all processes

    def collect(self) -> Iterable[Any]:
        """Return the metrics of all processes; without the multiprocess mode, of this one."""
        if self._folder is None:
            return self._registry.collect()
        return self._merged("*.db")

    def rejected_writes(self) -> float:
        """Return how many writes the database has rejected."""
        families = self._rejected.collect() if self._folder is None else self._merged("counter_*.db")
        name = "comptoir_database_rejected_writes_total"
        return sum(sample.value for family in families for sample in family.samples if sample.name == name)

    def _merged(self, pattern: str) -> Iterable[Any]:
        from prometheus_client.multiprocess import MultiProcessCollector

        assert self._folder is not None
        with _locked(self._folder, fcntl.LOCK_SH):
            files = [str(file) for file in self._folder.glob(pattern)]
            merge: Callable[[list[str]], Iterable[Any]] = MultiProcessCollector.merge
            return merge(files)

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
                _fold([file for number in dead if (file := _file_of(self._folder, kind, number)).exists()])


def _file_of(folder: Path, kind: str, process: int | None = None) -> Path:
    return folder / f"{kind}_{process or os.getpid()}.db"


def _process_of(file: Path) -> int:
    number = file.stem.rpartition("_")[2]
    return int(number) if number.isdecimal() else 0


def _has_ended(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False


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


# Files. prometheus-client creates and extends them without allocating the bytes. On a full disk, the first access to
# such bytes would end the process with SIGBUS.


def allocate_files(folder: Path) -> None:
    """Create the files of this process before prometheus-client does.

    :raises OSError: there is no room
    """
    made: list[Path] = []
    try:
        for kind in _TYPES:
            file = _file_of(folder, kind)
            if not file.exists():
                made.append(file)
                _allocate(file, FILE_BYTES)
    except OSError:
        for file in made:
            file.unlink(missing_ok=True)
        raise


def _allocate(file: Path, length: int) -> None:
    part = file.with_suffix(".part")
    try:
        with part.open("wb") as opened:
            os.posix_fallocate(opened.fileno(), 0, length)
        # A reader must not find an empty file
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def _used_bytes(file: Path) -> int:
    with file.open("rb") as opened:
        (used,) = struct.unpack("i", opened.read(4))
    return int(used)


def _make_room(file: Path, length: int) -> None:
    """Let a file have room for further bytes.

    :raises OSError: there is none
    """
    size = file.stat().st_size
    if _used_bytes(file) + length > size:
        with file.open("r+b") as opened:
            # prometheus-client's own next step, which then finds the bytes allocated
            os.posix_fallocate(opened.fileno(), 0, 2 * size)


def _fold(files: list[Path]) -> None:
    """Add files of one type to the file of ended processes.

    :raises OSError: there is no room
    """
    from prometheus_client.mmap_dict import MmapedDict

    if not files:
        return
    values: Callable[[str], Iterable[tuple[str, float, float, int]]] = MmapedDict.read_all_values_from_file
    folded = files[0].with_name(f"{files[0].name.partition('_')[0]}_ended.db")
    totals: dict[str, float] = defaultdict(float)
    sources = [*files, *([folded] if folded.exists() else [])]
    for file in sources:
        for key, value, *_ in values(str(file)):
            totals[key] += value
    part = folded.with_suffix(".folding")
    try:
        _allocate(part, sum(file.stat().st_size for file in sources))
        made: Any = MmapedDict(str(part))  # type: ignore[no-untyped-call]
        for key, total in totals.items():
            made.write_value(key, total, 0.0)
        made.close()
        os.truncate(part, -(-_used_bytes(part) // mmap.PAGESIZE) * mmap.PAGESIZE)
        part.replace(folded)
    finally:
        part.unlink(missing_ok=True)
    for file in files:
        file.unlink()


_metrics: InForce[Metrics | None] = InForce(None)


def metrics() -> Metrics:
    """Return the metrics of this process."""
    made = _metrics.value
    if made is None:
        made = _metrics.value = Metrics()
    return made


def use_metrics(made: Metrics) -> None:
    """Replace the metrics of this process."""
    _metrics.value = made
