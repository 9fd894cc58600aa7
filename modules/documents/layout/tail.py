"""What follows the totals: what has become of it, terms and bank, the note, the box to be signed."""

from __future__ import annotations

from collections.abc import Sequence

from ..papers.language import Language
from ..papers.paper import Paper
from .pages import Draw, Pages
from .payment_part import BESIDE, CODE, code_block
from .sheet import LEFT, MM, RIGHT, Sheets
from .style import Style
from .totals import GAP, MOST_TAXES, SMALL, TAX_ROW, TOTALS, draw_tax, draw_tax_head
from .wrapping import Line, shortened, wrap
from .writing import write

#: letters of the sentences below the terms, and the height of their lines
MENTION = 7.0
MENTION_LEADING = 9.0
BETWEEN_MENTIONS = 2.0
#: so many lines of such a sentence begin together
TOGETHER = 4
#: height of the box to be signed
BOX = 68.0


class Terms:
    """Terms and bank, wrapped, and beside them the box to be signed, or the code to be scanned.

    :ivar height: points that they need
    :ivar code: the code; below them where the box is beside them
    :ivar beside: points that box or code need
    """

    def __init__(self, paper: Paper, sheets: Sheets) -> None:
        self.code = code_block(paper, LEFT if paper.acceptance else RIGHT - CODE)
        self.beside = BOX if paper.acceptance else self.code.height if self.code else 0.0
        self.right = RIGHT - (TOTALS + 10 if paper.acceptance else CODE + BESIDE if self.code else 0)
        labels = max((sheets.bold.width(label, SMALL) for label, _ in paper.terms), default=0.0)
        self.across = min(labels + 10, 45 * MM)
        room = self.right - LEFT - self.across
        self.wrapped = [
            (shortened(label, sheets.bold, SMALL, self.across - 4), wrap(text, sheets.regular, SMALL, room))
            for label, text in paper.terms
        ]
        self.height = sum(len(lines) for _, lines in self.wrapped) * 11.0
        self.height = max(self.height, self.beside)


def place_rest(pages: Pages, paper: Paper, style: Style, sheets: Sheets, words: Language, terms: Terms) -> None:
    """Place what follows the totals."""
    if len(paper.taxes) > MOST_TAXES:
        _place(pages, TAX_ROW, lambda sheets, y: draw_tax_head(sheets, y, style, words))
        for tax in paper.taxes:
            _place(pages, TAX_ROW, lambda sheets, y, tax=tax: draw_tax(sheets, y, tax))  # type: ignore[misc]
        pages.y += GAP
    _place_standing(pages, paper, sheets)
    _place_terms(pages, paper, style, sheets, words, terms)
    _place_mentions(pages, paper, sheets)
    _place_note(pages, paper, style, sheets, words)


def _place(pages: Pages, height: float, draw: Draw) -> None:
    if height > pages.room:
        pages.turn()
    pages.add(height, draw)


def _place_standing(pages: Pages, paper: Paper, sheets: Sheets) -> None:
    """Place what is said of what has become of it, below the totals."""
    for sentence in paper.standing_details:
        for line in wrap(sentence, sheets.regular, SMALL, TOTALS):
            _place(
                pages, 10.5,
                lambda sheets, y, line=line: write(sheets, line, RIGHT - TOTALS, RIGHT, y + 8, SMALL),  # type: ignore[misc]
            )  # fmt: skip
    if paper.standing_details:
        pages.y += GAP


def _place_terms(pages: Pages, paper: Paper, style: Style, sheets: Sheets, words: Language, terms: Terms) -> None:
    """Place terms and bank, and beside them the box to be signed."""
    right, across, wrapped, code = terms.right, terms.across, terms.wrapped, terms.code
    if min(terms.height, pages.whole * 0.5) > pages.room or pages.room < terms.beside:
        pages.turn()
    page, end = len(pages.pages), pages.y + terms.beside
    if paper.acceptance:
        pages.add(0, lambda sheets, y: _draw_box(sheets, y, style, words))
    elif code:
        pages.add(0, code.draw)
    for label, lines in wrapped:
        for place, line in enumerate(lines):

            def draw(
                sheets: Sheets, y: float, line: Line = line, label: str = "" if place else label,
                lines: list[Line] = lines,
            ) -> None:  # fmt: skip
                sheets.tag(f"P:{id(lines)}")
                sheets.text(LEFT, y + 8, label, SMALL, bold=True, colour=style.ink)
                write(sheets, line, LEFT + across, right, y + 8, SMALL)

            _place(pages, 11, draw)
    if terms.beside and page == len(pages.pages):
        pages.y = max(pages.y, end)
    if code and paper.acceptance:
        _place(pages, code.height, code.draw)
    if wrapped or terms.beside:
        pages.y += GAP


def _place_mentions(pages: Pages, paper: Paper, sheets: Sheets) -> None:
    """Place the sentences that the law or the company wants, each on lines of its own."""
    mentions = [each for each in paper.mentions if each.strip()]
    for each in mentions:
        lines = wrap(each, sheets.regular, MENTION, RIGHT - LEFT)
        if MENTION_LEADING * min(len(lines), TOGETHER) > pages.room:
            pages.turn()
        _place_lines(pages, lines, MENTION, MENTION_LEADING)
        pages.y += BETWEEN_MENTIONS
    if mentions:
        pages.y += GAP - BETWEEN_MENTIONS


def _place_lines(pages: Pages, lines: Sequence[Line], size: float, leading: float) -> None:
    """Place lines from edge to edge, over as many pages as they need."""
    for line in lines:
        _place(
            pages, leading,
            lambda sheets, y, line=line: write(sheets, line, LEFT, RIGHT, y + size, size),  # type: ignore[misc]
        )  # fmt: skip


def _place_note(pages: Pages, paper: Paper, style: Style, sheets: Sheets, words: Language) -> None:
    if not paper.note.strip():
        return
    lines = wrap(paper.note, sheets.regular, SMALL, RIGHT - LEFT)
    heading = words.say("Note")
    if 11 * min(len(lines) + 1, 4) > pages.room:
        pages.turn()
    pages.add(11, lambda sheets, y: sheets.text(LEFT, y + 8, heading, SMALL, bold=True, colour=style.ink))
    _place_lines(pages, lines, SMALL, 10.5)
    pages.y += GAP


def _draw_box(sheets: Sheets, y: float, style: Style, words: Language) -> None:
    x = RIGHT - TOTALS
    text = shortened(words.say("Accepted: date and signature"), sheets.bold, SMALL, TOTALS - 10)
    sheets.box(x, y, TOTALS, 15, fill=style.tint)
    sheets.box(x, y, TOTALS, BOX, stroke="#999999")
    sheets.tag("P")
    sheets.text(x + 5, y + 10.5, text, SMALL, bold=True, colour=style.ink)
