"""Claim jobs, extend their leases, store their outcomes, and take them over if their process has ended.

Only the process with a job's token can write to the job. If a job was taken over but its old process is still alive,
that process can't store an outcome. Writes of this module aren't recorded as changes.
"""

from __future__ import annotations

import logging
import random
import secrets
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import peewee

from ..common.clock import now
from ..common.readers import readable
from ..storage.database import backend, ensure_connected, transaction, untracked_writes
from .progress import Progress
from .table import DONE, GIVEN_UP, LONGEST_ERROR, RUNNING, WAITING, Job

_log = logging.getLogger("comptoir.jobs")

#: seconds before the second attempt; each further pause is twice as long, up to the last number
PAUSE, LONGEST_PAUSE = 15, 6 * 3600
#: the same after an attempt whose process has ended: that is rarely the job's fault
LOST_PAUSE, LOST_GROWTH = 1, 4
#: length of the process's part of a token, in characters
_PROCESS = 16


@dataclass(frozen=True)
class Claimed:
    """A job that this process runs, or is about to.

    :param attempt: which one it is, from 1
    """

    id: int
    module: str
    name: str
    arguments: str
    user: int | None
    attempt: int
    token: str

    @property
    def called(self) -> str:
        """The module and the function, such as `reminders.send_reminder`."""
        return f"{self.module}.{self.name}"


def name_process() -> str:
    """A name for a process that runs jobs, which no other has."""
    return secrets.token_hex(_PROCESS // 2)


def is_due(names: Collection[tuple[str, str]]) -> bool:
    """Return whether a waiting job is due, with one statement that doesn't lock rows.

    :param names: the (module, function) that can be run
    """
    due = next_due(names)
    return due is not None and due <= now()


def next_due(names: Collection[tuple[str, str]]) -> int | None:
    """Return the Unix second at which the first waiting job may be run; None: no job waits.

    :param names: the (module, function) that can be run
    """
    ensure_connected()
    rows = list(_waiting(names, Job.due).limit(1).tuples()) if names else []
    return int(rows[0][0]) if rows else None


def count_strays(names: Collection[tuple[str, str]]) -> dict[str, int]:
    """Return the number of due jobs without a loaded function, by names such as `reminders.send_reminder`.

    :param names: the (module, function) that can be run
    """
    ensure_connected()
    columns: Any = Job.select(Job.module, Job.name, peewee.fn.COUNT(Job.id))
    counted = columns.where(Job.status == WAITING, Job.due <= now()).group_by(Job.module, Job.name).tuples()
    return {f"{module}.{name}": int(number) for module, name, number in counted if (module, name) not in names}


def claim(names: Collection[tuple[str, str]], leases: dict[str, int], process: str) -> Claimed | None:
    """Claim the job that has waited longest; return None if no unclaimed job is due.

    :param names: the (module, function) that can be run
    :param leases: seconds of each, by names such as `reminders.send_reminder`
    :param process: the result of `name_process`
    """
    with untracked_writes(), _beside():
        sql, values = _due(names).limit(1).sql()
        found = backend().read(backend().lock_rows(sql, skip_locked=True), values).fetchone()
        if found is None:
            return None
        identifier, module, name, arguments, user, attempts = found
        token = process + secrets.token_hex(8)
        moment = now()
        taken = _write(
            {
                Job.status: RUNNING,
                Job.token: token,
                Job.lease: moment + leases[f"{module}.{name}"],
                Job.attempts: attempts + 1,
                Job.started: moment,
                Job.ended: None,
                Job.done: None,
                Job.total: None,
                Job.text: "",
            },
            # If the database can't lock rows, another process may have been faster
            (Job.id == identifier) & (Job.status == WAITING) & (Job.attempts == attempts),
        )
    return Claimed(identifier, module, name, arguments, user, attempts + 1, token) if taken else None


def prolong(claimed: Claimed, seconds: int) -> None:
    """Extend the lease of a job that is still running."""
    _settle(claimed, {Job.lease: now() + seconds})


def note_progress(claimed: Claimed, told: Progress) -> None:
    """Write the progress of a job."""
    _settle(claimed, _progress(told))


def finish(claimed: Claimed, result: str | None, told: Progress | None = None, remark: str | None = None) -> bool:
    """Store that a job is done; return whether this process still had the claim.

    :param result: as JSON
    :param remark: a problem that doesn't make the job fail
    """
    error = remark[:LONGEST_ERROR] if remark else None
    settled: dict[Any, Any] = {Job.status: DONE, Job.ended: now(), Job.result: result, Job.error: error}
    return _settle(claimed, settled | _progress(told), soon=True)


def fail(claimed: Claimed, attempts: int, error: str, told: Progress | None = None) -> int | None:
    """Store that a job has failed: it runs again later, or is given up.

    :param attempts: maximum number of attempts
    :param error: the reason, in one line
    :returns: seconds until the next attempt; None: it was given up, or this process no longer had the claim
    """
    settled: dict[Any, Any] = {Job.error: error[:LONGEST_ERROR], Job.ended: now()}
    if claimed.attempt >= attempts:
        _settle(claimed, settled | {Job.status: GIVEN_UP} | _progress(told))
        return None
    pause = _pause(claimed.attempt, PAUSE, 2)
    kept = _settle(claimed, settled | {Job.status: WAITING, Job.due: now() + pause} | _progress(told))
    return pause if kept else None


def hand_back(claimed: Claimed, pause: int = 0) -> None:
    """Put back a job that this process can't run or complete; the attempt isn't counted.

    :param pause: seconds before it may run again
    """
    _settle(claimed, {Job.status: WAITING, Job.due: now() + pause, Job.attempts: claimed.attempt - 1})


def take_over(attempts: dict[str, int], dead: Sequence[str] = ()) -> int:
    """Put back or give up the jobs whose processes have ended; return their number.

    :param attempts: maximum numbers of attempts, by names such as `reminders.send_reminder`
    :param dead: names of processes that have ended, from `name_process`; for other processes the lease must be over
    """
    ensure_connected()
    wanted = Job.lease <= now()
    for process in dead:
        wanted |= Job.token.startswith(process)
    columns = (Job.id, Job.module, Job.name, Job.attempts, Job.token)
    rows: Any = Job.select(*columns).where((Job.status == RUNNING) & wanted).tuples()
    taken = 0
    for identifier, module, name, attempt, token in list(rows):
        claimed = Claimed(identifier, module, name, "", None, attempt, token)
        most = attempts.get(claimed.called, attempt + 1)
        error = f"the process ended while the job ran (attempt {attempt} of {most})"
        settled: dict[Any, Any] = {Job.error: error, Job.ended: now()}
        if attempt >= most:
            settled |= {Job.status: GIVEN_UP}
        else:
            settled |= {Job.status: WAITING, Job.due: now() + _pause(attempt, LOST_PAUSE, LOST_GROWTH)}
        if _settle(claimed, settled):
            taken += 1
            _log.error("job %d, %s: %s%s", identifier, claimed.called, error, ", given up" if attempt >= most else "")
    return taken


def _due(names: Collection[tuple[str, str]]) -> Any:
    columns = (Job.id, Job.module, Job.name, Job.arguments, Job.user, Job.attempts)
    return _waiting(names, *columns).where(Job.due <= now())


def _waiting(names: Collection[tuple[str, str]], *columns: Any) -> Any:
    modules: dict[str, list[str]] = {}
    for module, name in names:
        modules.setdefault(module, []).append(name)
    known: Any = None
    for module, some in modules.items():
        one = (Job.module == module) & Job.name.in_(some)
        known = one if known is None else known | one
    return Job.select(*columns).where((Job.status == WAITING) & known).order_by(Job.due, Job.id)


@contextmanager
def _beside() -> Iterator[None]:
    """A transaction without an immediate flush to the disk: after a power failure, a job may run again."""
    ensure_connected()
    with backend().synchronous_off(), transaction():
        if backend().asynchronous_commit:
            backend().run(backend().asynchronous_commit)
        yield


def _write(values: dict[Any, Any], where: Any) -> bool:
    return bool(Job.update(values).where(where).execute())


def _settle(claimed: Claimed, values: dict[Any, Any], *, soon: bool = False) -> bool:
    """Write the outcome of a job; return whether this process still had the claim and the row has changed."""
    # PostgreSQL stores no NUL, and no database a lone surrogate
    values = {field: readable(value) if isinstance(value, str) else value for field, value in values.items()}
    held = (Job.id == claimed.id) & (Job.status == RUNNING) & (Job.token == claimed.token)
    with untracked_writes(), _beside() if soon else transaction():
        return _write(values, held)


def _progress(told: Progress | None) -> dict[Any, Any]:
    return {Job.done: told.done, Job.total: told.total, Job.text: told.text} if told is not None else {}


def _pause(attempt: int, first: int, growth: int) -> int:
    """Return the seconds before the next attempt, varied by 10 % to spread jobs that failed at the same time."""
    pause: int = min(first * growth ** min(attempt - 1, 20), LONGEST_PAUSE)
    return max(1, round(pause * random.uniform(0.9, 1.1)))
