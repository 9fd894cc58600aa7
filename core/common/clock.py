"""The clock, which tests can replace: instants in their stored form, and Unix seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from .in_force import InForce

_clock: InForce[Callable[[], float]] = InForce(time.time)


def now() -> int:
    """Return the current time in Unix seconds."""
    return int(_clock.value())


def utc_now() -> datetime:
    """Return the current time in UTC, without zone and fraction, as instants are stored."""
    return datetime.fromtimestamp(now(), UTC).replace(tzinfo=None)


@contextmanager
def as_if(seconds: float | None) -> Iterator[None]:
    """Set the clock to a fixed moment in this context.

    :param seconds: Unix time; None leaves the clock unchanged
    """
    before = _clock.value
    if seconds is not None:
        _clock.value = lambda: seconds
    try:
        yield
    finally:
        _clock.value = before


def use_clock(clock: Callable[[], float] = time.time) -> None:
    """Replace the clock."""
    _clock.value = clock
