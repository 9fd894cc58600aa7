"""Row rules of users."""

from __future__ import annotations

from core import Caller, Rows

from .models import User


def of_users(caller: Caller) -> Rows:
    """Return all rows for internal users, and only their own for external users."""
    return Rows.ALL if caller.socid is None else Rows("{id} = ?", caller.id, seen="the user's own record")


RULES = {User: of_users}
