"""Due dates from payment terms."""

from calendar import monthrange
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import BadRequest
from modules.commercial.terms import Term, due_date

DAYS, END_OF_MONTH, DAY_OF_MONTH = 0, 1, 2


@pytest.mark.parametrize(
    ("term", "due"),
    [
        (Term(DAYS, 1), "2026-11-22"),
        (Term(DAYS, 30), "2026-12-21"),
        (Term(END_OF_MONTH, 30), "2026-12-31"),
        (Term(DAYS, 60), "2027-01-20"),
        (Term(END_OF_MONTH, 60), "2027-01-31"),
        (None, "2026-11-21"),
    ],
    ids=["RECEP", "30D", "30DENDMONTH", "60D", "60DENDMONTH", "none"],
)
def test_observed(term, due):
    assert due_date(date(2026, 11, 21), term) == date.fromisoformat(due)


@pytest.mark.parametrize(
    ("day", "term", "due"),
    [
        ("2026-11-21", Term(DAYS, 0), "2026-11-21"),
        ("2026-11-21", Term(DAYS, 30, 5), "2026-12-26"),
        ("2026-11-21", Term(DAYS, 0, -1), "2026-11-20"),
        ("2024-02-28", Term(DAYS, 1), "2024-02-29"),
        ("2026-02-28", Term(DAYS, 1), "2026-03-01"),
        ("2026-12-31", Term(DAYS, 1), "2027-01-01"),
        ("2026-11-30", Term(END_OF_MONTH, 0), "2026-11-30"),
        ("2026-11-01", Term(END_OF_MONTH, 0), "2026-11-30"),
        ("2026-11-21", Term(END_OF_MONTH, 30, 10), "2027-01-10"),
        ("2024-01-31", Term(END_OF_MONTH, 1), "2024-02-29"),
        ("2026-01-31", Term(END_OF_MONTH, 1), "2026-02-28"),
        ("2100-02-01", Term(END_OF_MONTH, 0), "2100-02-28"),
        ("2026-12-01", Term(END_OF_MONTH, 0), "2026-12-31"),
        ("2026-11-09", Term(DAY_OF_MONTH, 0, 10), "2026-11-10"),
        ("2026-11-21", Term(DAY_OF_MONTH, 0, 10), "2026-12-10"),
        ("2026-11-21", Term(DAY_OF_MONTH, 30, 10), "2027-01-10"),
        ("2026-11-21", Term(DAY_OF_MONTH, 30, 25), "2026-12-25"),
    ],
)
def test_by_the_calendar(day, term, due):
    assert due_date(date.fromisoformat(day), term) == date.fromisoformat(due)


@pytest.mark.parametrize(
    ("day", "term", "due"),
    [
        # the day itself is not after itself
        ("2026-11-10", Term(DAY_OF_MONTH, 0, 10), "2026-12-10"),
        ("2026-02-28", Term(DAY_OF_MONTH, 0, 31), "2026-03-31"),
        # a shorter month ends before its 31st
        ("2026-02-01", Term(DAY_OF_MONTH, 0, 31), "2026-02-28"),
        ("2024-02-01", Term(DAY_OF_MONTH, 0, 30), "2024-02-29"),
        ("2026-01-31", Term(DAY_OF_MONTH, 0, 31), "2026-02-28"),
        ("2026-11-21", Term(DAY_OF_MONTH, 0, 99), "2026-11-30"),
        # no day is named
        ("2026-11-21", Term(DAY_OF_MONTH, 30), "2026-12-21"),
        ("2026-11-21", Term(DAY_OF_MONTH, 0, -3), "2026-11-21"),
        # a type nobody knows
        ("2026-11-21", Term(7, 30, 1), "2026-12-22"),
    ],
)
def test_decided(day, term, due):
    assert due_date(date.fromisoformat(day), term) == date.fromisoformat(due)


@pytest.mark.parametrize(
    "term",
    [Term(DAYS, 1), Term(END_OF_MONTH, 0, 1), Term(DAY_OF_MONTH, 0, 31), Term(DAYS, 10**12), Term(DAYS, -(10**7))],
)
def test_no_date_beyond_the_calendar(term):
    with pytest.raises(BadRequest, match="years 1 to 9999"):
        due_date(date(9999, 12, 31), term)


TERMS = st.builds(Term, st.integers(0, 2), st.integers(0, 400), st.integers(0, 40))
DATES = st.dates(date(1900, 1, 1), date(9000, 12, 31))


@given(DATES, TERMS)
def test_never_before_the_invoice(day, term):
    assert due_date(day, term) >= day + timedelta(days=term.days)


@given(DATES, st.integers(0, 400))
def test_end_of_month_is_the_last_day(day, days):
    due = due_date(day, Term(END_OF_MONTH, days))
    assert due.day == monthrange(due.year, due.month)[1]
    assert due - (day + timedelta(days=days)) < timedelta(days=31)


@given(DATES, st.integers(0, 400), st.integers(1, 31))
def test_day_of_month_comes_within_a_month(day, days, number):
    reached = day + timedelta(days=days)
    due = due_date(day, Term(DAY_OF_MONTH, days, number))
    assert due.day == min(number, monthrange(due.year, due.month)[1])
    assert reached < due <= reached + timedelta(days=31)
