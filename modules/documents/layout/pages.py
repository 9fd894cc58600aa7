"""The pages of a paper while they are filled: what stands where, before anything is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .sheet import MM, Sheets

#: draws something below a place of a page
Draw = Callable[[Sheets, float], None]

TOP_OF_NEXT = 26 * MM


@dataclass
class Block:
    """Something of a known height."""

    height: float
    draw: Draw


class Pages:
    """Pages that are filled from the top.

    :param bottom: where the small print begins
    """

    def __init__(self, bottom: float) -> None:
        self.bottom = bottom
        self.y = 0.0
        self.pages: list[list[tuple[float, Draw]]] = [[]]

    @property
    def room(self) -> float:
        """Points that are left on this page."""
        return self.bottom - self.y

    @property
    def whole(self) -> float:
        """Points that a following page has."""
        return self.bottom - TOP_OF_NEXT

    def add(self, height: float, draw: Draw) -> None:
        """Put something at the next place."""
        self.pages[-1].append((self.y, draw))
        self.y += height

    def turn(self) -> None:
        """Begin the next page."""
        self.pages.append([])
        self.y = TOP_OF_NEXT
