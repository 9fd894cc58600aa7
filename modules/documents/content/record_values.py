"""Conversion of record values for printing, from the format of either profile."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from core.for_natives import day_of as business_day
from core.for_natives import local_day

ZERO = Decimal(0)
EPOCH = date(1970, 1, 1)


def number(value: Any) -> Decimal:
    """Return a value as a number; 0 if it is empty."""
    return Decimal(str(value)) if value not in (None, "") else ZERO


def day_of(seconds: Any) -> date | None:
    """Return the date of a time in seconds; None if it is empty or 0."""
    return business_day(int(seconds)) if seconds not in (None, "", 0, "0") else None


def local_day_of(seconds: Any) -> date | None:
    """Return the company's date at an instant, such as that of a validation; None if it is empty or 0."""
    if seconds in (None, "", 0, "0"):
        return None
    return local_day(datetime.fromtimestamp(int(seconds), UTC).replace(tzinfo=None))
