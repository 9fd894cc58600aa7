"""Business days as seconds of a midnight: no day moves, in whatever zone, and what is refused."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.common.days import day_at, midnight, read_day_in
from core.common.readers import EPOCH, read_instant

ZONES = sorted(each for each in available_timezones() if "/" in each and not each.startswith("SystemV/"))
#: days that their zones have left out as a whole, when they went over to the other side of the date line
LEFT_OUT = {
    date(2011, 12, 30): ("Pacific/Apia", "Pacific/Fakaofo"),
    date(1993, 8, 21): ("Pacific/Kwajalein",),
    date(1994, 12, 31): ("Pacific/Kiritimati", "Pacific/Enderbury", "Pacific/Kanton"),
    # These put their clocks forward over midnight, from 23:30 to 0:30
    date(1919, 3, 31): (
        "America/Toronto",
        "America/Montreal",
        "America/Nipigon",
        "America/Thunder_Bay",
        "Canada/Eastern",
    ),
}


def read_back(day, zone):
    return read_day_in(midnight(day, zone), zone)


@given(st.dates(date(1900, 1, 1), date(2199, 12, 31)), st.sampled_from(ZONES))
def test_a_day_that_was_answered_and_is_sent_back_is_the_same(day, name):
    zone = ZoneInfo(name)
    assume(name not in LEFT_OUT.get(day, ()))
    assert read_back(day, zone) == day
    # The second before is of another day
    assert day_at(EPOCH + timedelta(seconds=midnight(day, zone) - 1), zone) < day


@pytest.mark.parametrize(
    ("day", "zone", "begins"),
    [
        # Winter and summer, and the days of both changes of the clock
        ("2026-11-21", "Europe/Paris", "2026-11-20 23:00"),
        ("2026-07-01", "Europe/Paris", "2026-06-30 22:00"),
        ("2026-03-29", "Europe/Paris", "2026-03-28 23:00"),
        ("2026-03-30", "Europe/Paris", "2026-03-29 22:00"),
        ("2026-10-25", "Europe/Paris", "2026-10-24 22:00"),
        ("2026-10-26", "Europe/Paris", "2026-10-25 23:00"),
        ("2026-03-08", "America/New_York", "2026-03-08 05:00"),
        ("2026-11-02", "America/New_York", "2026-11-02 05:00"),
        ("2026-04-05", "Pacific/Auckland", "2026-04-04 11:00"),
        ("2026-09-27", "Pacific/Auckland", "2026-09-26 12:00"),
        # Midnights that there are not: the clock goes from 0:00 to 1:00, which is when the day begins
        ("2018-11-04", "America/Sao_Paulo", "2018-11-04 03:00"),
        ("2023-04-28", "Africa/Cairo", "2023-04-27 22:00"),
        # One that there is twice
        ("2026-11-01", "America/Havana", "2026-11-01 04:00"),
        ("2026-11-21", None, "2026-11-21 00:00"),
    ],
)
def test_when_a_day_begins(day, zone, begins):
    where = ZoneInfo(zone) if zone else None
    moment = datetime.fromisoformat(begins)
    assert midnight(date.fromisoformat(day), where) == (moment - EPOCH).total_seconds()
    assert read_back(date.fromisoformat(day), where) == date.fromisoformat(day)


@pytest.mark.parametrize("zone", [None, "Europe/Paris", "Pacific/Auckland", "America/New_York"])
@pytest.mark.parametrize(
    "text",
    ["2026-11-21", "2026-11-21T00:00:00+14:00", "2026-11-21T23:59:59-12:00", "2026-11-21T23:30:00Z", " 2026-11-21 "],
)
def test_a_text_is_the_day_that_is_written_in_it(text, zone):
    assert read_day_in(text, ZoneInfo(zone) if zone else None) == date(2026, 11, 21)


@pytest.mark.parametrize("digits", [20261121, "20261121", " 20261121 ", 19991231.0])
def test_digits_that_may_be_a_day_are_refused_and_told(digits):
    for read in (read_instant, lambda value: read_day_in(value, None)):
        with pytest.raises(ValueError, match=r"expected (2026-11-21|1999-12-31) with hyphens, because 8 digits"):
            read(digits)


@pytest.mark.parametrize("seconds", [20269999, 20260230, 10000000, 99999999, -20261121, 0, 1795219200])
def test_other_digits_are_seconds(seconds):
    assert read_instant(seconds) == EPOCH + timedelta(seconds=seconds)


@given(st.dates(date(1970, 1, 1), date(1975, 1, 1)), st.sampled_from(ZONES))
def test_no_day_is_answered_as_digits_that_are_refused(day, zone):
    read_instant(midnight(day, ZoneInfo(zone)))


@pytest.mark.parametrize("sent", ["soon", "2026-13-01", "", None, True, [], 10**17, -62135596801])
def test_what_is_no_day_is_refused(sent):
    for zone in (None, ZoneInfo("Europe/Paris")):
        with pytest.raises(ValueError, match="expected Unix seconds or a date such as"):
            read_day_in(sent, zone)
