"""Schedules: what is run by itself, when the next time, and what came of the last."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

from core import Catalogue, cached_per_catalogue, query

from .records import STATES


class Schedule(TypedDict):
    """A function that is run by itself, once for each moment of its schedule."""

    module: Annotated[str, "folder of the module"]
    name: Annotated[str, "function in the jobs.py of the module"]
    cron: Annotated[str, "minute, hour, day of month, month, day of week, in the company's time zone"]
    next: Annotated[int | None, datetime, "next run; null: never"]
    last: Annotated[int | None, datetime, "last scheduled run; null: unknown"]
    job: Annotated[int | None, "job of the last run"]
    state: Annotated[Literal["waiting", "running", "done", "given up", "not yet run"], "state of that job, if any"]


#: of what was run, or will be: the note that a schedule counts from a moment on is a job that is done and never began
_LAST = (
    "SELECT module, name, rowid, moment, status FROM comptoir_job WHERE rowid IN (SELECT MAX(rowid) FROM comptoir_job "
    "WHERE moment IS NOT NULL AND (status <> 2 OR started IS NOT NULL) GROUP BY module, name)"
)


@cached_per_catalogue
def _scheduled(served: Catalogue) -> list[Any]:
    return [each for each in served.jobs.values() if each.cron]


def list_schedules() -> list[Schedule]:
    """Every schedule that is active, by module and name."""
    last = {(module, name): rest for module, name, *rest in query(_LAST)}
    found: list[Schedule] = []
    for each in _scheduled():
        job, moment, status = last.get((each.module, each.name), (None, None, None))
        state: Any = "not yet run" if status is None else STATES[status]
        found.append(
            Schedule(
                module=each.module, name=each.name, cron=each.cron, next=each.next_moment,
                last=moment, job=job, state=state,
            )
        )  # fmt: skip
    return found
