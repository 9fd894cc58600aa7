"""Row rule of jobs."""

from __future__ import annotations

from core import Caller, Rows
from core.for_natives import Job


def of_jobs(caller: Caller) -> Rows:
    """Return all jobs for internal users with permission to read jobs, else the user's own jobs.

    Otherwise, a key restricted to certain permissions sees only the jobs that it created, because it can't see the work
    of its user's other keys. External users never see jobs of others, even with the permission.
    """
    if caller.socid is None and caller.holds("jobs.read"):
        return Rows.ALL
    if caller.restriction.rights is None:
        return Rows("{user} = ?", caller.id, seen="the user's own jobs; the permission jobs.read shows all")
    return Rows("{user} = ? AND {key} = ?", caller.id, caller.key_id, seen="the jobs that this key created")


RULES = {Job: of_jobs}
