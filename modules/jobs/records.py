"""Jobs in the API."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

from core import (
    ListQuery,
    NotFound,
    Records,
    Refused,
    allowed_operations,
    current_caller,
    query,
    set_header,
    transaction,
)
from core.for_natives import (
    Catalogue,
    Job,
    Page,
    cached_per_catalogue,
    catalogue,
    forget_job,
    note_event,
    run_job_again,
    unix_now,
)

#: `Job.status` → name of the state
STATES: dict[int, str] = dict(Job.status.choices)
_NUMBERS = {word: number for number, word in STATES.items()}

#: excludes the entries that only mark when a schedule was first seen, from which it counts
_REAL = "((t.status:<>:2) or (t.started:isnot:NULL))"

#: maximum Retry-After of a job that waits for its time, in seconds
_LONGEST_PAUSE = 3600


#: matches `Job.error` of an exception not meant for callers: the name of its class, and its message
_UNNAMED = re.compile(r"[A-Za-z_]\w*(:|$)")


@dataclass(frozen=True)
class JobFilter:
    """Filters for a list of jobs.

    :param state: those in this state
    :param module: those of this module, by the name of its folder
    :param name: those of this function
    :param user: those that this user has caused, by identifier
    """

    state: Literal["waiting", "running", "done", "given up"] | None = None
    module: str = ""
    name: str = ""
    user: int | None = None


class Jobs(Records[Job]):
    """Jobs; newest first by default."""

    model = Job
    noun = "Job"

    def asked(self, query: ListQuery, wanted: JobFilter) -> Page:
        """Return a page of the matching jobs."""
        where = {
            "status": None if wanted.state is None else _NUMBERS[wanted.state],
            "module": wanted.module or None, "name": wanted.name or None, "user": wanted.user,
        }  # fmt: skip
        if not query.sortfield and not query.sortorder:
            query = replace(query, sortfield="t.rowid", sortorder="DESC")
        filters = f"({query.sqlfilters}) and {_REAL}" if query.sqlfilters.strip() else _REAL
        query = replace(query, sqlfilters=filters)
        return self.page(query, {name: value for name, value in where.items() if value is not None})

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the name of the state, and parse the values stored as JSON."""
        caller = current_caller()
        # Arguments may be confidential, such as the address that a link is sent to
        shows = caller is None or caller.holds("jobs.read")
        for record in records:
            record["state"] = STATES[int(record["status"])]
            record["problem"] = _problem(record, shows)
            record["arguments"] = _parsed(record["arguments"]) if shows else None
            if not shows and _UNNAMED.match(record["error"] or ""):
                record["error"] = "the job failed; an administrator can see why"
            record["result"] = None if record["result"] is None else _parsed(record["result"])

    def followed(self, identifier: int) -> dict[str, Any]:
        """Return a job, and set the header with the seconds to wait before reading it again.

        :raises NotFound: no such job, or the caller may not see it
        """
        record = self.read(identifier)
        if record["state"] == "done" and record["moment"] is not None and record["started"] is None:
            # Not a job, but the entry that marks when a schedule was first seen
            raise NotFound(f"Job {identifier} not found")
        if record["state"] in ("waiting", "running"):
            pause = int(record["due"]) - unix_now() if record["state"] == "waiting" else 0
            set_header("Retry-After", str(min(max(pause, 1), _LONGEST_PAUSE)))
        return record

    def again(self, identifier: int) -> None:
        """Run a job again that was given up, or retry a failed job immediately.

        :raises NotFound: no such job, or the caller may not see it
        :raises Refused: it was neither given up nor waits for a retry
        """
        with transaction():
            job = self.load(identifier, lock=True)
            if not _may_run_again(job) or not run_job_again(identifier):
                state = STATES[job.status]
                message = (
                    f"can't run job {identifier} again: it is {state}; "
                    "only jobs that were given up, or that failed and wait for a retry, can be run again"
                )
                raise _state_error(job, message)
            note_event("run_again", Job, identifier, name=job.called)

    def forget(self, identifier: int) -> None:
        """Delete a job.

        :raises NotFound: no such job, or the caller may not see it
        :raises Refused: it is running
        """
        with transaction():
            job = self.load(identifier, lock=True)
            if STATES[job.status] == "running" or not forget_job(identifier):
                raise _state_error(
                    job, f"can't delete job {identifier} while it is running; wait until it has finished"
                )
            note_event("deleted", Job, identifier, name=job.called, state=STATES[job.status])


def _parsed(text: str) -> Any:
    """Return a value stored as JSON; any other text, such as a row of another program, unchanged."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _may_run_again(job: Any) -> bool:
    return STATES[job.status] == "given up" or (STATES[job.status] == "waiting" and job.error is not None)


def _state_error(job: Any, message: str) -> Refused:
    """Return the error for a job whose state doesn't allow an operation."""
    named = ["POST /jobs/{id}/again"] * _may_run_again(job)
    named += ["DELETE /jobs/{id}"] * (STATES[job.status] != "running")
    details = {"state": STATES[job.status], "allowed": allowed_operations(named, job.id)}
    return Refused(message, reason="wrong_state", details=details)


def _problem(record: dict[str, Any], shows: bool) -> str | None:
    """Return the reason why a waiting job can't run now."""
    if record["state"] != "waiting":
        return None
    problem = catalogue().job_problem(str(record["module"]), str(record["name"]))
    return problem if shows or not problem else "the job can't run now; an administrator can see why"


jobs = Jobs()


class Schedule(TypedDict):
    """A function that is run by itself, once for each moment of its schedule."""

    module: Annotated[str, "folder of the module"]
    name: Annotated[str, "function in the jobs.py of the module"]
    cron: Annotated[str, "minute, hour, day of month, month, day of week, in the company's time zone"]
    next: Annotated[int | None, datetime, "next run; null: never"]
    last: Annotated[int | None, datetime, "last scheduled run; null: unknown"]
    job: Annotated[int | None, "job of the last run"]
    state: Annotated[Literal["waiting", "running", "done", "given up", "not yet run"], "state of that job, if any"]


#: the last job of each schedule; the entry that marks when a schedule was first seen is "done" and was never started
_LAST = (
    "SELECT module, name, rowid, moment, status FROM comptoir_job WHERE rowid IN (SELECT MAX(rowid) FROM comptoir_job "
    "WHERE moment IS NOT NULL AND (status <> 2 OR started IS NOT NULL) GROUP BY module, name)"
)


@cached_per_catalogue
def _scheduled(served: Catalogue) -> list[Any]:
    return [each for each in served.jobs.values() if each.cron]


def list_schedules() -> list[Schedule]:
    """Return every active schedule, by module and name."""
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
