"""The metrics page for Prometheus: the counters of all processes, and metrics that are collected at the scrape."""

from __future__ import annotations

import os
import platform
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import peewee

from ..common.runtime import active
from ..contract.catalogue import catalogue
from ..jobs.queue import count_jobs
from ..version import VERSION

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def metrics_text() -> bytes:
    """Return the page."""
    # Imported here: commands that serve nothing don't wait for the library
    from prometheus_client import CollectorRegistry, generate_latest

    registry = CollectorRegistry()
    registry.register(active.runtime.metrics)
    registry.register(_AtScrape())
    return generate_latest(registry)


class _AtScrape:
    """Collector of the build, modules, database, jobs and processes at the time of a scrape."""

    def collect(self) -> Iterator[Any]:
        """Return each metric."""
        from prometheus_client.core import GaugeMetricFamily

        build = GaugeMetricFamily("comptoir_build_info", "The running version.", labels=["version", "python_version"])
        build.add_metric([VERSION, platform.python_version()], 1)
        yield build
        served = catalogue()
        failed = {each.module for each in served.failures}
        modules = GaugeMetricFamily("comptoir_modules", "Modules; failed: a file can't be loaded.", labels=["state"])
        modules.add_metric(["loaded"], len({each.module for each in served.services.values()} - failed - {"core"}))
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
        yield from _process_metrics(active.runtime.metrics.main_process)


#: how the values of several processes are combined; others are added
_COMBINED: dict[str, Callable[[list[float]], float]] = {
    "process_start_time_seconds": min,
    "process_open_fds": max,
    "process_max_fds": min,
}


def _process_metrics(main: int) -> Iterator[Any]:
    """Return the standard metrics of a process, for the main process together with those that it has started."""
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
