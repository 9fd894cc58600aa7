"""A paper as a PDF file: first everything finds its place, then the pages are drawn, when their number is known."""

from __future__ import annotations

from ..papers.language import Language
from ..papers.paper import Paper
from .foot import Foot
from .head import draw_short_head, place_head
from .pages import Pages
from .sheet import GREY, LEFT, RIGHT, Sheets
from .style import Style
from .table import Table
from .tail import Terms, place_rest
from .totals import totals_block


def render(paper: Paper, style: Style, words: Language) -> bytes:
    """Draw a paper; answers the PDF file.

    :param words: the language of headings and page numbers
    """
    sheets = Sheets(title=f"{paper.title} {paper.ref}", author=paper.sender.name, subject=paper.recipient.name)
    foot = Foot(paper, sheets, LEFT, RIGHT)
    pages = Pages(foot.top)
    place_head(pages, paper, style, sheets, words)
    totals = totals_block(paper, style, sheets, words)
    terms = Terms(paper, sheets)
    Table(paper, style, sheets, words).place(pages, totals, terms.height)
    place_rest(pages, paper, style, sheets, words, terms)
    _draw(pages, paper, style, sheets, words, foot)
    return sheets.finish()


def _draw(pages: Pages, paper: Paper, style: Style, sheets: Sheets, words: Language, foot: Foot) -> None:
    count = len(pages.pages)
    for number, placed in enumerate(pages.pages, 1):
        if number > 1:
            draw_short_head(sheets, paper, style)
        for y, draw in placed:
            draw(sheets, y)
        said = words.say("Page {page} of {pages}").replace("{page}", str(number)).replace("{pages}", str(count))
        foot.draw(sheets, said, GREY)
        if paper.watermark:
            sheets.across(paper.watermark)
        sheets.end()
