"""The queue: jobs are enqueued in the transaction that causes them, run again, and removed."""

from __future__ import annotations

from typing import Any

from ..access.callers import current_caller, current_user_id
from ..common.background import current_background
from ..common.clock import now
from ..storage.bookkeeping import uncounted
from ..storage.database import after_commit, close, database, ensure_connected, query
from .arguments import as_json
from .table import DONE, GIVEN_UP, RUNNING, STATUS_NAMES, WAITING, Job
from .wake import ring

#: seconds for which a job that is done is kept: long enough to be looked at after a weekend
KEPT = 7 * 86_400
#: the same of one that a schedule has given up: its next moments have come. Others stay until somebody sees to them
GIVEN_UP_KEPT = 30 * 86_400
#: rows that one statement removes
_PORTION = 500

#: the last moment of a schedule stays: it says up to where it has fired
_OLD = """
    SELECT rowid FROM comptoir_job AS old WHERE ended <= ? AND status = ? AND (moment IS NULL AND status = ? OR EXISTS
    (SELECT 1 FROM comptoir_job AS newer WHERE newer.module = old.module AND newer.name = old.name
    AND newer.moment > old.moment)) LIMIT ?"""


def enqueue(module: str, name: str, arguments: dict[str, Any], due: int) -> int:
    """Put a job in, in the transaction around; answers its identifier."""
    text = as_json(arguments, name) if arguments else "{}"
    background = current_background()
    user = background.user if background is not None else current_user_id()
    caller = current_caller()
    key = caller.key_id if caller is not None else None
    ensure_connected()
    with uncounted():
        values = {"module": module, "name": name, "arguments": text, "user": user, "key": key, "due": due}
        made = Job.insert(**values, created=now()).execute()
    after_commit(ring)
    return int(made)


def run_job_again(identifier: int) -> bool:
    """Have a job run once more, as soon as may be, with all of its attempts; answers whether there is such.

    It was given up, is done, or has failed and waits for its next attempt, which is hurried.
    """
    failed = (Job.status == WAITING) & Job.error.is_null(False)
    changed = Job.update(status=WAITING, due=now(), attempts=0, token="", lease=None, error=None, ended=None).where(
        (Job.id == identifier) & (Job.status.in_((GIVEN_UP, DONE)) | failed)
    )
    with uncounted():
        ensure_connected()
        done = bool(changed.execute())
    after_commit(ring)
    return done


def forget_job(identifier: int) -> bool:
    """Remove a job that is not being run; answers whether there was such."""
    removed = Job.delete().where((Job.id == identifier) & (Job.status != RUNNING))
    with uncounted():
        ensure_connected()
        return bool(removed.execute())


def forget_jobs(status: int, module: str = "", name: str = "") -> int:
    """Remove all jobs of a status; answers how many that were.

    :param status: of `Job.status`, but RUNNING
    :param module: only those of this module
    :param name: only those of this function
    """
    wanted = (Job.status == status) & (Job.status != RUNNING)
    if module:
        wanted &= Job.module == module
    if name:
        wanted &= Job.name == name
    with uncounted():
        ensure_connected()
        return int(Job.delete().where(wanted).execute())


def forget_jobs_of(user: int) -> None:
    """Remove the jobs that a user has caused, inside a transaction; one that is being run ends first, and stays."""
    with uncounted():
        Job.delete().where((Job.user == user) & (Job.status != RUNNING)).execute()


def forget_old_jobs() -> int:
    """Remove what has been kept long enough; answers how many that were."""
    ensure_connected()
    removed = 0
    for status, kept in ((DONE, KEPT), (GIVEN_UP, GIVEN_UP_KEPT)):
        while True:
            rows = query(_OLD, (now() - kept, status, DONE, _PORTION))
            if rows:
                # By identifier: a range would lock what others are about to write
                with uncounted():
                    old = Job.id.in_([identifier for (identifier,) in rows]) & (Job.status == status)
                    removed += int(Job.delete().where(old).execute())
            if len(rows) < _PORTION:
                break
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
