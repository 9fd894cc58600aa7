"""Schedules: each of their moments becomes one job, regardless of the number of processes and hosts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import peewee

from ..common.clock import now
from ..common.settings import settings
from ..storage.database import ensure_connected, untracked_writes
from .cron import latest_moment, next_moment
from .functions import JobFunction
from .table import DONE, Job

#: seconds after which a schedule is checked again even if its next moment is later: the clock may change
LONGEST_WAIT = 3600
#: the text of the job that marks the start of a schedule
KNOWN_FROM_HERE = "the schedule starts here"


class Schedules:
    """Fires the schedules of a process, without statements between their moments."""

    def __init__(self) -> None:
        #: (name, cron text) → Unix seconds of the next check
        self._next: dict[tuple[str, str], int] = {}
        self._seen = 0

    def fire(self, jobs: Mapping[str, JobFunction[Any, Any]]) -> int:
        """Enqueue the moments that have come; return their number."""
        moment = now()
        if moment < self._seen:
            # The clock has been set back
            self._next.clear()
        self._seen = moment
        wanted = {(each.called, each.cron): each for each in jobs.values() if each.cron}
        for key in [key for key in self._next if key not in wanted]:
            del self._next[key]
        fired = 0
        for key, function in wanted.items():
            if moment < self._next.get(key, 0):
                continue
            zone = settings().zone
            latest = latest_moment(function.cron, moment, zone)
            if latest is not None:
                fired += _put(function, latest) if key in self._next else _begin(function, latest)
            following = next_moment(function.cron, moment, zone)
            self._next[key] = min(following or moment + LONGEST_WAIT, moment + LONGEST_WAIT)
        return fired


def _begin(function: JobFunction[Any, Any], latest: int) -> bool:
    """Start a schedule in this process; enqueue its last moment if it was missed."""
    ensure_connected()
    own = (Job.module == function.module) & (Job.name == function.name) & Job.moment.is_null(False)
    newest: Any = Job.select(Job.id, Job.moment, Job.cron).where(own).order_by(Job.moment.desc()).limit(1).tuples()
    rows = list(newest)
    if not rows:
        # A new schedule has no missed moments
        _put(function, latest, status=DONE, ended=now(), text=KNOWN_FROM_HERE)
        return False
    ((identifier, moment, cron),) = rows
    if cron == function.cron:
        return bool(moment < latest) and _put(function, latest)
        # The cron text has changed, so earlier moments don't apply
    if moment < latest:
        _put(function, latest, status=DONE, ended=now(), text=KNOWN_FROM_HERE)
    else:
        with untracked_writes():
            Job.update(cron=function.cron).where(Job.id == identifier).execute()
    return False


def _put(function: JobFunction[Any, Any], moment: int, **values: Any) -> bool:
    """Enqueue the job of a moment; return False if it already exists."""
    ensure_connected()
    values |= {"module": function.module, "name": function.name, "cron": function.cron}
    try:
        with untracked_writes():
            Job.insert(arguments="{}", due=moment, moment=moment, created=now(), **values).execute()
    except peewee.IntegrityError:
        return False
    return True
