"""Deleting old rows of the audit trail, and erasing personal data from it."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from ..access.accounts import Account
from ..storage.model import Model, meta_of
from .change import Change
from .events import note_event
from .protection import opened

#: rows that one transaction deletes
PORTION = 2000
#: columns of a row that identify a person
_NAMING = {Change.login: "", Change.address: ""}


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
