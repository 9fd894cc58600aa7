"""Constants that hold masks, and which masks they may hold."""

from __future__ import annotations

from core import setting

from ..setup.constants import is_on
from .masks import Mask, parse

#: maximum characters of a reference of any kind
MAX_REFERENCE_CHARS = 30


def check_mask(name: str, text: str) -> None:
    """Check a mask: with an invalid one, no further reference could be assigned.

    :param name: the constant with the mask
    :raises ValueError: the mask is invalid: for example, it has no counter, or its references are too long
    """
    mask = company_mask(text)
    length = sum(part.width for part in mask.parts)
    if length > MAX_REFERENCE_CHARS:
        raise ValueError(f"expected a mask for references of at most {MAX_REFERENCE_CHARS} characters, got {length}")


def company_mask(text: str, *, grows: bool = False) -> Mask:
    """Parse a mask with the fiscal year and the shortest counter of the company's constants.

    :param grows: as in `parse`
    :raises MaskError: the mask is invalid
    """
    first_month = setting("SOCIETE_FISCAL_MONTH_START")
    return parse(text, first_month, short_counters=is_on("MAIN_COUNTER_WITH_LESS_3_DIGITS"), grows=grows)
