"""Fields of a user that other records may show: only the name if the caller may not read users."""

from __future__ import annotations

from core import current_caller

#: fields of a user who is shown as a representative
FULLY = ("id", "entity", "login", "lastname", "firstname", "email", "statut")
BY_NAME = ("id", "lastname", "firstname")


def reads_users() -> bool:
    """Return whether the caller may see login, e-mail address and state of users; external users may not."""
    caller = current_caller()
    return caller is None or (caller.socid is None and caller.holds("users.read"))


def shown_of_users() -> tuple[str, ...]:
    """Return the keys of a user that the caller may see."""
    return FULLY if reads_users() else BY_NAME
