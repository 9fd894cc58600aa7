"""Who sees the company's own accounts: no external user."""

from __future__ import annotations

from core import ALL_ROWS, NO_ROWS, Caller, Rows

from .models import BankAccount, BankLine, BankLink


def of_the_company(caller: Caller) -> Rows:
    """Internal users; what they may do is said by rights."""
    return ALL_ROWS if caller.socid is None else NO_ROWS


RULES = {BankAccount: of_the_company, BankLine: of_the_company, BankLink: of_the_company}
