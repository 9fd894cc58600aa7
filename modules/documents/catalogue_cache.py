"""What follows from the catalogue in force, worked out once for each catalogue."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from core import Catalogue, catalogue

T = TypeVar("T")


def cached_per_catalogue(work_out: Callable[[Catalogue], T]) -> Callable[[], T]:
    """Keep what a function makes of the catalogue, until another one is in force."""
    known: tuple[Catalogue, T] | None = None

    @wraps(work_out)
    def current() -> T:
        nonlocal known
        in_force = catalogue()
        # Read once and assigned once: another thread sees the pair of before, or that of now
        pair = known
        if pair is None or pair[0] is not in_force:
            pair = known = (in_force, work_out(in_force))
        return pair[1]

    return current
