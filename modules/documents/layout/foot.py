"""The small print at the foot of each page."""

from __future__ import annotations

from ..content.printed_document import PrintedDocument
from .sheet import HEIGHT, MM, Sheets
from .wrapping import Line, wrap

SIZE = 6.5
LEADING = 8.0
END = HEIGHT - 9 * MM
#: maximum lines of small print, more than any country's law requires; further lines are left out
MOST = 12


class Foot:
    """The company's small print, wrapped once for all pages.

    :ivar top: bottom of the pages' content
    """

    def __init__(self, document: PrintedDocument, sheets: Sheets, left: float, right: float) -> None:
        self.left, self.right = left, right
        self.lines: list[Line] = []
        for text in document.legal:
            self.lines += wrap(text, sheets.regular, SIZE, right - left - 70)
        self.lines = self.lines[:MOST]
        self.begin = END - LEADING * max(0, len(self.lines) - 1)
        self.top = self.begin - 6 * MM

    def draw(self, sheets: Sheets, page: str, colour: str) -> None:
        """Draw the small print and the page number."""
        sheets.line(self.left, self.begin - 3 * MM, self.right, self.begin - 3 * MM, colour="#bbbbbb", width=0.4)
        for place, line in enumerate(self.lines):
            sheets.text(self.left, self.begin + place * LEADING, line.text, SIZE, colour=colour)
        sheets.artifact()
        sheets.right(self.right, self.begin, page, SIZE + 0.5, colour=colour)
