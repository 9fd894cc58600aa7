"""Direct debits: the mandate of a third party's default account, and the company's creditor identifier."""

from __future__ import annotations

from dataclasses import dataclass

from ..setup.account_numbers import is_creditor_identifier, packed
from ..setup.constants import constant
from .thirdparty_accounts import thirdparty_accounts

#: the constant with the company's creditor identifier
CREDITOR = "PRELEVEMENT_ICS"


@dataclass(frozen=True)
class DirectDebit:
    """How an amount is debited from a third party's account.

    :ivar mandate: reference of the mandate; empty: none
    :ivar creditor: the company's creditor identifier; empty: none
    :ivar iban: the account that is debited, without blanks; empty: none
    """

    mandate: str
    creditor: str
    iban: str


def direct_debit(thirdparty: int) -> DirectDebit:
    """Return how an amount is debited from the default account of a third party."""
    row = thirdparty_accounts.default_of(thirdparty)
    mandate, iban = (row.rum or "", row.iban or "") if row is not None and row.iban else ("", "")
    return DirectDebit(mandate, creditor_identifier(), iban)


def creditor_identifier() -> str:
    """Return the company's creditor identifier; empty if it is not set, or invalid."""
    found = packed(constant(CREDITOR))
    return found if is_creditor_identifier(found) else ""
