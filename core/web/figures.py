"""What is counted of requests, for Prometheus: summed over all workers, also over those that have ended.

Each worker writes to a file of its own, which all can read. They are numbered by the place of a worker, and who takes
the place of one that has ended goes on counting where that one stopped.
"""

from __future__ import annotations

import logging
import threading
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate
from operator import add
from pathlib import Path
from typing import Any

from ..common.in_force import InForce
from ..contract.catalogue import catalogue
from ..jobs.figures import count_jobs
from .cells import Cells, read_cells

#: seconds; what answers from memory takes less than the first, what a client still waits for less than the last
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

#: any other verb is counted as one, whatever a client calls it
VERBS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

#: numbers of a process: requests in progress; 1 while it lives; writes for which the database had no room, or no leave
_HEAD = 3
#: numbers of an operation, a verb and a status: seconds, the database's, requests in each bucket and beyond the last
_WIDTH = 2 + len(BUCKETS) + 1

_log = logging.getLogger("comptoir.serve")


class Figures:
    """The figures of a server.

    :param folder: where the processes of a server share them; None: there is only this process
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._turn = threading.Lock()
        self._count_in(Cells(_HEAD, _WIDTH), alive=folder is None)

    def _count_in(self, cells: Cells, *, alive: bool = True) -> None:
        self._cells = cells
        self._head = cells.head
        self._head[0], self._head[1] = 0.0, float(alive)
        self._rows: dict[tuple[str, str, int], tuple[memoryview[float], int]] = {}

    def begin(self) -> None:
        """A request begins."""
        with self._turn:
            self._head[0] += 1

    def leave(self) -> None:
        """A request that has begun will begin once more."""
        with self._turn:
            self._head[0] -= 1

    def end(self, operation: str, verb: str, status: int, seconds: float, database_seconds: float) -> None:
        """A request ends.

        :param operation: the path with names for its values; empty: none answered
        """
        row = self._rows.get((operation, verb, status))
        with self._turn:
            numbers, at = row or self._row(operation, verb, status)
            numbers[at] += seconds
            numbers[at + 1] += database_seconds
            numbers[at + 2 + bisect_left(BUCKETS, seconds)] += 1
            self._head[0] -= 1

    def refuse(self, status: int) -> None:
        """A request that was no proper HTTP was answered."""
        self.begin()
        self.end("", "", status, 0.0, 0.0)

    def refuse_write(self) -> None:
        """The database has rejected a write: its disk is full, or it can only be read."""
        with self._turn:
            self._head[2] += 1

    def refused_writes(self) -> float:
        """Return how many writes the database has rejected, of all processes that live."""
        if self._folder is None:
            return self._head[2]
        rejected = 0.0
        for file in self._folder.glob("worker-*"):
            with file.open("rb") as cells:
                head = cells.read(_HEAD * 8)
            # One that is just being made is empty
            rejected += memoryview(head).cast("d")[2] if head else 0.0
        return rejected

    def _row(self, operation: str, verb: str, status: int) -> tuple[memoryview[float], int]:
        known = verb if verb in VERBS or not verb else "other"
        try:
            row = self._cells.row((operation[:1000], known, str(status)))
        except OSError as error:
            _log.error("/metrics doesn't count %s %s: %s", known, operation, error)
            row = memoryview(bytearray(_WIDTH * 8)).cast("d"), 0
        if known == verb:
            self._rows[operation, verb, status] = row
        return row

    # Processes

    def take_place(self, place: int) -> None:
        """This process is a worker from now on.

        :param place: a number that no other worker has as long as this one lives
        """
        if self._folder is None:
            return
        try:
            self._count_in(Cells(_HEAD, _WIDTH, self._file(place)))
        except OSError as error:
            _log.error("/metrics doesn't count the requests of this worker: %s", error)

    def leave_place(self, place: int) -> None:
        """A worker has ended; what it counted stays."""
        if self._folder is not None and self._file(place).exists():
            with self._file(place).open("r+b") as file:
                file.write(bytes(_HEAD * 8))

    def _file(self, place: int) -> Path:
        assert self._folder is not None
        return self._folder / f"worker-{place}"

    # For the reader

    def text(self) -> bytes:
        """Everything, as Prometheus reads it."""
        # Here, for commands that serve nothing would wait for the library
        from prometheus_client import CollectorRegistry, generate_latest

        files = sorted(self._folder.glob("worker-*")) if self._folder is not None else []
        contents = [file.read_bytes() for file in files] if self._folder is not None else [self._cells.content()]
        registry = CollectorRegistry()
        registry.register(_Sum(each for each in contents if each))
        return generate_latest(registry)


class _Sum:
    """The figures of all processes.

    :param contents: of their cells
    """

    def __init__(self, contents: Iterable[bytes]) -> None:
        self._progress = self._alive = 0.0
        self._rows: dict[tuple[str, ...], list[float]] = {}
        for content in contents:
            (progress, alive, _), rows = read_cells(content, _HEAD, _WIDTH)
            self._progress += progress
            self._alive += alive
            for key, numbers in rows.items():
                self._rows[key] = list(map(add, self._rows.get(key, [0.0] * _WIDTH), numbers))

    def collect(self) -> Iterator[Any]:
        """Each figure."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

        by_operation = ["operation", "verb"]
        requests = CounterMetricFamily(
            "comptoir_requests", "Requests, by operation and status.", labels=[*by_operation, "status"]
        )
        times: dict[tuple[str, ...], list[float]] = defaultdict(lambda: [0.0] * _WIDTH)
        for key, numbers in sorted(self._rows.items()):
            requests.add_metric(key, sum(numbers[2:]))
            times[key[:2]] = list(map(add, times[key[:2]], numbers))
        seconds = HistogramMetricFamily("comptoir_request_seconds", "Time to respond, in seconds.", labels=by_operation)
        database = CounterMetricFamily(
            "comptoir_database_seconds", "Time spent in the database, in seconds.", labels=by_operation
        )
        names = [*map(str, BUCKETS), "+Inf"]
        for key, numbers in times.items():
            seconds.add_metric(key, list(zip(names, accumulate(numbers[2:]), strict=True)), numbers[0])
            database.add_metric(key, numbers[1])
        yield from (requests, seconds, database)
        yield GaugeMetricFamily("comptoir_requests_in_progress", "Requests in progress.", value=self._progress)
        yield GaugeMetricFamily("comptoir_workers", "Worker processes.", value=self._alive)
        served = catalogue()
        failed = {each.module for each in served.failures}
        modules = GaugeMetricFamily("comptoir_modules", "Modules; failed: a file can't be loaded.", labels=["state"])
        modules.add_metric(["loaded"], len({each.module for each in served.services.values()} - failed - {"core"}))
        modules.add_metric(["failed"], len(failed))
        yield modules
        jobs = GaugeMetricFamily("comptoir_jobs", "Background jobs that are not done.", labels=["state"])
        for state, number in count_jobs().items():
            jobs.add_metric([state.replace(" ", "_")], number)
        yield jobs
        yield GaugeMetricFamily("comptoir_operations", "Operations of the API.", value=len(served.operations))


_figures: InForce[Figures | None] = InForce(None)


def figures() -> Figures:
    """The figures of this server."""
    made = _figures.value
    if made is None:
        made = _figures.value = Figures()
    return made


def use_figures(made: Figures) -> None:
    """Put figures in force; before the application is made."""
    _figures.value = made
