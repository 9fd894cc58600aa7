"""Business days: calendar days, sent as the Unix seconds of a midnight.

The midnight is that of UTC. If the profile has `days_in_zone`, it is that of the company's zone, as in Dolibarr: a
client in Paris then sends 21 November as 23:00 UTC of the 20th. The day itself is stored, so it never shifts.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from .clock import now
from .readers import EPOCH, SECOND, read_instant, written_day
from .settings import settings

_EPOCH = EPOCH.replace(tzinfo=UTC)
_EPOCH_DAY = EPOCH.date()
_EXPECTED = "expected Unix seconds or a date such as 2026-11-21"


def days_zone() -> ZoneInfo | None:
    """Return the zone whose midnights represent days; None for UTC."""
    configuration = settings()
    return configuration.zone if configuration.profile.days_in_zone else None


def midnight(day: date, zone: ZoneInfo | None) -> int:
    """Return the Unix seconds at which a day begins.

    If the clock change skips midnight, it is the moment of the change. If midnight comes twice, it is the first one.
    """
    if zone is None:
        return (day - _EPOCH_DAY).days * 86400
    return (datetime(day.year, day.month, day.day, tzinfo=zone) - _EPOCH) // SECOND


def day_at(moment: datetime, zone: ZoneInfo | None) -> date:
    """Return the day of an instant in UTC without zone.

    :raises ValueError: the day is outside the years 1 to 9999
    """
    if zone is None:
        return moment.date()
    try:
        return moment.replace(tzinfo=UTC).astimezone(zone).date()
    except OverflowError:
        raise ValueError(_EXPECTED) from None


def read_day_in(value: object, zone: ZoneInfo | None) -> date:
    """Return a day as sent: the date in a text, whatever its offset, or the day of an instant.

    :raises ValueError: the value is neither; the message has the expected form
    """
    named = written_day(value)
    return day_at(read_instant(value), zone) if named is None else named


def read_day(value: object) -> date:
    """Return a day as sent, in the current profile."""
    return read_day_in(value, days_zone())


def day_of(moment: datetime | int) -> date:
    """Return the business day of an instant.

    :param moment: an instant as stored, or Unix seconds
    """
    return day_at(moment if isinstance(moment, datetime) else EPOCH + timedelta(seconds=moment), days_zone())


def midnight_of(day: date) -> datetime:
    """Return the instant at which a business day begins, as instants are stored.

    :raises OverflowError: the day is outside the years 1 to 9999
    """
    return EPOCH + timedelta(seconds=midnight(day, days_zone()))


def today() -> date:
    """Return the company's current date (`COMPTOIR_TIMEZONE`)."""
    return local_day(now())


def local_day(moment: datetime) -> date:
    """Return the company's date at an instant, as stored. `day_of` is for a day that is stored as its midnight.

    :raises OverflowError: the date is outside the years 1 to 9999
    """
    return moment.replace(tzinfo=UTC).astimezone(settings().zone).date()


def seconds_of_day(day: date) -> int:
    """Return the Unix seconds of a business day, as the API returns it."""
    return midnight(day, days_zone())
