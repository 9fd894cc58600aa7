"""Who sees which jobs."""

from __future__ import annotations

from core import ALL_ROWS, Caller, Job, Rows


def of_jobs(caller: Caller) -> Rows:
    """Whoever may read jobs sees all of them, everybody else their own.

    A key that opens only some rights has seen nothing of what its user's other keys have told to be done, so it sees
    its own jobs. No external user sees those of others, whatever their rights.
    """
    if caller.socid is None and caller.holds("jobs.read"):
        return ALL_ROWS
    if caller.restriction.rights is None:
        return Rows("{user} = ?", caller.id)
    return Rows("{user} = ? AND {key} = ?", caller.id, caller.key_id)


RULES = {Job: of_jobs}
