"""The days of recurring invoices: which follows which.

Pure: nothing here reads the clock, the constants or the database.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta

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
