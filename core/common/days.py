"""Business days: calendar days, which travel as the seconds of a midnight.

Which midnight is said by the configuration: that of UTC, or, where the profile says so (`days_in_zone`), that of the
company's zone, as servers of the reference have it: a client in Paris then sends 21 November as 23:00 UTC of the 20th.
The day is what is stored, so it never moves, whatever the clocks do.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from .readers import EPOCH, SECOND, read_instant, written_day
from .settings import settings

_EPOCH = EPOCH.replace(tzinfo=UTC)
_EPOCH_DAY = EPOCH.date()
_EXPECTED = "Expecting Unix seconds or a date such as 2026-11-21"


def days_zone() -> ZoneInfo | None:
    """The zone whose midnights stand for days; None: UTC."""
    configuration = settings()
    return configuration.zone if configuration.profile.days_in_zone else None


def midnight(day: date, zone: ZoneInfo | None) -> int:
    """Unix seconds at which a day begins.

    Where the clock leaves midnight out, it is the moment at which it does; where midnight comes twice, the first.
    """
    if zone is None:
        return (day - _EPOCH_DAY).days * 86400
    return (datetime(day.year, day.month, day.day, tzinfo=zone) - _EPOCH) // SECOND


def day_at(moment: datetime, zone: ZoneInfo | None) -> date:
    """The day of an instant in UTC without zone.

    :raises ValueError: it lies outside the years 1 to 9999
    """
    if zone is None:
        return moment.date()
    try:
        return moment.replace(tzinfo=UTC).astimezone(zone).date()
    except OverflowError:
        raise ValueError(_EXPECTED) from None


def read_day_in(value: object, zone: ZoneInfo | None) -> date:
    """A day, as it was sent: the day that a text names, whatever its offset, or that of an instant.

    :raises ValueError: it is neither; says what was expected
    """
    named = written_day(value)
    return day_at(read_instant(value), zone) if named is None else named


def read_day(value: object) -> date:
    """A day, as it was sent, in the configuration in force."""
    return read_day_in(value, days_zone())


def day_of(moment: datetime | int) -> date:
    """The business day of an instant.

    :param moment: an instant as it is kept, or Unix seconds
    """
    return day_at(moment if isinstance(moment, datetime) else EPOCH + timedelta(seconds=moment), days_zone())


def midnight_of(day: date) -> datetime:
    """The instant at which a business day begins, as instants are kept.

    :raises OverflowError: it lies outside the years 1 to 9999
    """
    return EPOCH + timedelta(seconds=midnight(day, days_zone()))


def seconds_of_day(day: date) -> int:
    """Unix seconds of a business day, as it is answered."""
    return midnight(day, days_zone())
