"""The head of the first page (company, recipient, dates, references) and the short head of the following pages."""

from __future__ import annotations

from collections.abc import Sequence

from ..content.language import Language
from ..content.printed_document import PrintedDocument
from .masthead import Sender, draw_masthead, draw_stamp
from .pages import Pages
from .sheet import BLACK, GREY, LEFT, MM, RIGHT, WIDTH, Sheets
from .style import Style
from .window import BESIDE, ROOM, ZONE_END, ZONE_TOP, Address, draw_lines, draw_marks, wrapped
from .wrapping import Line, one_line, shortened, wrap

#: maximum facts in a row
IN_ROW = 5
LABEL = 6.5
VALUE = 8.5
#: font size of the status stamp beside the title
STAMP = 12.0
#: facts in a column: font size, leading, gap, width of the labels
FACT = 8.5
FACT_LEADING = 11.0
FACT_GAP = 2.0
FACT_LABEL = 31 * MM


def place_head(pages: Pages, document: PrintedDocument, style: Style, sheets: Sheets, words: Language) -> None:
    """Place the head of the first page, and bookmark the document."""
    address = Address(document, sheets)
    x, room = BESIDE[document.window], ROOM[document.window]
    pages.y = 0

    def draw(sheets: Sheets, _: float) -> None:
        sheets.bookmark(f"{document.title} {document.ref}", 0)
        draw_masthead(sheets, document, style, words)
        draw_marks(sheets, document)
        address.draw(sheets)

    pages.add(ZONE_TOP, draw)
    if style.facts == "block":
        _place_block(pages, document, sheets, x, room, address.top)
    else:
        sender = Sender(document, sheets, room, 34 * MM)
        pages.add(sender.height + 3 * MM, lambda sheets, y: sender.draw(sheets, x, y))
    _place_delivery(pages, document, sheets, words, x, room)
    pages.y = max(pages.y, address.end + 3 * MM, ZONE_END)
    if style.facts == "block":
        _place_title(pages, document, style, sheets)
    else:
        _place_strip(pages, document, style, sheets)


def draw_short_head(sheets: Sheets, document: PrintedDocument, style: Style) -> None:
    """Draw the head of a following page."""
    own = shortened(document.sender.name, sheets.bold, 8.5, 80 * MM)
    if style.head == "band":
        sheets.box(0, 0, WIDTH, 16 * MM, fill=style.accent)
        ink = style.on_accent
    else:
        sheets.line(LEFT, 19 * MM, RIGHT, 19 * MM, colour=style.accent, width=0.8)
        ink = style.ink
    sheets.text(LEFT, 15 * MM if style.head == "plain" else 10 * MM, own, 8.5, bold=True, colour=ink)
    title = shortened(f"{document.title} {document.ref}", sheets.regular, 8.5, 85 * MM)
    sheets.right(RIGHT, 15 * MM if style.head == "plain" else 10 * MM, title, 8.5, colour=ink)


def _place_title(pages: Pages, document: PrintedDocument, style: Style, sheets: Sheets) -> None:
    """Place the title, the reference and, at the right, the status stamp.

    The reference is beside the title, or below it if the line is too short for both.
    """
    size, title, ref = style.title, one_line(document.title), one_line(document.ref)
    stamp = one_line(document.standing)
    room = RIGHT - LEFT - (sheets.bold.width(stamp, STAMP) + 30 if stamp else 0.0)
    while size > 13 and sheets.bold.width(title, size) > room:
        size -= 0.5
    title = shortened(document.title, sheets.bold, size, room)
    after = sheets.bold.width(title + " ", size) + 2
    beside = after + sheets.regular.width(ref, size) <= room
    if not beside:
        ref = shortened(document.ref, sheets.regular, 13, RIGHT - LEFT)

    def draw(sheets: Sheets, y: float) -> None:
        sheets.tag("H1")
        sheets.text(LEFT, y + size, title, size, bold=True, colour=style.ink)
        if beside:
            sheets.text(LEFT + after, y + size, ref, size, colour=GREY)
        else:
            sheets.text(LEFT, y + size + 17, ref, 13, colour=GREY)
        if stamp:
            draw_stamp(sheets, document.standing, RIGHT, y + size - 1.38 * STAMP, STAMP, style.ink)

    pages.y += 4 * MM
    pages.add(size + 4 if beside else size + 21, draw)
    pages.y += 4 * MM


def _place_block(pages: Pages, document: PrintedDocument, sheets: Sheets, x: float, room: float, top: float) -> None:
    """Place dates and references in a column, each value beside its label.

    The column begins at the top of the address, or higher if it would end below the address zone.
    """
    width = room - FACT_LABEL - 6
    facts = [
        (wrap(label, sheets.regular, FACT - 1, FACT_LABEL), wrap(value, sheets.regular, FACT, width))
        for label, value in document.facts
    ]
    heights = [max(len(label), len(value)) * FACT_LEADING + FACT_GAP for label, value in facts]
    pages.y = max(pages.y, min(top, ZONE_END - sum(heights)))
    for height, (label, value) in zip(heights, facts, strict=True):

        def draw(sheets: Sheets, y: float, label: list[Line] = label, value: list[Line] = value) -> None:
            sheets.tag("P")
            for lines, left, size, across, ink in (
                (label, x, FACT - 1, FACT_LABEL, GREY),
                (value, x + FACT_LABEL + 6, FACT, width, BLACK),
            ):
                draw_lines(
                    sheets, [(line, False) for line in lines], left, y + FACT, size, FACT_LEADING, across, colour=ink
                )

        pages.add(height, draw)
    pages.y += 2 * MM


def _place_delivery(
    pages: Pages, document: PrintedDocument, sheets: Sheets, words: Language, x: float, room: float
) -> None:
    """Place the delivery address, beside the recipient's."""
    if document.delivery is None:
        return
    lines = wrapped([*document.delivery.address, *document.delivery.details], sheets, VALUE, room, bold_first=True)
    label = shortened(words.say("Delivery address"), sheets.regular, 7.5, room)

    def draw(sheets: Sheets, y: float) -> None:
        sheets.text(x, y + 7.5, label, 7.5, colour=GREY)
        draw_lines(sheets, lines, x, y + 18.5, VALUE, 10.5, room)

    pages.add(12 + len(lines) * 10.5, draw)
    pages.y += 2 * MM


def _place_strip(pages: Pages, document: PrintedDocument, style: Style, sheets: Sheets) -> None:
    """Place dates and references in rows of about equal length, each label above its value."""
    rows = -(-len(document.facts) // IN_ROW)
    in_row = -(-len(document.facts) // rows) if rows else IN_ROW
    width = (RIGHT - LEFT) / max(in_row, 3)
    for first in range(0, len(document.facts), in_row):
        cells = [
            (shortened(label, sheets.regular, LABEL, width - 10), wrap(value, sheets.regular, VALUE, width - 10))
            for label, value in document.facts[first : first + in_row]
        ]
        height = 16 + 10.5 * max(len(lines) for _, lines in cells)

        def draw(
            sheets: Sheets, y: float, cells: Sequence[tuple[str, list[Line]]] = cells, height: float = height
        ) -> None:
            if style.table == "framed":
                sheets.box(LEFT, y, RIGHT - LEFT, height, stroke="#999999")
            elif style.table == "striped":
                sheets.box(LEFT, y, RIGHT - LEFT, height, fill=style.tint)
            else:
                sheets.line(LEFT, y, RIGHT, y, colour=style.accent, width=0.8)
            for place, (label, lines) in enumerate(cells):
                sheets.tag("P")
                x = LEFT + place * width
                if place and style.table == "framed":
                    sheets.line(x, y, x, y + height, colour="#999999")
                sheets.text(x + 5, y + 9, label, LABEL, colour=style.ink if style.head == "band" else GREY)
                draw_lines(sheets, [(line, False) for line in lines], x + 5, y + 19.5, VALUE, 10.5, width - 10)

        pages.add(height, draw)
    pages.y += 4 * MM
