"""The bank account for payments: MAIN_BANK_IBAN, MAIN_BANK_BIC and MAIN_BANK_OWNER, validated before use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...setup.account_numbers import is_bic, is_iban, packed
from ...setup.constants import constant

IBAN, BIC = "MAIN_BANK_IBAN", "MAIN_BANK_BIC"


@dataclass(frozen=True)
class Account:
    """A bank account.

    :param owner: name of the account holder
    :param iban: a valid IBAN without spaces
    :param bic: a valid BIC without spaces, or empty
    """

    owner: str
    iban: str
    bic: str = ""

    @property
    def country(self) -> str:
        """Code of the country of the account."""
        return self.iban[:2]


def own_account(own: Mapping[str, Any]) -> Account | None:
    """Return the own company's account; None if no valid IBAN is set.

    :param own: the own company
    """
    iban, bic = packed(constant(IBAN)), packed(constant(BIC))
    if not is_iban(iban):
        return None
    return Account(constant("MAIN_BANK_OWNER").strip() or own["name"] or "", iban, bic if is_bic(bic) else "")


def check_iban(name: str, text: str) -> None:
    """Check the constant with the IBAN.

    :raises ValueError: it isn't an IBAN
    """
    if packed(text) and not is_iban(packed(text)):
        raise ValueError("expected an IBAN with a valid length and check digits, such as FR7630006000011234567890189")


def check_bic(name: str, text: str) -> None:
    """Check the constant with the BIC.

    :raises ValueError: it isn't a BIC
    """
    if packed(text) and not is_bic(packed(text)):
        raise ValueError("expected a BIC of 8 or 11 characters, such as AGRIFRPP")
