"""The protection of the audit trail: database triggers, with one exception for maintenance, which is also here.

They reject updates and deletions of rows, and truncation of the table. `opened` allows both in one transaction; only
commands use it. A database administrator can always drop a trigger.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import peewee

from ..access.accounts import Account
from ..storage.database import backend, database, transaction
from ..storage.model import Model, meta_of
from .change import Change
from .recorder import Recorder, note_event

TABLE = "comptoir_audit"
#: the table that some databases have so that the trail can't be emptied
GUARD = f"{TABLE}_guard"
REFUSAL = "rows of the audit trail are neither changed nor deleted"
#: rows that one transaction of `prune_trail` deletes
PORTION = 2000
#: columns of a row that identify a person
_NAMING = {Change.login: "", Change.address: ""}

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


# Maintenance ----------------------------------------------------------------------------------------------------------


def prune_trail(before: datetime, progress: Callable[[int, int], None] = lambda done, all: None) -> int:
    """Delete rows older than an instant, in portions, and return how many. The trail records it.

    :param before: UTC
    """
    limit = int(before.replace(tzinfo=UTC).timestamp() * 1000)
    if limit > time.time() * 1000:
        raise ValueError(f"expected a time in the past, got {before:%Y-%m-%d %H:%M} UTC")
    old = Change.moment < limit
    everything, done = Change.select().where(old).count(), 0
    while True:
        rows = [row.id for row in Change.select(Change.id).where(old).order_by(Change.moment).limit(PORTION)]
        with opened():
            done += Change.delete().where(Change.id.in_(rows)).execute() if rows else 0
            if len(rows) < PORTION:
                note_event("pruned", Change, rows=done, before=int(before.replace(tzinfo=UTC).timestamp()))
                return done
        progress(done, everything)


def erase_trail(model: type[Model], identifier: Any) -> int:
    """Erase the values of a record and its parts from the trail, and return the number of rows.

    Time, user and operation stay. For a user, the login and the addresses are also erased. The trail records it.

    :param model: the record's model
    """
    table, key = meta_of(model).table_name, str(identifier)
    its_own = (Change.subject_element == table) & (Change.subject == key)
    with opened():
        erased: int = Change.update(before=None, after=None).where(its_own).execute()
        if table == meta_of(Account).table_name:
            Change.update(_NAMING).where(Change.user_id == identifier).execute()
        note_event("erased", model, identifier, rows=erased)
    return erased
