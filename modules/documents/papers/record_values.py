"""Values of records as papers need them, in whatever form the profile answers them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from core import day_of as business_day

ZERO = Decimal(0)
EPOCH = date(1970, 1, 1)


def number(value: Any) -> Decimal:
    """A number; 0 where there is none."""
    return Decimal(str(value)) if value not in (None, "") else ZERO


def day_of(seconds: Any) -> date | None:
    """A day; None where there is none, or none was ever given."""
    return business_day(int(seconds)) if seconds not in (None, "", 0, "0") else None
