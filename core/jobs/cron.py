"""Cron texts: when a schedule fires, in the company's time zone."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

_EXPECTED = (
    "expected five fields: minute, hour, day of month, month, day of week, "
    'such as "*/5 * * * *", "0 8 * * MON-FRI" or "30 6 1 * *"'
)


def check_cron(text: object) -> str:
    """Return a cron text as it is, if it is valid and has a next time.

    :raises ValueError: it has none; the message says what was expected
    """
    if not isinstance(text, str):
        raise ValueError(f"{_EXPECTED}; got {text!r}")
    if len(text.split()) != 5:
        raise ValueError(f"{_EXPECTED}; got {len(text.split())} fields in {text!r}")
    if len(text) > 100:
        raise ValueError(f"{_EXPECTED}, in at most 100 characters; got {text!r}")
    try:
        next(CronSim(text, datetime(2000, 1, 1)))
    except CronSimError as error:
        raise ValueError(f"{_EXPECTED}; got {text!r}: {str(error).lower()}") from error
    except (StopIteration, RuntimeError):
        raise ValueError(f"{text!r} never fires: no such day exists") from None
    return text


def latest_moment(text: str, at: int, zone: ZoneInfo) -> int | None:
    """The last moment at which a schedule has fired, or would have, in Unix seconds; None: there was none.

    Where the clock goes forward, what falls into the hour that is left out fires behind it; where it goes back, what is
    said by its hour fires once. `*` as minute or hour goes on with the clock, as cron does it.

    :param at: Unix seconds
    """
    moment = datetime.fromtimestamp(at, zone) + timedelta(seconds=1)
    return _first(CronSim(text, moment, reverse=True))


def next_moment(text: str, at: int, zone: ZoneInfo) -> int | None:
    """Return the next time of a schedule after a moment; None: it never comes."""
    return _first(CronSim(text, datetime.fromtimestamp(at, zone)))


def _first(moments: CronSim) -> int | None:
    try:
        return int(next(moments).timestamp())
    except StopIteration:
        return None
