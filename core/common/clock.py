"""The clock, as instants are kept."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> datetime:
    """Now in UTC, without zone and fraction, as instants are kept."""
    return datetime.now(UTC).replace(tzinfo=None, microsecond=0)
