"""Row rule of stock movements: external users see none, because labels contain references of others' orders."""

from __future__ import annotations

from core import ALL_ROWS, NO_ROWS, Caller, Rows

from .models import StockMovement


def of_the_company(caller: Caller) -> Rows:
    """Return all rows for internal users, whose permissions decide the rest, and none for external users."""
    return ALL_ROWS if caller.socid is None else NO_ROWS


RULES = {StockMovement: of_the_company}
