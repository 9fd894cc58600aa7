"""Process-wide state: one current object of each kind, replaced as a whole."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class InForce(Generic[T]):
    """A holder of the current object: settings, database, catalogue, event handlers.

    `value` is read and replaced by one assignment, so a reader gets the complete old or the complete new object while
    another thread replaces it.
    """

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value
