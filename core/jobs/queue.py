"""The queue: jobs are enqueued in the transaction that causes them, run again, and removed."""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime, time
from typing import Any

from ..access.callers import current_caller, current_user_id
from ..common.clock import unix_now
from ..common.request_state import current_background
from ..common.settings import settings
from ..common.wakeup import wake
from ..storage.database import after_commit, close, database, ensure_connected, query, untracked_writes
from .table import DONE, GIVEN_UP, RUNNING, STATUS_NAMES, WAITING, Job

#: seconds for which a finished job is kept, for inspection
KEPT_SECONDS = 7 * 86_400
#: the same for a scheduled job that was given up. Other jobs that were given up stay until an operator removes them
GIVEN_UP_KEPT_SECONDS = 30 * 86_400
#: rows that one statement removes
_PORTION = 500

#: old jobs; the last job of a schedule stays, because it records up to which time the schedule has fired
_OLD = f"""
    SELECT rowid FROM comptoir_job AS old WHERE ended <= ? AND (status = {DONE} AND moment IS NULL OR (
    status = {DONE} OR status = {GIVEN_UP} AND ended <= ?) AND EXISTS (SELECT 1 FROM comptoir_job AS newer
    WHERE newer.module = old.module AND newer.name = old.name AND newer.moment > old.moment)) LIMIT {_PORTION}"""

#: characters of a job's arguments and of its result, as JSON
MAX_JSON_CHARS = 16_000
#: the end of the year 9999
_MAX_SECONDS = 253_402_300_799


def enqueue(module: str, name: str, arguments: dict[str, Any], due: int) -> int:
    """Enqueue a job in the current transaction; return its ID."""
    text = as_json(arguments, name) if arguments else "{}"
    background, caller = current_background(), current_caller()
    user = background.user if background is not None else current_user_id()
    key = caller.key_id if caller is not None else None
    values = {"module": module, "name": name, "arguments": text, "user": user, "key": key, "due": due}
    made = _write(Job.insert(**values, created=unix_now()))
    after_commit(wake)
    return made


def _write(statement: Any) -> int:
    """Run a statement that writes jobs; return the ID of the new one, or the number of changed ones."""
    ensure_connected()
    with untracked_writes():
        return int(statement.execute())


def run_job_again(identifier: int) -> bool:
    """Run a job again now, with all of its attempts; return whether it exists.

    It was given up, is done, or has failed and waits for its next attempt, which is brought forward.
    """
    failed = (Job.status == WAITING) & Job.error.is_null(False)
    changed = Job.update(
        status=WAITING, due=unix_now(), attempts=0, token="", lease=None, error=None, ended=None
    ).where((Job.id == identifier) & (Job.status.in_((GIVEN_UP, DONE)) | failed))
    done = bool(_write(changed))
    after_commit(wake)
    return done


def forget_job(identifier: int) -> bool:
    """Remove a job that isn't running; return whether one was removed."""
    return bool(forget_jobs(Job.id == identifier))


def forget_jobs_of(user: int) -> None:
    """Remove the jobs that a user has caused, inside a transaction; running jobs continue and stay."""
    forget_jobs(Job.user == user)


def forget_jobs(*conditions: Any) -> int:
    """Remove the jobs that meet all conditions and don't run; return their number."""
    return _write(Job.delete().where(Job.status != RUNNING, *conditions))


def forget_old_jobs() -> int:
    """Remove jobs whose retention time is over; return their number."""
    ensure_connected()
    removed = 0
    while rows := query(_OLD, (unix_now() - KEPT_SECONDS, unix_now() - GIVEN_UP_KEPT_SECONDS)):
        # By ID: a range would lock rows that other processes are about to write
        old = Job.id.in_([identifier for (identifier,) in rows])
        removed += forget_jobs(old, Job.status.in_((DONE, GIVEN_UP)))
    return removed


def count_jobs() -> dict[str, int]:
    """Return the number of jobs in each state but done; empty without a database."""
    opened = database.obj
    if opened is None:
        return {}
    # A thread without a connection of its own keeps none
    borrowed = opened.is_closed()
    try:
        # One statement for each state: the index returns it without reading those that are done
        statement = "SELECT COUNT(*) FROM comptoir_job WHERE status = ?"
        states = [(number, name) for number, name in STATUS_NAMES.items() if number != DONE]
        return {name: int(query(statement, (number,))[0][0]) for number, name in states}
    finally:
        if borrowed:
            close()


# Arguments ------------------------------------------------------------------------------------------------------------


def as_json(value: Any, called: str) -> str:
    """Return a value as JSON, if reading the JSON returns the same value.

    :param called: what it is called in the error
    :raises TypeError: the value contains something other than plain data
    :raises ValueError: the value is too long or contains NaN or infinity
    """
    _ensure_plain(value, called)
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    if len(text) > MAX_JSON_CHARS:
        raise ValueError(
            f"{called}: expected at most {MAX_JSON_CHARS} characters as JSON, got {len(text)}; keep the data in a "
            "table and pass its ID"
        )
    return text


def _ensure_plain(value: Any, called: str, depth: int = 0) -> None:
    if isinstance(value, dict):
        for key, each in value.items():
            if not isinstance(key, str):
                raise TypeError(f"{called}: expected only text as dict keys, got {key!r}")
            _ensure_plain(each, f"{called}.{key}", depth + 1)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            _ensure_plain(each, f"{called}[{number}]", depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{called}: expected a number that JSON can hold, got {value}")
    elif value is not None and not isinstance(value, (bool, int, float, str)):
        raise TypeError(
            f"{called}: expected None, bool, int, float, str, or a list or dict of them, got {type(value).__name__}; "
            "pass the ID of a record, and amounts and days as text"
        )
    if depth > 30:
        raise ValueError(f"{called}: expected at most 30 levels of nesting, got more")


def due_of(at: datetime | date | float | None) -> int:
    """The Unix seconds of a moment.

    :param at: an instant (without a zone: in UTC, as `now` returns it), a day (its beginning in the company's time
        zone), Unix seconds, or None: now
    :raises TypeError: the value has another type
    :raises ValueError: it is beyond the year 9999
    """
    if at is None:
        return unix_now()
    if isinstance(at, datetime):
        seconds = (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    elif isinstance(at, date):
        seconds = datetime.combine(at, time(), settings().zone).timestamp()
    elif isinstance(at, (int, float)) and not isinstance(at, bool):
        seconds = at
    else:
        raise TypeError(f"at: expected a datetime, a date, Unix seconds or None, got {type(at).__name__}")
    if not -_MAX_SECONDS < seconds <= _MAX_SECONDS:
        raise ValueError(f"at: expected a time before the year 10000 (Unix seconds, not milliseconds), got {at!r}")
    return math.ceil(seconds)
