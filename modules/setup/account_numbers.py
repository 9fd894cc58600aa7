"""Checks of bank account numbers: IBAN, BIC and creditor identifier. Pure functions."""

from __future__ import annotations

import re
from functools import lru_cache

from stdnum import bic as bics
from stdnum import iban as ibans
from stdnum.eu import at_02
from stdnum.exceptions import ValidationError

_SHAPE = re.compile("[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
_CREDITOR = re.compile("[A-Z]{2}[0-9]{2}[A-Z0-9]{3}[A-Z0-9]{1,28}")


@lru_cache(maxsize=64)
def is_iban(text: str) -> bool:
    """Return whether a text is an IBAN: known country, its length and form, right check digits."""
    if not _SHAPE.fullmatch(text):
        return False
    try:
        ibans.validate(text)
    except ValidationError:
        return False
    return True


def is_bic(text: str) -> bool:
    """Return whether a text has the form of a BIC (ISO 9362): 8 or 11 characters."""
    return text.isascii() and bool(bics.is_valid(text))


def is_creditor_identifier(text: str) -> bool:
    """Return whether a text is a creditor identifier of direct debits (EPC AT-02) with the right check digits."""
    return bool(_CREDITOR.fullmatch(text)) and bool(at_02.is_valid(text))


def packed(text: str) -> str:
    """Return a number without blanks, in capitals."""
    return "".join(text.split()).upper()


def in_fours(text: str) -> str:
    """Return a number in groups of four characters, separated by blanks."""
    return " ".join(text[place : place + 4] for place in range(0, len(text), 4))


def clean_iban(text: str) -> str | None:
    """Return the IBAN to store; None for an empty text.

    :raises ValueError: the text is not an IBAN
    """
    number = packed(text)
    if number and not is_iban(number):
        raise ValueError("expected an IBAN with a valid length and check digits, such as FR7630006000011234567890189")
    return number or None


def clean_bic(text: str) -> str | None:
    """Return the BIC to store; None for an empty text.

    :raises ValueError: the text is not a BIC
    """
    code = packed(text)
    if code and not is_bic(code):
        raise ValueError("expected a BIC of 8 or 11 characters, such as AGRIFRPP")
    return code or None
