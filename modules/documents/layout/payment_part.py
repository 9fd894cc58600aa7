"""The payment part of a document: a sentence below its head, a QR code beside the terms."""

from __future__ import annotations

from ..content.printed_document import PrintedDocument
from .pages import Block, Pages
from .sheet import BLACK, LEFT, MM, RIGHT, Sheets
from .style import Style
from .wrapping import shortened, wrap

SENTENCE, LINK, LABEL = 10.5, 8.0, 7.0
LEADING = 1.3
#: space around the sentence; gap below it
SIDE, GAP = 6.0, 4 * MM
#: width of the code with its quiet zone, of that zone in modules, and of the space beside the code
CODE, QUIET, BESIDE = 28 * MM, 4, 10.0


def place_sentence(pages: Pages, document: PrintedDocument, style: Style, sheets: Sheets) -> None:
    """Place the sentence with the amount to pay, and the link for paying online."""
    part = document.payment
    if part is None or not part.sentence:
        return
    room = RIGHT - LEFT - 2 * SIDE
    lines = wrap(part.sentence, sheets.bold, SENTENCE, room)
    links = wrap(part.link, sheets.regular, LINK, room) if part.link else []
    height = 2 * SIDE + LEADING * (SENTENCE * len(lines) + LINK * len(links)) - 2

    def draw(sheets: Sheets, y: float) -> None:
        sheets.box(LEFT, y, RIGHT - LEFT, height, fill=style.tint)
        sheets.box(LEFT, y, 2.5, height, fill=style.accent)
        at = y + SIDE
        for line in lines:
            _write(sheets, line.text, at, SENTENCE, bold=True, from_right=line.from_right)
            at += SENTENCE * LEADING
        for line in links:
            _write(sheets, line.text, at, LINK, colour=style.ink)
            sheets.link(part.link, LEFT + SIDE, at, sheets.regular.width(line.text, LINK), LINK * LEADING)
            at += LINK * LEADING

    pages.add(height, draw)
    pages.y += GAP


def _write(
    sheets: Sheets, text: str, y: float, size: float, *, bold: bool = False, from_right: bool = False,
    colour: str = BLACK,
) -> None:  # fmt: skip
    write, x = (sheets.right, RIGHT - SIDE) if from_right else (sheets.text, LEFT + SIDE)
    write(x, y + size * 0.95, text, size, bold=bold, colour=colour)


def code_block(document: PrintedDocument, x: float) -> Block | None:
    """Return the block of the QR code and its label; None if the document has no code.

    :param x: left edge of the block
    """
    part = document.payment
    if part is None or not part.code:
        return None

    def draw(sheets: Sheets, y: float) -> None:
        sheets.qr_code(part.code, x, y, CODE, quiet=QUIET, alt=part.code_label)
        label = shortened(part.code_label, sheets.regular, LABEL, CODE)
        sheets.text(x + (CODE - sheets.regular.width(label, LABEL)) / 2, y + CODE + 3, label, LABEL)

    return Block(CODE + LABEL, draw)
