"""The account that is to be paid into: MAIN_BANK_IBAN and its neighbours, checked before any code names it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...setup.account_numbers import is_bic, is_iban, packed
from ...setup.constants import constant

IBAN, BIC = "MAIN_BANK_IBAN", "MAIN_BANK_BIC"


@dataclass(frozen=True)
class Account:
    """An account.

    :param owner: whose it is
    :param iban: without spaces; a sound one
    :param bic: without spaces; a sound one, or empty
    """

    owner: str
    iban: str
    bic: str = ""

    @property
    def country(self) -> str:
        """Code of the country the account is in."""
        return self.iban[:2]


def own_account(own: Mapping[str, Any]) -> Account | None:
    """The own company's account; None where no sound IBAN is set.

    :param own: the own company
    """
    iban, bic = packed(constant(IBAN)), packed(constant(BIC))
    if not is_iban(iban):
        return None
    return Account(constant("MAIN_BANK_OWNER").strip() or own["name"] or "", iban, bic if is_bic(bic) else "")


def account_fault(name: str, value: str) -> str:
    """What is wrong with the value of a constant of the account; empty: nothing, or it is none of them."""
    text = packed(value)
    if name == IBAN and text and not is_iban(text):
        return f"an IBAN with a valid length and check digits, such as FR7630006000011234567890189, got {value!r:.60}"
    if name == BIC and text and not is_bic(text):
        return f"a BIC of 8 or 11 characters, such as AGRIFRPP, got {value!r:.60}"
    return ""
