"""Which day follows which in a plan."""

from calendar import monthrange
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from modules.recurring.periods import following, month_of

DAYS = some.dates(date(1900, 1, 1), date(2400, 12, 31))


@pytest.mark.parametrize(
    ("first", "frequency", "unit", "expected"),
    [
        (date(2026, 1, 31), 1, "m", ["2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"]),
        (date(2026, 1, 15), 1, "m", ["2026-02-15", "2026-03-15"]),
        (date(2026, 11, 30), 3, "m", ["2027-02-28", "2027-05-30"]),
        (date(2024, 2, 29), 1, "y", ["2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"]),
        (date(2026, 12, 28), 7, "d", ["2027-01-04", "2027-01-11"]),
        (date(2026, 12, 1), 1, "m", ["2027-01-01"]),
    ],
)
def test_a_plan_does_not_drift(first, frequency, unit, expected):
    found, day = [], first
    for _ in expected:
        day = following(day, frequency, unit, first.day)
        found.append(day.isoformat())
    assert found == expected


@given(DAYS, some.integers(1, 60), some.integers(1, 30))
def test_so_many_months_are_so_many_months_whatever_lies_between(first, frequency, steps):
    day = first
    for _ in range(steps):
        after = following(day, frequency, "m", first.day)
        assert after > day
        day = after
    assert (day.year - first.year) * 12 + day.month - first.month == frequency * steps
    assert day.day == min(first.day, monthrange(day.year, day.month)[1])


@given(DAYS, some.integers(1, 5))
def test_a_year_is_twelve_months(day, frequency):
    assert following(day, frequency, "y") == following(day, 12 * frequency, "m")


@given(DAYS, some.integers(1, 1000))
def test_days_are_counted(day, frequency):
    assert following(day, frequency, "d", 31) == day + timedelta(days=frequency)


@pytest.mark.parametrize(("frequency", "unit"), [(1, "d"), (1, "m"), (1, "y"), (1000, "y")])
def test_the_calendar_ends(frequency, unit):
    with pytest.raises(OverflowError):
        following(date(9999, 12, 31), frequency, unit)


def test_the_months_around():
    assert month_of(date(2026, 1, 31), -1) == date(2025, 12, 1)
    assert month_of(date(2026, 12, 31), 1) == date(2027, 1, 1)
    assert month_of(date(2026, 5, 7), 0) == date(2026, 5, 1)
    assert month_of(date(1, 1, 1), -1).year == 1
