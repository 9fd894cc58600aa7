"""Row rule of the audit trail."""

from __future__ import annotations

from core import Caller, Rows
from core.for_natives import Change


def of_changes(caller: Caller) -> Rows:
    """Return no rows for external users, even if they have the permission."""
    return Rows.ALL if caller.socid is None else Rows.NONE


RULES = {Change: of_changes}
