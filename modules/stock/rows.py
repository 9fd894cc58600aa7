"""Row rule of stock movements: external users see none, because labels contain references of others' orders."""

from __future__ import annotations

from core import Caller, Rows

from .models import StockMovement


def of_the_company(caller: Caller) -> Rows:
    """Return all rows for internal users, whose permissions decide the rest, and none for external users."""
    return Rows.ALL if caller.socid is None else Rows.NONE


RULES = {StockMovement: of_the_company}
