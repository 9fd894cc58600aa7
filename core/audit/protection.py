"""The protection of the audit trail: database triggers, with one exception for maintenance.

They reject updates and deletions of rows, and truncation of the table. `opened` allows both in one transaction; only
commands use it. A database administrator can always drop a trigger.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import peewee

from ..storage.database import backend, database, transaction
from .change import Change
from .recorder import Recorder

TABLE = "comptoir_audit"
#: the table that some databases have so that the trail can't be emptied
GUARD = f"{TABLE}_guard"
REFUSAL = "rows of the audit trail are neither changed nor deleted"

_log = logging.getLogger("comptoir.audit")


def missing() -> list[str]:
    """Return the triggers, and the guard, that the current database lacks, in order of creation."""
    present = backend().trigger_names(TABLE)
    wanted = (name for name in backend().append_only(TABLE, REFUSAL) if name not in present)
    return [name for name in wanted if not database.table_exists(name)]


def protect() -> None:
    """Create the missing triggers; call it with the schema lock held."""
    statements = backend().append_only(TABLE, REFUSAL)
    try:
        for name in missing():
            for sql in statements[name]:
                backend().run(sql)
    except peewee.OperationalError as error:
        if not backend().restricts_triggers:
            raise
        _log.error(
            "no triggers protect the audit trail: %s; grant TRIGGER on the database, set "
            "log_bin_trust_function_creators if it has a binary log, then restart",
            error,
        )


def record() -> None:
    """Start noting every change in the current database."""
    database.obj.recorder = Recorder()


@contextmanager
def opened() -> Iterator[None]:
    """Open a transaction that may change and delete rows of the trail; only for the audit commands."""
    with transaction(), backend().changes_allowed(TABLE, REFUSAL):
        yield


__all__ = ["GUARD", "REFUSAL", "TABLE", "Change", "missing", "opened", "protect", "record"]
