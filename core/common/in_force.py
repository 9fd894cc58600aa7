"""What is in force in this process: one thing of a kind at a time, replaced as a whole."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class InForce(Generic[T]):
    """A holder of what is in force: settings, database, catalogue, event handlers.

    Read and replaced through `value`, by one assignment: who reads it while another thread replaces it has the old one
    or the new one, whole.
    """

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value
