"""Who sees which users."""

from __future__ import annotations

from core import ALL_ROWS, Caller, Rows

from .models import User


def of_users(caller: Caller) -> Rows:
    """An external user sees nobody else."""
    return ALL_ROWS if caller.socid is None else Rows("{id} = ?", caller.id)


RULES = {User: of_users}
