"""The layout of a document's pages: each block gets its position before anything is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .sheet import MM, Sheets

#: draws a block on a page; the second argument is its top, in points from the top of the page
Draw = Callable[[Sheets, float], None]

TOP_OF_NEXT = 26 * MM


@dataclass
class Block:
    """A part of a page with a known height."""

    height: float
    draw: Draw


class Pages:
    """Pages that are filled from the top.

    :param bottom: top of the small print, in points
    """

    def __init__(self, bottom: float) -> None:
        self.bottom = bottom
        self.y = 0.0
        self.pages: list[list[tuple[float, Draw]]] = [[]]

    @property
    def room(self) -> float:
        """The points left on this page."""
        return self.bottom - self.y

    @property
    def whole(self) -> float:
        """The usable height of a following page, in points."""
        return self.bottom - TOP_OF_NEXT

    def add(self, height: float, draw: Draw) -> None:
        """Place a block at the current position of the page."""
        self.pages[-1].append((self.y, draw))
        self.y += height

    def turn(self) -> None:
        """Begin the next page."""
        self.pages.append([])
        self.y = TOP_OF_NEXT
