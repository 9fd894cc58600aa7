"""The queue: jobs are put in with the change that causes them, run once more, removed."""

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
