"""Row rule of the company's bank accounts: external users see none."""

from __future__ import annotations

from core import Caller, Rows

from .models import BankAccount, BankLine, BankLink


def of_the_company(caller: Caller) -> Rows:
    """Return all rows for internal users; permissions decide what they may do."""
    return Rows.ALL if caller.socid is None else Rows.NONE


RULES = {BankAccount: of_the_company, BankLine: of_the_company, BankLink: of_the_company}
