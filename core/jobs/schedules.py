"""Schedules: when each fires, in the company's time zone, and how each of these moments becomes one job."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import peewee
from cronsim import CronSim, CronSimError

from ..common.clock import unix_now
from ..common.settings import settings
from ..storage.database import ensure_connected, untracked_writes
from .table import DONE, Job

#: the text of the job that marks the start of a schedule
KNOWN_FROM_HERE = "the schedule starts here"

_EXPECTED = (
    "expected five fields: minute, hour, day of month, month, day of week, "
    'such as "*/5 * * * *", "0 8 * * MON-FRI" or "30 6 1 * *"'
)


def check_cron(text: object) -> str:
    """Return a cron text as it is, if it is valid and has a next time.

    :raises ValueError: the text isn't valid or never fires; the message contains the expected form
    """
    if not isinstance(text, str):
        raise ValueError(f"{_EXPECTED}; got {text!r}")
    if len(text.split()) != 5:
        raise ValueError(f"{_EXPECTED}; got {len(text.split())} fields in {text!r}")
    if len(text) > 100:
        raise ValueError(f"{_EXPECTED}, in at most 100 characters; got {text!r}")
    try:
        next(CronSim(text, datetime(2000, 1, 1)))
    except CronSimError as error:
        raise ValueError(f"{_EXPECTED}; got {text!r}: {str(error).lower()}") from error
    except (StopIteration, RuntimeError):
        raise ValueError(f"{text!r} never fires: no such day exists") from None
    return text


def latest_moment(text: str, at: int, zone: ZoneInfo) -> int | None:
    """Return the last time of a cron text up to a moment, in Unix seconds; None: there is no earlier one.

    When the clock goes forward, times in the skipped hour fire after it. When it goes back, a fixed hour fires once,
    while `*` as minute or hour follows the clock, as in cron.

    :param at: Unix seconds
    """
    return _first(CronSim(text, datetime.fromtimestamp(at + 1, zone), reverse=True))


def next_moment(text: str, at: int, zone: ZoneInfo) -> int | None:
    """Return the next time of a cron text after a moment; None: it never comes."""
    return _first(CronSim(text, datetime.fromtimestamp(at, zone)))


def _first(moments: CronSim) -> int | None:
    moment = next(moments, None)
    return None if moment is None else int(moment.timestamp())


class Schedule(NamedTuple):
    """A function that runs at the times of a cron text."""

    module: str
    name: str
    cron: str


class Schedules:
    """Fires the schedules of a process, without statements between their moments."""

    def __init__(self) -> None:
        #: the last moment of each at the last look, and the minute of that
        self._latest: dict[Schedule, int | None] = {}
        self._minute = 0

    def fire(self, schedules: Iterable[Schedule]) -> int:
        """Enqueue the moments that have come since the last call; return their number."""
        minute, wanted = unix_now() // 60, frozenset(schedules)
        if minute == self._minute and wanted == self._latest.keys():
            return 0
        fired, latest = 0, {each: latest_moment(each.cron, unix_now(), settings().zone) for each in wanted}
        for each, moment in latest.items():
            if moment is None:
                continue
            if each not in self._latest:
                fired += _begin(each, moment)
            # The clock may have been set back
            elif moment > (self._latest[each] or 0):
                fired += _put(each, moment)
        self._latest, self._minute = latest, minute
        return fired


def _begin(schedule: Schedule, latest: int) -> bool:
    """Start a schedule in this process; enqueue its last moment if it was missed."""
    ensure_connected()
    own = (Job.module == schedule.module) & (Job.name == schedule.name) & Job.moment.is_null(False)
    newest: Any = Job.select(Job.id, Job.moment, Job.cron).where(own).order_by(Job.moment.desc()).first()
    is_missed = newest is None or newest.moment < latest
    if newest is not None and newest.cron == schedule.cron:
        return is_missed and _put(schedule, latest)
    # A new schedule has no missed moments; earlier ones don't apply to a changed cron text
    if is_missed:
        _put(schedule, latest, status=DONE, ended=unix_now(), text=KNOWN_FROM_HERE)
    else:
        with untracked_writes():
            Job.update(cron=schedule.cron).where(Job.id == newest.id).execute()
    return False


def _put(schedule: Schedule, moment: int, **values: Any) -> bool:
    """Enqueue the job of a moment; return False if it already exists."""
    ensure_connected()
    values |= {"arguments": "{}", "due": moment, "moment": moment, "created": unix_now()}
    try:
        with untracked_writes():
            Job.insert(**schedule._asdict(), **values).execute()
    except peewee.IntegrityError:
        return False
    return True
