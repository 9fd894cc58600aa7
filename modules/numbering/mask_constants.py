"""Constants that hold masks, and which masks they may hold."""

from __future__ import annotations

import re
from datetime import date

from core import wrong_fields

from .counters import company_context
from .masks import MaskError, parse

#: such as PROPALE_SAPHIR_MASK and FACTURE_MERCURE_MASK_INVOICE
_MASK = re.compile(r"\w+_MASK(_[A-Z]+)?")
#: characters of a reference at the most, whatever is numbered
LONGEST_REFERENCE = 30


def is_mask(name: str) -> bool:
    """Whether a constant holds a mask, as its name says."""
    return _MASK.fullmatch(name) is not None


def check_mask(name: str, text: str) -> None:
    """Refuse a mask that no reference can be made of.

    :param name: the constant that is to hold it
    :raises BadRequest: it has no counter, say, or makes references that are too long
    """
    context = company_context(date.min)
    try:
        mask = parse(text, context.fiscal_month, short_counters=context.short_counters)
    except MaskError as error:
        raise wrong_fields([("value", f"{name}: {error}")]) from error
    length = sum(part.width for part in mask.parts)
    if length > LONGEST_REFERENCE:
        reason = f"expected a mask for references of at most {LONGEST_REFERENCE} characters, got {length}"
        raise wrong_fields([("value", f"{name}: {reason}")])
