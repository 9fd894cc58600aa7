"""Claim jobs, extend their leases, store their progress and outcomes, and take them over if their process has ended.

Only the process with a job's token can write to the job. If a job was taken over but its old process is still alive,
that process can't store an outcome. Writes of this module aren't recorded as changes. They don't wait for the disk:
after a power failure, a job may run again.
"""

from __future__ import annotations

import logging
import random
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import reduce
from itertools import groupby
from operator import attrgetter, or_
from time import monotonic
from typing import Any

import peewee

from ..common.clock import unix_now
from ..common.readers import readable
from ..common.request_state import current_background
from ..storage.database import backend, ensure_connected, lock_timeout, transaction, untracked_writes
from .functions import JobFunction
from .table import DONE, GIVEN_UP, MAX_ERROR_CHARS, MAX_TEXT_CHARS, RUNNING, WAITING, Job

#: job functions that can run, by names such as `reminders.send_reminder`
Functions = Mapping[str, JobFunction[Any, Any]]

#: seconds before the second attempt, and the factor of each further pause; the same after an attempt whose process has
#: ended, which is rarely the job's fault; and the longest pause in seconds
AFTER_FAILURE, AFTER_LOSS, MAX_PAUSE_SECONDS = (15, 2), (1, 4), 6 * 3600
#: the largest number that a column holds
MAX_STEPS = 2**63 - 1

#: job → its last progress, as values of its row
_progress: dict[int, dict[str, Any]] = {}

_log = logging.getLogger("comptoir.jobs")


def progress(done: int, total: int, text: str = "") -> None:
    """Set the progress of the running job, which `GET /jobs/{id}` and the explorer show.

    You can call it for each row: another thread writes the last values within half a second, on its own connection.
    They are visible before the job's transaction ends, except on SQLite. Outside of a job, the call does nothing.

    :param done: completed steps; a number beyond 64 bits becomes the nearest one
    :param total: number of steps
    :param text: the current step, at most 255 characters
    """
    background = current_background()
    if background is not None:
        done, total = (max(-MAX_STEPS, min(int(each), MAX_STEPS)) for each in (done, total))
        _progress[background.id] = {"done": done, "total": total, "text": str(text)[:MAX_TEXT_CHARS]}


@dataclass
class Claimed:
    """A job that this process runs.

    :ivar attempt: which one it is, from 1
    :ivar extended: `time.monotonic` at which its lease was last extended
    :ivar written: the progress in its row
    """

    id: int
    function: JobFunction[Any, Any]
    arguments: str
    user: int | None
    attempt: int
    token: str
    extended: float = field(default_factory=monotonic)
    written: dict[str, Any] = field(default_factory=dict)

    def extend(self) -> None:
        """Extend the lease."""
        self.extended = monotonic()
        _write(self.id, self.token, lease=unix_now() + self.function.lease)

    def write_progress(self) -> None:
        """Write the last progress, unless the row has it, or on SQLite the job's own transaction holds the lock."""
        last = _progress.get(self.id, self.written)
        if last is not self.written:
            with suppress(peewee.OperationalError), lock_timeout(0.1):
                _write(self.id, self.token, **last)
                self.written = last

    def finish(self, result: str | None, error: str | None = None) -> bool:
        """Store the last progress, and that the job is done; return whether this process still had the claim.

        :param result: as JSON
        :param error: a problem that doesn't make the job fail
        """
        return self._settle(status=DONE, ended=unix_now(), result=result, error=error and error[:MAX_ERROR_CHARS])

    def fail(self, error: str) -> int | None:
        """Store the last progress, and that the job has failed: it runs again later, or is given up.

        :param error: the reason, in one line
        :returns: seconds until the next attempt; None: it was given up, or this process no longer had the claim
        """
        pause = _pause(self.attempt, self.function.attempts, *AFTER_FAILURE)
        return pause if self._settle(**_failed(error, pause)) else None

    def hand_back(self, pause: int = 0) -> None:
        """Put the job back, because this process can't run or complete it; the attempt isn't counted.

        :param pause: seconds before it may run again
        """
        self._settle(status=WAITING, due=unix_now() + pause, attempts=self.attempt - 1)

    def _settle(self, **values: Any) -> bool:
        kept = _write(self.id, self.token, **values, **_progress.get(self.id, {}))
        _progress.pop(self.id, None)
        return kept


def new_process_name() -> str:
    """Return a unique name for a process that runs jobs; it is half of the tokens of its jobs."""
    return secrets.token_hex(8)


def next_due(functions: Functions) -> int | None:
    """Return the Unix second at which the first waiting job may run; None: no job waits."""
    ensure_connected()
    rows = list(_waiting(functions, Job.due).tuples()) if functions else []
    return int(rows[0][0]) if rows else None


def claim(functions: Functions, process: str) -> Claimed | None:
    """Claim the job that has waited longest; return None if no unclaimed job is due.

    :param process: the result of `new_process_name`
    """
    # A statement that locks nothing; on SQLite, the transaction would wait for other writers
    due = next_due(functions)
    if due is None or due > unix_now():
        return None
    columns = (Job.module, Job.name, Job.id, Job.arguments, Job.user, Job.attempts)
    sql, values = _waiting(functions, *columns).where(Job.due <= unix_now()).sql()
    with _unhurried():
        found = backend().read(backend().lock_rows(sql, skip_locked=True), values).fetchone()
        if found is None:
            return None
        module, name, identifier, arguments, user, attempts = found
        function, token = functions[f"{module}.{name}"], process + secrets.token_hex(8)
        claimed = Claimed(identifier, function, arguments, user, attempts + 1, token)
        # The row is locked, so it still waits
        Job.update(
            status=RUNNING, token=token, lease=unix_now() + function.lease, attempts=claimed.attempt,
            started=unix_now(), ended=None, done=None, total=None, text="",
        ).where(Job.id == identifier).execute()  # fmt: skip
    return claimed


def take_over(functions: Functions, ended: str = "") -> int:
    """Put back or give up the jobs whose processes have ended; return their number.

    :param ended: name of a process that has ended, from `new_process_name`; for other processes the lease must be over
    """
    ensure_connected()
    lost = Job.lease <= unix_now()
    if ended:
        lost |= Job.token.startswith(ended)
    columns = (Job.id, Job.module, Job.name, Job.attempts, Job.token)
    rows: Any = Job.select(*columns).where((Job.status == RUNNING) & lost).tuples()
    taken = 0
    for identifier, module, name, attempt, token in list(rows):
        called = f"{module}.{name}"
        # A function that isn't loaded may have further attempts
        attempts = functions[called].attempts if called in functions else attempt + 1
        pause = _pause(attempt, attempts, *AFTER_LOSS)
        error = f"the process ended while the job ran (attempt {attempt} of {attempts})"
        if _write(identifier, token, **_failed(error, pause)):
            taken += 1
            _log.error("job %d, %s: %s%s", identifier, called, error, ", given up" if pause is None else "")
    return taken


def _waiting(functions: Functions, *columns: Any) -> Any:
    """Return the query of the waiting job that is due first."""
    by_module = groupby(functions.values(), attrgetter("module"))
    known = ((Job.module == module) & Job.name.in_([each.name for each in some]) for module, some in by_module)
    return Job.select(*columns).where(Job.status == WAITING, reduce(or_, known)).order_by(Job.due, Job.id).limit(1)


def _pause(attempt: int, attempts: int, first: int, growth: int) -> int | None:
    """Return the seconds before the next attempt, varied by 10 % to spread jobs that failed together; None: no more."""
    pause = min(first * growth ** min(attempt - 1, 20), MAX_PAUSE_SECONDS)
    return max(1, round(pause * random.uniform(0.9, 1.1))) if attempt < attempts else None


def _failed(error: str, pause: int | None) -> dict[str, Any]:
    values = {"error": error[:MAX_ERROR_CHARS], "ended": unix_now()}
    return values | ({"status": GIVEN_UP} if pause is None else {"status": WAITING, "due": unix_now() + pause})


def _write(identifier: int, token: str, **values: Any) -> bool:
    """Change the row of a running job; return whether it had the token."""
    # PostgreSQL stores no NUL, and no database a lone surrogate
    values = {name: readable(value) if isinstance(value, str) else value for name, value in values.items()}
    held = (Job.id == identifier) & (Job.status == RUNNING) & (Job.token == token)
    with _unhurried():
        return bool(Job.update(**values).where(held).execute())


@contextmanager
def _unhurried() -> Iterator[None]:
    """A transaction that isn't recorded, and whose commit doesn't wait for the disk."""
    ensure_connected()
    with untracked_writes(), backend().synchronous_off(), transaction():
        if backend().asynchronous_commit:
            backend().run(backend().asynchronous_commit)
        yield
