"""The blocks after the totals: status details, terms and bank, legal mentions, the note, the signature box."""

from __future__ import annotations

from dataclasses import dataclass

from ..content.language import Language
from ..content.printed_document import PrintedDocument
from .pages import Block, Draw, Pages
from .payment_part import BESIDE, CODE, code_block
from .sheet import LEFT, MM, RIGHT, Sheets
from .style import Style
from .totals import GAP, MOST_TAXES, SMALL, TAX_ROW, TOTALS, draw_tax, draw_tax_head
from .wrapping import Line, shortened, wrap, write

#: font size and leading of the sentences below the terms
MENTION = 7.0
MENTION_LEADING = 9.0
BETWEEN_MENTIONS = 2.0
#: number of first lines of a paragraph that are kept on one page
TOGETHER = 4
#: height of the note's heading and of each of its lines
NOTE_HEAD, NOTE_LEADING = 11.0, 10.5
#: height of the signature box
BOX = 68.0
#: maximum width of the labels of the terms: those of a mandate are long
LABELS = 62 * MM


class Terms:
    """Terms and bank, wrapped, and beside them the signature box or the QR code.

    :ivar height: required height in points
    :ivar code: the QR code; below the terms if the signature box is beside them
    :ivar beside: height of the signature box or the code, in points
    """

    def __init__(self, document: PrintedDocument, sheets: Sheets) -> None:
        self.code = code_block(document, LEFT if document.acceptance else RIGHT - CODE)
        self.beside = BOX if document.acceptance else self.code.height if self.code else 0.0
        self.right = RIGHT - (TOTALS + 10 if document.acceptance else CODE + BESIDE if self.code else 0)
        labels = max((sheets.bold.width(label, SMALL) for label, _ in document.terms), default=0.0)
        self.across = min(labels + 10, LABELS)
        room = self.right - LEFT - self.across
        self.wrapped = [
            (shortened(label, sheets.bold, SMALL, self.across - 4), wrap(text, sheets.regular, SMALL, room))
            for label, text in document.terms
        ]
        self.height = sum(len(lines) for _, lines in self.wrapped) * 11.0
        self.height = max(self.height, self.beside)


@dataclass(frozen=True)
class Beside:
    """The position of the signature box or QR code at the right of the following text.

    :param page: number of its page
    :param end: its bottom edge
    :param right: right edge of the text at its left
    """

    page: int
    end: float
    right: float

    def holds(self, pages: Pages) -> bool:
        """Return whether the current position of the pages is beside the box or code."""
        return self.page == len(pages.pages) and pages.y < self.end

    def leave(self, pages: Pages) -> None:
        """Move the current position below the box or code."""
        if self.holds(pages):
            pages.y = self.end + GAP


def place_rest(
    pages: Pages, document: PrintedDocument, style: Style, sheets: Sheets, words: Language, terms: Terms
) -> None:
    """Place the blocks after the totals."""
    if len(document.taxes) > MOST_TAXES:
        _place(pages, TAX_ROW, lambda sheets, y: draw_tax_head(sheets, y, style, words))
        for tax in document.taxes:
            _place(pages, TAX_ROW, lambda sheets, y, tax=tax: draw_tax(sheets, y, tax))  # type: ignore[misc]
        pages.y += GAP
    _place_standing(pages, document, sheets)
    below = _place_terms(pages, document, style, sheets, words, terms)
    _place_mentions(pages, document, sheets, below)
    _place_note(pages, document, style, sheets, words, below)
    below.leave(pages)


def _place(pages: Pages, height: float, draw: Draw) -> None:
    if height > pages.room:
        pages.turn()
    pages.add(height, draw)


def _place_standing(pages: Pages, document: PrintedDocument, sheets: Sheets) -> None:
    """Place the sentences about the document's status, below the totals."""
    for sentence in document.standing_details:
        for line in wrap(sentence, sheets.regular, SMALL, TOTALS):
            _place(
                pages, 10.5,
                lambda sheets, y, line=line: write(sheets, line, RIGHT - TOTALS, RIGHT, y + 8, SMALL),  # type: ignore[misc]
            )  # fmt: skip
    if document.standing_details:
        pages.y += GAP


def _place_terms(
    pages: Pages, document: PrintedDocument, style: Style, sheets: Sheets, words: Language, terms: Terms
) -> Beside:
    """Place terms and bank, with the signature box or QR code beside them; return the position of box or code."""
    right, across, wrapped, code = terms.right, terms.across, terms.wrapped, terms.code
    if min(terms.height, pages.whole * 0.5) > pages.room or pages.room < terms.beside:
        pages.turn()
    page, end = len(pages.pages), pages.y + terms.beside
    if document.acceptance:
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
    beside = Beside(page, end if terms.beside else 0.0, right)
    if code and document.acceptance:
        beside.leave(pages)
        _place(pages, code.height, code.draw)
    if wrapped or (code and document.acceptance):
        pages.y += GAP
    return beside


def _place_mentions(pages: Pages, document: PrintedDocument, sheets: Sheets, beside: Beside) -> None:
    """Place the sentences required by law or by the company, each as a paragraph."""
    mentions = [each for each in document.mentions if each.strip()]
    for each in mentions:
        _place_paragraph(pages, each, sheets, beside, MENTION, MENTION_LEADING)
        pages.y += BETWEEN_MENTIONS
    if mentions:
        pages.y += GAP - BETWEEN_MENTIONS


def _place_note(
    pages: Pages, document: PrintedDocument, style: Style, sheets: Sheets, words: Language, beside: Beside
) -> None:
    if not document.note.strip():
        return
    heading = words.say("Note")
    head = Block(NOTE_HEAD, lambda sheets, y: sheets.text(LEFT, y + 8, heading, SMALL, bold=True, colour=style.ink))
    _place_paragraph(pages, document.note, sheets, beside, SMALL, NOTE_LEADING, head)
    pages.y += GAP


def _place_paragraph(
    pages: Pages, text: str, sheets: Sheets, beside: Beside, size: float, leading: float, head: Block | None = None
) -> None:
    """Place a text over one or more pages.

    It is beside the QR code or signature box if it ends higher there, otherwise below them at full width.

    :param head: heading above the text
    """
    above = head.height if head else 0.0
    lines = wrap(text, sheets.regular, size, RIGHT - LEFT)
    right = RIGHT
    if beside.holds(pages):
        narrow = wrap(text, sheets.regular, size, beside.right - LEFT)
        if pages.y + len(narrow) * leading <= beside.end + GAP + len(lines) * leading:
            lines, right = narrow, beside.right
        else:
            beside.leave(pages)
    if above + leading * min(len(lines), TOGETHER - bool(head)) > pages.room:
        pages.turn()
        if right != RIGHT:
            lines, right = wrap(text, sheets.regular, size, RIGHT - LEFT), RIGHT
    if head:
        pages.add(head.height, head.draw)
    for line in lines:

        def draw(sheets: Sheets, y: float, line: Line = line) -> None:
            sheets.tag(f"P:{id(lines)}")
            write(sheets, line, LEFT, right, y + size, size)

        _place(pages, leading, draw)


def _draw_box(sheets: Sheets, y: float, style: Style, words: Language) -> None:
    x = RIGHT - TOTALS
    text = shortened(words.say("Accepted: date and signature"), sheets.bold, SMALL, TOTALS - 10)
    sheets.box(x, y, TOTALS, 15, fill=style.tint)
    sheets.box(x, y, TOTALS, BOX, stroke="#999999")
    sheets.tag("P")
    sheets.text(x + 5, y + 10.5, text, SMALL, bold=True, colour=style.ink)
