"""Conversion of record values for printing, from the format of either profile."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from core import day_of as business_day

ZERO = Decimal(0)
EPOCH = date(1970, 1, 1)


def number(value: Any) -> Decimal:
    """Return a value as a number; 0 if it is empty."""
    return Decimal(str(value)) if value not in (None, "") else ZERO


def day_of(seconds: Any) -> date | None:
    """Return the date of a time in seconds; None if it is empty or 0."""
    return business_day(int(seconds)) if seconds not in (None, "", 0, "0") else None
