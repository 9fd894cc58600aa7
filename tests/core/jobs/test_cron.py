"""Cron texts: what is taken, and when they fire, across the nights in which the clock is changed."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from core.jobs.schedules import check_cron, latest_moment, next_moment

PARIS = ZoneInfo("Europe/Paris")


def at(text, fold=0):
    """Unix seconds of a moment in Paris."""
    return int(datetime.fromisoformat(text).replace(tzinfo=PARIS, fold=fold).timestamp())


@pytest.mark.parametrize(
    "text", ["* * * * *", "*/5 * * * *", "0 8 * * MON-FRI", "30 6 1 * *", "0 0 29 2 *", "0 0 L * *"]
)
def test_a_cron_text_is_taken(text):
    assert check_cron(text) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("* * *", "; got 3 fields in '* * *'"),
        ("0 * * * * *", "; got 6 fields in"),
        ("61 * * * *", "got '61 * * * *': bad minute"),
        ("0 0 30 2 *", "got '0 0 30 2 *': bad day-of-month"),
        ("@daily", "; got 1 fields in"),
        ("", "; got 0 fields in"),
        (5, "got 5"),
        ("0 0 * * " + ",".join(["1"] * 60), "in at most 100 characters"),
    ],
)
def test_any_other_is_refused_with_what_was_expected(text, why):
    with pytest.raises(
        ValueError, match="expected five fields: minute, hour, day of month, month, day of week"
    ) as told:
        check_cron(text)
    assert why in str(told.value)


@pytest.mark.parametrize(
    ("text", "now", "latest", "following"),
    [
        ("*/5 * * * *", "2026-11-22T10:07:00", "2026-11-22T10:05:00", "2026-11-22T10:10:00"),
        # The moment itself has come
        ("*/5 * * * *", "2026-11-22T10:05:00", "2026-11-22T10:05:00", "2026-11-22T10:10:00"),
        ("0 8 * * MON", "2026-11-22T10:00:00", "2026-11-16T08:00:00", "2026-11-23T08:00:00"),
        # Half past two does not exist on 29 March 2026: it fires behind the gap, once
        ("30 2 * * *", "2026-03-29T12:00:00", "2026-03-29T03:00:00", "2026-03-30T02:30:00"),
        ("30 2 * * *", "2026-03-28T12:00:00", "2026-03-28T02:30:00", "2026-03-29T03:00:00"),
        # And exists twice on 25 October: it fires at the first
        ("30 2 * * *", "2026-10-25T12:00:00", "2026-10-25T02:30:00", "2026-10-26T02:30:00"),
    ],
)
def test_moments_are_those_of_the_companys_zone(text, now, latest, following):
    assert latest_moment(text, at(now), PARIS) == at(latest)
    assert next_moment(text, at(now), PARIS) == at(following)


def test_every_half_hour_goes_on_through_the_hour_that_comes_twice():
    seconds, moments = at("2026-10-25T01:45:00"), []
    for _ in range(5):
        moment = next_moment("*/30 * * * *", seconds, PARIS)
        assert moment is not None
        moments.append(moment)
        seconds = moment
    first = at("2026-10-25T02:00:00")
    assert moments == [first, first + 1800, first + 3600, first + 5400, first + 7200]
