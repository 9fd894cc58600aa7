"""Words of a template that each invoice says in its own way, such as ``__INVOICE_PREVIOUS_MONTH_TEXT__``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from .periods import month_of

_WORD = re.compile(r"__INVOICE_[A-Z]+(?:_[A-Z]+)*__")
#: which month, or year, is meant: how many away from that of the invoice
_PLACES = (("PREVIOUS_", -1), ("", 0), ("NEXT_", 1))


def period_words(day: date, following: date | None, counter: tuple[int, int], locale: Any) -> dict[str, str]:
    """What the words stand for in an invoice.

    :param day: that of the invoice
    :param following: that of the next one, if one is planned
    :param counter: which one it is, and of how many; 0: without end
    :param locale: Babel's, which names the months
    """
    found = {
        "__INVOICE_DATE_NEXT_INVOICE_BEFORE_GEN__": day.isoformat(),
        "__INVOICE_DATE_NEXT_INVOICE_AFTER_GEN__": following.isoformat() if following else "",
        "__INVOICE_COUNTER_CURRENT__": str(counter[0]),
        "__INVOICE_COUNTER_MAX__": str(counter[1]),
    }
    for place, distance in _PLACES:
        month = month_of(day, distance)
        found[f"__INVOICE_{place}MONTH__"] = f"{month.month:02}"
        found[f"__INVOICE_{place}MONTH_TEXT__"] = locale.months["stand-alone"]["wide"][month.month]
        found[f"__INVOICE_{place}YEAR__"] = str(day.year + distance)
    return found


def reworded(text: str, words: Mapping[str, str]) -> str:
    """A text with what its words stand for; what is no word of these stays as it is."""
    return _WORD.sub(lambda found: words.get(found[0], found[0]), text)
