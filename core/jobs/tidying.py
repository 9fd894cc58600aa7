"""Removing jobs that nobody asks for any more."""

from __future__ import annotations

from ..common.clock import now
from ..storage.bookkeeping import uncounted
from ..storage.database import ensure_connected, query
from .table import DONE, GIVEN_UP, Job

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
