"""The clock, which tests can replace: instants in their stored form, and Unix seconds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from .runtime import active


def now() -> int:
    """Return the current time in Unix seconds."""
    return int(active.runtime.clock())


def utc_now() -> datetime:
    """Return the current time in UTC, without zone and fraction, as instants are stored."""
    return datetime.fromtimestamp(now(), UTC).replace(tzinfo=None)


@contextmanager
def as_if(seconds: float | None) -> Iterator[None]:
    """Set the clock to a fixed moment in this context.

    :param seconds: Unix time; None leaves the clock unchanged
    """
    runtime = active.runtime
    before = runtime.clock
    if seconds is not None:
        runtime.clock = lambda: seconds
    try:
        yield
    finally:
        runtime.clock = before
