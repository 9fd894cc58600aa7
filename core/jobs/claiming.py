"""Claiming: a job is taken, prolonged, settled, and taken over where its process has ended.

Whoever runs a job holds its token, and nothing is written of it by anybody else: one that was taken for dead and goes
on all the same cannot settle. Nothing here is a change of a record.
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
from ..storage.database import backend, ensure_connected, transaction, untracked_writes
from .progress import Progress
from .table import DONE, GIVEN_UP, LONGEST_ERROR, RUNNING, WAITING, Job

_log = logging.getLogger("comptoir.jobs")

#: seconds before the second attempt; each further pause is twice as long, up to the last number
PAUSE, LONGEST_PAUSE = 15, 6 * 3600
#: the same after an attempt whose process has ended: that is rarely the job's fault
LOST_PAUSE, LOST_GROWTH = 1, 4
#: letters of the part of a token that names the process
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
    """Whether a job waits that may be run now. One statement that locks nothing.

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


def count_strays(names: Collection[tuple[str, str]], *, due: bool = True) -> dict[str, int]:
    """How many jobs wait that nobody here can run, by names such as `reminders.send_reminder`.

    :param names: the (module, function) that can be run
    :param due: only those whose time has come
    """
    ensure_connected()
    wanted = Job.status == WAITING
    if due:
        wanted &= Job.due <= now()
    columns: Any = Job.select(Job.module, Job.name, peewee.fn.COUNT(Job.id)).where(wanted)
    counted = columns.group_by(Job.module, Job.name).tuples()
    return {f"{module}.{name}": int(number) for module, name, number in counted if (module, name) not in names}


def claim(names: Collection[tuple[str, str]], leases: dict[str, int], process: str) -> Claimed | None:
    """Claim the job that has waited longest; None: there is none that others have not claimed.

    :param names: the (module, function) that can be run
    :param leases: seconds of each, by names such as `reminders.send_reminder`
    :param process: what `name_process` has answered
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
            # Where rows cannot be locked, somebody may have been faster
            (Job.id == identifier) & (Job.status == WAITING) & (Job.attempts == attempts),
        )
    return Claimed(identifier, module, name, arguments, user, attempts + 1, token) if taken else None


def prolong(claimed: Claimed, seconds: int) -> None:
    """Say that it is still being run."""
    _settle(claimed, {Job.lease: now() + seconds})


def note_progress(claimed: Claimed, told: Progress) -> None:
    """Write how far it is."""
    _settle(claimed, _progress(told))


def finish(claimed: Claimed, result: str | None, told: Progress | None = None, remark: str | None = None) -> bool:
    """It is done; answers whether it was still this process's.

    :param result: as JSON
    :param remark: what is wrong all the same
    """
    error = remark[:LONGEST_ERROR] if remark else None
    settled: dict[Any, Any] = {Job.status: DONE, Job.ended: now(), Job.result: result, Job.error: error}
    return _settle(claimed, settled | _progress(told), soon=True)


def fail(claimed: Claimed, attempts: int, error: str, told: Progress | None = None) -> int | None:
    """It has failed: try it again later, or give it up.

    :param attempts: how often it is begun at the most
    :param error: why, in one line
    :returns: seconds until the next attempt; None: it is given up, or was no longer this process's
    """
    settled: dict[Any, Any] = {Job.error: error[:LONGEST_ERROR], Job.ended: now()}
    if claimed.attempt >= attempts:
        _settle(claimed, settled | {Job.status: GIVEN_UP} | _progress(told))
        return None
    pause = _pause(claimed.attempt, PAUSE, 2)
    kept = _settle(claimed, settled | {Job.status: WAITING, Job.due: now() + pause} | _progress(told))
    return pause if kept else None


def hand_back(claimed: Claimed, pause: int = 0) -> None:
    """This process ends in the midst of it, or cannot do it now: it is begun anew, and the attempt does not count.

    :param pause: seconds after which it may be begun
    """
    _settle(claimed, {Job.status: WAITING, Job.due: now() + pause, Job.attempts: claimed.attempt - 1})


def take_over(attempts: dict[str, int], dead: Sequence[str] = ()) -> int:
    """Put back what processes were running that are gone, or give it up; answers how many jobs that were.

    :param attempts: how often each is begun at the most, by names such as `reminders.send_reminder`
    :param dead: processes that have ended, as `name_process` has named them; of others the lease must be over
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
    """A transaction that need not be on the disk at once: a power cut costs at the most that a job is run again."""
    ensure_connected()
    with backend().synchronous_off(), transaction():
        if backend().asynchronous_commit:
            backend().run(backend().asynchronous_commit)
        yield


def _write(values: dict[Any, Any], where: Any) -> bool:
    return bool(Job.update(values).where(where).execute())


def _settle(claimed: Claimed, values: dict[Any, Any], *, soon: bool = False) -> bool:
    """Write what has become of a job; answers whether it was still this process's, and anything has changed."""
    held = (Job.id == claimed.id) & (Job.status == RUNNING) & (Job.token == claimed.token)
    with untracked_writes(), _beside() if soon else transaction():
        return _write(values, held)


def _progress(told: Progress | None) -> dict[Any, Any]:
    return {Job.done: told.done, Job.total: told.total, Job.text: told.text} if told is not None else {}


def _pause(attempt: int, first: int, growth: int) -> int:
    """Seconds before the next attempt, a little more or less: what has failed together does not come again together."""
    pause: int = min(first * growth ** min(attempt - 1, 20), LONGEST_PAUSE)
    return max(1, round(pause * random.uniform(0.9, 1.1)))
