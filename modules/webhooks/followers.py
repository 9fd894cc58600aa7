"""Followers of the events: users who read the changes, and owners of webhooks.

After a deletion, the users who could see the record are unknown, so they are noted before.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from core import ApiError, Unauthorized, acting_as, current_caller, query, read_record, readable, today

from .feed import store_deletion
from .models import Follower
from .patterns import matches, stored_patterns

#: days without a request after which a user no longer follows
FOLLOWED_DAYS = 30


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
    """Forget the users who haven't read the changes for a while."""
    Follower.delete().where(Follower.last_use < today() - timedelta(days=FOLLOWED_DAYS)).execute()


def keep_deletion(service: str, record: int) -> None:
    """Store the event of a record that is about to be deleted, with those who may see it."""
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
        except ApiError as error:
            # Without the permission, or disabled; a service that is broken now shows nothing either
            if not isinstance(error, Unauthorized) and error.status not in (404, 501):
                raise
    store_deletion(service, record, seen)
