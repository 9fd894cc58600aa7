"""Payment terms: the day by which an invoice is to be paid.

Pure: nothing here reads the clock, the constants or the database.
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

from core import BadRequest

__all__ = ["Term", "due_date"]

END_OF_MONTH = 1
DAY_OF_MONTH = 2


@dataclass(frozen=True)
class Term:
    """A payment term.

    :param type_cdr: 1: due at the end of the month; 2: on a day of the month; other: after a number of days
    :param days: days after the invoice date
    :param shift: further days; in type 2 the day of the month: 31 is the last day of a shorter month
    """

    type_cdr: int
    days: int
    shift: int = 0


def due_date(day: date, term: Term | None) -> date:
    """Return the day by which an invoice of that day is due; the same day without a term.

    Type 2 counts the days first, then takes the next such day of a month, always a later one. With a shift below 1, the
    due day is `days` after the invoice date.

    :raises BadRequest: the due day is outside the years 1 to 9999
    """
    if term is None:
        return day
    try:
        reached = day + timedelta(days=term.days)
        if term.type_cdr == DAY_OF_MONTH:
            return _next_day_of_month(reached, term.shift) if term.shift > 0 else reached
        if term.type_cdr == END_OF_MONTH:
            reached = _in_month(reached.year, reached.month, 31)
        return reached + timedelta(days=term.shift)
    except (OverflowError, ValueError) as error:
        raise BadRequest("the due date is outside the years 1 to 9999; change the date or the payment terms") from error


def _next_day_of_month(after: date, number: int) -> date:
    found = _in_month(after.year, after.month, number)
    if found > after:
        return found
    years, month = divmod(after.month, 12)
    return _in_month(after.year + years, month + 1, number)


def _in_month(year: int, month: int, number: int) -> date:
    return date(year, month, min(number, monthrange(year, month)[1]))
