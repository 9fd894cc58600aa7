"""A document on its pages: first everything finds its place, then the pages are drawn, when their number is known."""

from __future__ import annotations

from collections.abc import Callable

from ..paper import Paper
from ..texts.speech import Speech, speech
from .foot import Foot
from .head import draw_short_head, place_head
from .sheet import GREY, LEFT, MM, RIGHT, Sheets
from .style import Style
from .table import Table
from .tail import place_rest, totals_block

#: draws something below a place of a page
Draw = Callable[[Sheets, float], None]

TOP_OF_NEXT = 26 * MM


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


def render(paper: Paper, style: Style) -> bytes:
    """Draw a paper; answers the PDF file."""
    words = speech(paper.language)
    sheets = Sheets(title=f"{paper.title} {paper.ref}", author=paper.sender.name, subject=paper.recipient.name)
    foot = Foot(paper, sheets, LEFT, RIGHT)
    pages = Pages(foot.top)
    place_head(pages, paper, style, sheets, words)
    totals = totals_block(paper, style, sheets, words)
    Table(paper, style, sheets, words).place(pages, totals)
    place_rest(pages, paper, style, sheets, words)
    _draw(pages, paper, style, sheets, words, foot)
    return sheets.finish()


def _draw(pages: Pages, paper: Paper, style: Style, sheets: Sheets, words: Speech, foot: Foot) -> None:
    count = len(pages.pages)
    for number, placed in enumerate(pages.pages, 1):
        if number > 1:
            draw_short_head(sheets, paper, style)
        for y, draw in placed:
            draw(sheets, y)
        said = words.say("Page {page} of {pages}").replace("{page}", str(number)).replace("{pages}", str(count))
        foot.draw(sheets, said, GREY)
        if paper.draft:
            sheets.across(words.say("DRAFT"))
        sheets.end()
