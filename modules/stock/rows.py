"""Who sees movements of goods: no external user. Their words name orders of others."""

from __future__ import annotations

from core import ALL_ROWS, NO_ROWS, Caller, Rows

from .models import StockMovement


def of_the_company(caller: Caller) -> Rows:
    """Internal users; what they may do is said by rights."""
    return ALL_ROWS if caller.socid is None else NO_ROWS


RULES = {StockMovement: of_the_company}
