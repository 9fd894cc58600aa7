"""Constants that hold masks, and which masks they may hold."""

from __future__ import annotations

import re

from core import BadRequest

from ..setup.constants import constant, is_on
from .masks import Mask, MaskError, parse

#: such as PROPALE_SAPHIR_MASK and FACTURE_MERCURE_MASK_INVOICE
_MASK = re.compile(r"\w+_MASK(_[A-Z]+)?")
#: maximum characters of a reference of any kind
LONGEST_REFERENCE = 30


def is_mask(name: str) -> bool:
    """Return whether a constant's name is that of a mask."""
    return _MASK.fullmatch(name) is not None


def check_mask(name: str, text: str) -> None:
    """Reject a mask that can't produce references.

    :param name: the constant with the mask
    :raises BadRequest: the mask is invalid: for example, it has no counter, or its references are too long
    """
    try:
        mask = company_mask(text)
    except MaskError as error:
        raise BadRequest(errors=[("value", f"{name}: {error}")]) from error
    length = sum(part.width for part in mask.parts)
    if length > LONGEST_REFERENCE:
        reason = f"expected a mask for references of at most {LONGEST_REFERENCE} characters, got {length}"
        raise BadRequest(errors=[("value", f"{name}: {reason}")])


def company_mask(text: str, *, grows: bool = False) -> Mask:
    """Parse a mask with the fiscal year and the shortest counter of the company's constants.

    :param grows: as in `parse`
    :raises MaskError: the mask is invalid
    """
    month = constant("SOCIETE_FISCAL_MONTH_START", "1").strip()
    fiscal_month = int(month) if month in map(str, range(1, 13)) else 1
    return parse(text, fiscal_month, short_counters=is_on("MAIN_COUNTER_WITH_LESS_3_DIGITS"), grows=grows)
