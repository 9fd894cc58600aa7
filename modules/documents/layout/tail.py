"""What follows the lines: VAT and totals, terms and bank, the note, the box to be signed."""

from __future__ import annotations

from collections.abc import Sequence

from ..papers.language import Language
from ..papers.paper import Paper
from .pages import Block, Draw, Pages
from .sheet import BLACK, GREY, LEFT, MM, RIGHT, Sheets
from .style import Style
from .wrapping import Line, shortened, wrap
from .writing import write

ROW = 14.0
SIZE = 9.0
SMALL = 8.0
#: letters of the sentences below the terms, and the height of their lines
MENTION = 7.0
MENTION_LEADING = 9.0
BETWEEN_MENTIONS = 2.0
#: so many lines of such a sentence begin together
TOGETHER = 4
GAP = 4 * MM
TOTALS = 82 * MM
TAXES = 84 * MM
#: a table of more rates follows the totals: beside them it would leave them no page
MOST_TAXES = 15
#: height of the box to be signed
BOX = 68.0


def totals_block(paper: Paper, style: Style, sheets: Sheets, words: Language) -> Block:
    """The table of VAT on the left and the totals on the right: what stays on the page of the last line."""
    taxes = paper.taxes if len(paper.taxes) <= MOST_TAXES else []
    height = GAP + max(len(paper.totals) * ROW, (len(taxes) + 1) * 11.5 if taxes else 0) + GAP

    def draw(sheets: Sheets, y: float) -> None:
        sheets.bookmark(words.say("Total"), y)
        top = y + GAP
        if taxes:
            _draw_tax_head(sheets, top, style, words)
            for place, tax in enumerate(taxes, 1):
                _draw_tax(sheets, top + place * 11.5, tax)
        for place, (label, amount, strong) in enumerate(paper.totals):
            _draw_total(sheets, top + place * ROW, style, label, amount, strong)

    return Block(height, draw)


def place_rest(pages: Pages, paper: Paper, style: Style, sheets: Sheets, words: Language) -> None:
    """Place what follows the totals."""
    if len(paper.taxes) > MOST_TAXES:
        _place(pages, 11.5, lambda sheets, y: _draw_tax_head(sheets, y, style, words))
        for tax in paper.taxes:
            _place(pages, 11.5, lambda sheets, y, tax=tax: _draw_tax(sheets, y, tax))  # type: ignore[misc]
        pages.y += GAP
    _place_terms(pages, paper, style, sheets, words)
    _place_mentions(pages, paper, sheets)
    _place_note(pages, paper, style, sheets, words)


def _place(pages: Pages, height: float, draw: Draw) -> None:
    if height > pages.room:
        pages.turn()
    pages.add(height, draw)


def _place_terms(pages: Pages, paper: Paper, style: Style, sheets: Sheets, words: Language) -> None:
    """Place terms and bank, and beside them the box to be signed."""
    right = RIGHT - TOTALS - 10 if paper.acceptance else RIGHT
    labels = max((sheets.bold.width(label, SMALL) for label, _ in paper.terms), default=0.0)
    across = min(labels + 10, 45 * MM)
    wrapped = [
        (shortened(label, sheets.bold, SMALL, across - 4), wrap(text, sheets.regular, SMALL, right - LEFT - across))
        for label, text in paper.terms
    ]
    height = sum(len(lines) for _, lines in wrapped) * 11.0
    if min(height, pages.whole * 0.5) > pages.room or (paper.acceptance and pages.room < BOX):
        pages.turn()
    page, end = len(pages.pages), pages.y + BOX
    if paper.acceptance:
        pages.add(0, lambda sheets, y: _draw_box(sheets, y, style, words))
    for label, lines in wrapped:
        for place, line in enumerate(lines):

            def draw(sheets: Sheets, y: float, line: Line = line, label: str = "" if place else label) -> None:
                sheets.text(LEFT, y + 8, label, SMALL, bold=True, colour=style.accent)
                write(sheets, line, LEFT + across, right, y + 8, SMALL)

            _place(pages, 11, draw)
    if paper.acceptance and page == len(pages.pages):
        pages.y = max(pages.y, end)
    if wrapped or paper.acceptance:
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
    pages.add(11, lambda sheets, y: sheets.text(LEFT, y + 8, heading, SMALL, bold=True, colour=style.accent))
    _place_lines(pages, lines, SMALL, 10.5)
    pages.y += GAP


def _draw_box(sheets: Sheets, y: float, style: Style, words: Language) -> None:
    x = RIGHT - TOTALS
    text = shortened(words.say("Accepted: date and signature"), sheets.bold, SMALL, TOTALS - 10)
    sheets.box(x, y, TOTALS, 15, fill=style.tint)
    sheets.box(x, y, TOTALS, BOX, stroke="#999999")
    sheets.text(x + 5, y + 10.5, text, SMALL, bold=True, colour=style.accent)


def _draw_total(sheets: Sheets, y: float, style: Style, label: str, amount: str, strong: bool) -> None:
    left = RIGHT - TOTALS
    room = TOTALS - 14 - sheets.font(strong).width(amount, SIZE)
    fitting = shortened(label, sheets.font(strong), SIZE, room)
    ink = BLACK
    if strong:
        sheets.box(left, y, TOTALS, ROW, fill=style.accent)
        ink = "#ffffff"
    elif style.table == "framed":
        sheets.line(left, y + ROW, RIGHT, y + ROW, colour="#dddddd", width=0.4)
    sheets.text(left + 5, y + 10, fitting, SIZE, bold=strong, colour=ink)
    sheets.right(RIGHT - 4, y + 10, amount, SIZE, bold=strong, colour=ink)


def _draw_tax_head(sheets: Sheets, y: float, style: Style, words: Language) -> None:
    for place, text in enumerate(("VAT rate", "Net amount", "VAT amount")):
        x = LEFT + TAXES * (place + 1) / 3
        sheets.right(x, y + 8, shortened(words.say(text), sheets.bold, 7.5, TAXES / 3 - 4), 7.5, bold=True, colour=GREY)
    sheets.line(LEFT, y + 11, LEFT + TAXES, y + 11, colour=style.accent)


def _draw_tax(sheets: Sheets, y: float, tax: tuple[str, str, str]) -> None:
    for place, text in enumerate(tax):
        sheets.right(LEFT + TAXES * (place + 1) / 3, y + 9.5, text, SMALL)
