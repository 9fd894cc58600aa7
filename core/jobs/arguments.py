"""What travels with a job: plain data as JSON, and the moment it is to be run at."""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime, time
from typing import Any

from ..common.clock import now
from ..common.settings import settings

#: letters of a job's arguments, and of its result: what is larger belongs into a table, and its identifier here
LONGEST = 16_000
#: what is taken as an end of time: the year 9999
_LAST = 253_402_300_799


def as_json(value: Any, called: str) -> str:
    """A value as JSON, if it comes back from there as it is.

    :param called: what it is called in the error
    :raises TypeError: it holds what is no plain data
    :raises ValueError: it is too long, or holds a number that is none
    """
    _insist_on_plain(value, called)
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    if len(text) > LONGEST:
        raise ValueError(
            f"{called}: expected at most {LONGEST} characters as JSON, got {len(text)}; keep the data in a table and "
            "pass its ID"
        )
    return text


def _insist_on_plain(value: Any, called: str, depth: int = 0) -> None:
    if isinstance(value, dict):
        for key, each in value.items():
            if not isinstance(key, str):
                raise TypeError(f"{called}: expected only text as dict keys, got {key!r}")
            _insist_on_plain(each, f"{called}.{key}", depth + 1)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            _insist_on_plain(each, f"{called}[{number}]", depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{called}: expected a number that JSON can hold, got {value}")
    elif value is not None and not isinstance(value, (bool, int, float, str)):
        raise TypeError(
            f"{called}: expected None, bool, int, float, str, or a list or dict of them, got {type(value).__name__}; "
            "pass the ID of a record, and amounts and days as text"
        )
    if depth > 30:
        raise ValueError(f"{called}: expected at most 30 levels of nesting, got more")


def due_of(at: datetime | date | float | None) -> int:
    """The Unix seconds of a moment.

    :param at: an instant (without a zone: in UTC, as `utc_now` answers), a day (its beginning in the company's time
        zone), Unix seconds, or None: now
    :raises TypeError: it is none of these
    :raises ValueError: it is beyond the year 9999
    """
    if at is None:
        return now()
    if isinstance(at, datetime):
        seconds = (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    elif isinstance(at, date):
        seconds = datetime.combine(at, time(), settings().zone).timestamp()
    elif isinstance(at, (int, float)) and not isinstance(at, bool):
        seconds = at
    else:
        raise TypeError(f"at: expected a datetime, a date, Unix seconds or None, got {type(at).__name__}")
    if not -_LAST < seconds <= _LAST:
        raise ValueError(f"at: expected a time before the year 10000 (Unix seconds, not milliseconds), got {at!r}")
    return math.ceil(seconds)
