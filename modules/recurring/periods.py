"""The days of recurring invoices: which follows which.

Pure: nothing here reads the clock, the constants or the database.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

DAYS, MONTHS, YEARS = "d", "m", "y"
_MONTHS = {MONTHS: 1, YEARS: 12}


def following(day: date, frequency: int, unit: str, day_of_month: int = 0) -> date:
    """The day of the next invoice.

    :param day: that of the last one
    :param frequency: how many units lie between two of them, from 1 on
    :param unit: `DAYS`, `MONTHS` or `YEARS`
    :param day_of_month: where the plan began, so that behind 31 January and 28 February comes 31 March; 0: at `day`
    :raises OverflowError: it lies behind the year 9999
    """
    if unit == DAYS:
        return day + timedelta(days=frequency)
    years, month = divmod(day.month - 1 + frequency * _MONTHS[unit], 12)
    if day.year + years > date.max.year:
        raise OverflowError("the next date is after the year 9999")
    return _in_month(day.year + years, month + 1, day_of_month or day.day)


def month_of(day: date, distance: int) -> date:
    """The first day of a month.

    :param distance: months from the one of `day`; below 0 before it
    """
    years, month = divmod(day.month - 1 + distance, 12)
    return date(min(max(day.year + years, date.min.year), date.max.year), month + 1, 1)


def _in_month(year: int, month: int, number: int) -> date:
    return date(year, month, min(number, monthrange(year, month)[1]))


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
