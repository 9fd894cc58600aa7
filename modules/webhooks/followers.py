"""Followers of the events: users who read the changes, and owners of webhooks.

After a deletion, the users who could see the record are unknown, so they are noted before.
"""

from __future__ import annotations

import logging
import threading
from datetime import timedelta
from typing import Any

import peewee

from core import ApiError, acting_as, current_caller, query, read_record, readable, setting, today
from core.for_natives import is_news

from .feed import Seen
from .models import Follower
from .patterns import matches, stored_patterns

#: days without a request after which a user no longer follows, at least
FOLLOWED_DAYS = 30
#: noted records that a thread keeps from one transaction to the next: those of refused deletions would pile up
_MOST_NOTED = 1000

_log = logging.getLogger("comptoir.webhooks")


class _Noted(threading.local):
    """The records that this thread is about to delete: service and ID → the users who may see it."""

    def __init__(self) -> None:
        self.records: dict[tuple[str, int | None], Seen] = {}


_noted = _Noted()


def follow() -> None:
    """Note that the caller reads the changes; once a day."""
    caller = current_caller()
    # Administrators see everything
    if caller is None or not caller.id or caller.oversees:
        return
    rows = query("SELECT last_use FROM comptoir_event_follower WHERE fk_user = ?", (caller.id,))
    if not rows:
        Follower.insert(user=caller.id, last_use=today()).on_conflict_ignore().execute()
    elif str(rows[0][0]) < str(today()):
        Follower.update(last_use=today()).where(Follower.user == caller.id).execute()


def forget_followers() -> None:
    """Forget the users whose last cursor has expired."""
    days = max(FOLLOWED_DAYS, setting("webhooks.days")) + 1
    Follower.delete().where(Follower.last_use < today() - timedelta(days=days)).execute()


def note_readers(service: str, record: int) -> None:
    """Note the users who may see a record that is about to be deleted."""
    rows = query("SELECT fk_user, events FROM comptoir_webhook")
    owners = {user for user, events in rows if matches(stored_patterns(events), service, "deleted")}
    readers = {user for (user,) in query("SELECT fk_user FROM comptoir_event_follower")}
    seen: dict[int, Any] = {}
    for user in sorted(owners | readers):
        try:
            with acting_as(user):
                if user in owners:
                    seen[user] = read_record(service, record)
                elif readable(service, [record]):
                    seen[user] = None
        except peewee.PeeweeException:
            raise
        except Exception as error:  # noqa: BLE001 - the code of the service may raise anything
            # Without the permission, or disabled. If the service can't show the record, it is deleted anyway
            expected = isinstance(error, ApiError) and error.status in (401, 403, 404)
            reason = error.message if isinstance(error, ApiError) else type(error).__name__
            if not expected and is_news(reason):
                _log.warning("%s %s is deleted; webhooks don't send it: %s", service, record, reason)
    noted = _noted.records
    noted.pop((service, record), None)
    # Those of an open transaction are needed at its commit
    if len(noted) >= _MOST_NOTED and not Follower._meta.database.in_transaction():
        _noted.records = noted = dict([*noted.items()][1 - _MOST_NOTED :])
    noted[service, record] = seen


def noted_readers(service: str, record: int | None) -> Seen:
    """Return the users who could see a record that this thread has deleted."""
    return _noted.records.pop((service, record), {})
