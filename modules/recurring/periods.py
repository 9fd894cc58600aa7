"""Dates of recurring invoices, and the variables in their text.

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
    """Return the date of the next invoice.

    :param day: date of the last invoice
    :param frequency: number of units between two invoices, from 1
    :param unit: `DAYS`, `MONTHS` or `YEARS`
    :param day_of_month: day on which the plan began, so after 31 January and 28 February comes 31 March; 0: as `day`
    :raises OverflowError: the date is after the year 9999
    """
    if unit == DAYS:
        return day + timedelta(days=frequency)
    years, month = divmod(day.month - 1 + frequency * _MONTHS[unit], 12)
    if day.year + years > date.max.year:
        raise OverflowError("the next date is after the year 9999")
    return _in_month(day.year + years, month + 1, day_of_month or day.day)


def month_of(day: date, distance: int) -> date:
    """Return the first day of a month.

    :param distance: months after that of `day`; negative: before it
    """
    years, month = divmod(day.month - 1 + distance, 12)
    return date(min(max(day.year + years, date.min.year), date.max.year), month + 1, 1)


def _in_month(year: int, month: int, number: int) -> date:
    return date(year, month, min(number, monthrange(year, month)[1]))


_WORD = re.compile(r"__INVOICE_[A-Z]+(?:_[A-Z]+)*__")
#: variables for a month or year → its distance from that of the invoice
_PLACES = (("PREVIOUS_", -1), ("", 0), ("NEXT_", 1))


def period_words(day: date, following: date | None, counter: tuple[int, int], locale: Any) -> dict[str, str]:
    """Return the values of the variables in an invoice's text.

    :param day: date of the invoice
    :param following: date of the next invoice, if one is planned
    :param counter: number of the invoice, and the planned total; 0: unlimited
    :param locale: Babel locale, for the months
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
    """Replace the variables in a text by their values; unknown ones stay."""
    return _WORD.sub(lambda found: words.get(found[0], found[0]), text)
