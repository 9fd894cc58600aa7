"""The clock, which tests may tell: instants as they are kept, and Unix seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from .in_force import InForce

_clock: InForce[Callable[[], float]] = InForce(time.time)


def now() -> int:
    """Unix seconds."""
    return int(_clock.value())


def utc_now() -> datetime:
    """Now in UTC, without zone and fraction, as instants are kept."""
    return datetime.fromtimestamp(now(), UTC).replace(tzinfo=None)


@contextmanager
def as_if(seconds: float | None) -> Iterator[None]:
    """Let it be that moment meanwhile.

    :param seconds: of Unix time; None: nothing changes
    """
    before = _clock.value
    if seconds is not None:
        _clock.value = lambda: seconds
    try:
        yield
    finally:
        _clock.value = before


def use_clock(clock: Callable[[], float] = time.time) -> None:
    """Put another clock in force."""
    _clock.value = clock
