"""The clock, which tests can replace: instants in their stored form, and Unix seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from .process import ProcessValue

#: returns Unix seconds
clock: ProcessValue[Callable[[], float]] = ProcessValue(time.time)


def unix_now() -> int:
    """Return the current time in Unix seconds."""
    return int(clock.value())


def now() -> datetime:
    """Return the current time in UTC, without zone and fraction, as instants are stored."""
    return datetime.fromtimestamp(unix_now(), UTC).replace(tzinfo=None)


@contextmanager
def as_if(seconds: float | None) -> Iterator[None]:
    """Set the clock to a fixed moment in this context.

    :param seconds: Unix time; None leaves the clock unchanged
    """
    before = clock.value
    if seconds is not None:
        clock.value = lambda: seconds
    try:
        yield
    finally:
        clock.value = before
