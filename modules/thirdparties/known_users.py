"""What of a user may be told where another record names one: who may not read users learns the name alone."""

from __future__ import annotations

from core import current_caller

#: a user as a representative is shown
FULLY = ("id", "entity", "login", "lastname", "firstname", "email", "statut")
BY_NAME = ("id", "lastname", "firstname")


def reads_users() -> bool:
    """Whether the caller may be told login, e-mail address and state of users. An external user sees no other user."""
    caller = current_caller()
    return caller is None or (caller.socid is None and caller.holds("users.read"))


def shown_of_users() -> tuple[str, ...]:
    """The keys of a user that the caller may be told."""
    return FULLY if reads_users() else BY_NAME
