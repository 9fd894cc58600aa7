"""Row rule of the audit trail."""

from __future__ import annotations

from core import ALL_ROWS, NO_ROWS, Caller, Change, Rows


def of_changes(caller: Caller) -> Rows:
    """Return no rows for external users, even if they have the permission."""
    return ALL_ROWS if caller.socid is None else NO_ROWS


RULES = {Change: of_changes}
