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

    :raises ValueError: the text isn't valid or never fires; the message contains the expected form
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
    """Return the last time of a schedule up to a moment, in Unix seconds; None: there is no earlier one.

    When the clock goes forward, times in the skipped hour fire after it. When it goes back, a fixed hour fires once,
    while `*` as minute or hour follows the clock, as in cron.

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
