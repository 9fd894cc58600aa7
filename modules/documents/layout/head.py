"""The head of the first page: own company, recipient, dates and references; and the short one of those that follow."""

from __future__ import annotations

from collections.abc import Sequence

from ..papers.language import Language
from ..papers.paper import Paper
from .images import picture_of
from .pages import Pages
from .sheet import BLACK, GREY, LEFT, MM, RIGHT, WIDTH, Sheets
from .style import Style
from .wrapping import Line, shortened, wrap

#: where the window of an envelope shows the address: DIN left, NF right; width of the block
WINDOW = {"left": (LEFT, 52 * MM), "right": (112 * MM, 50 * MM)}
OTHER = {"left": 125 * MM, "right": LEFT}
BLOCK = 80 * MM
BAND = 32 * MM
FACTS = 90 * MM
IN_ROW = 4
LABEL = 6.5
VALUE = 9.0


def place_head(pages: Pages, paper: Paper, style: Style, sheets: Sheets, words: Language) -> None:
    """Place the head of the first page, and bookmark the paper."""
    address = _wrapped(paper.recipient.address, sheets, 10, BLOCK, bold_first=True)
    own_width = RIGHT - OTHER["left"] if paper.window == "left" else BLOCK
    own = _wrapped(paper.sender.address, sheets, 8.5, own_width, bold_first=True)
    own += _wrapped(paper.sender.details, sheets, 8.5, own_width)
    x, y = WINDOW[paper.window]

    def draw(sheets: Sheets, _: float) -> None:
        sheets.bookmark(f"{paper.title} {paper.ref}", 0)
        _draw_title(sheets, paper, style, words)
        if paper.window == "left":
            back = shortened(" · ".join(paper.sender.address), sheets.regular, 6.5, BLOCK)
            sheets.text(x, y - 14, back, 6.5, colour=GREY)
            sheets.line(x, y - 11, x + BLOCK, y - 11, colour="#bbbbbb", width=0.4)
        _draw_lines(sheets, address, x, y + 4, 10, 13, BLOCK)
        _draw_lines(sheets, own, OTHER[paper.window], y + 4, 8.5, 11, own_width, colour="#333333")

    pages.y = 0
    ends = y + 4 + max(len(address) * 13, len(own) * 11)
    pages.add(max(FACTS, ends + 4 * MM), draw)
    _place_facts(pages, paper, style, sheets)


def draw_short_head(sheets: Sheets, paper: Paper, style: Style) -> None:
    """Draw the head of a following page."""
    own = shortened(paper.sender.name, sheets.bold, 8.5, 80 * MM)
    if style.head == "band":
        sheets.box(0, 0, WIDTH, 16 * MM, fill=style.accent)
        ink = "#ffffff"
    else:
        sheets.line(LEFT, 19 * MM, RIGHT, 19 * MM, colour=style.accent, width=0.8)
        ink = style.accent
    sheets.text(LEFT, 15 * MM if style.head == "plain" else 10 * MM, own, 8.5, bold=True, colour=ink)
    title = shortened(f"{paper.title} {paper.ref}", sheets.regular, 8.5, 85 * MM)
    sheets.right(RIGHT, 15 * MM if style.head == "plain" else 10 * MM, title, 8.5, colour=ink)


def _draw_title(sheets: Sheets, paper: Paper, style: Style, words: Language) -> None:
    ink, faint = style.accent, GREY
    if style.head == "band":
        sheets.box(0, 0, WIDTH, BAND, fill=style.accent)
        ink = faint = "#ffffff"
    logo = picture_of(paper.logo) if paper.logo else None
    if logo:
        if style.head == "band":
            sheets.box(LEFT - 6, 5 * MM, 62 * MM + 12, 22 * MM, fill="#ffffff")
        sheets.picture(logo, LEFT, 7 * MM, 62 * MM, 18 * MM)
    else:
        name = shortened(paper.sender.name, sheets.bold, 15, 85 * MM)
        sheets.text(LEFT, 18 * MM, name, 15, bold=True, colour=ink)
    title = shortened(paper.title, sheets.bold, 17, 85 * MM)
    sheets.right(RIGHT, 16 * MM, title, 17, bold=True, colour=ink)
    sheets.right(RIGHT, 22.5 * MM, shortened(paper.ref, sheets.regular, 11, 85 * MM), 11, colour=faint)
    if paper.draft:
        sheets.right(RIGHT, 27.5 * MM, words.say("Draft"), 8.5, colour=faint)


def _place_facts(pages: Pages, paper: Paper, style: Style, sheets: Sheets) -> None:
    """Place dates and references: four in a row, label above value."""
    width = (RIGHT - LEFT) / IN_ROW
    for first in range(0, len(paper.facts), IN_ROW):
        cells = [
            (shortened(label, sheets.regular, LABEL, width - 10), wrap(value, sheets.regular, VALUE, width - 10))
            for label, value in paper.facts[first : first + IN_ROW]
        ]
        height = 16 + 11 * max(len(lines) for _, lines in cells)

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
                x = LEFT + place * width
                if place and style.table == "framed":
                    sheets.line(x, y, x, y + height, colour="#999999")
                sheets.text(x + 5, y + 9, label, LABEL, colour=style.accent if style.head == "band" else GREY)
                _draw_lines(sheets, [(line, False) for line in lines], x + 5, y + 20, VALUE, 11, width - 10)

        pages.add(height, draw)
    pages.y += 5 * MM


def _wrapped(
    texts: Sequence[str], sheets: Sheets, size: float, width: float, *, bold_first: bool = False
) -> list[tuple[Line, bool]]:
    lines = []
    for place, text in enumerate(texts):
        bold = bold_first and place == 0
        lines += [(line, bold) for line in wrap(text, sheets.font(bold), size, width)]
    return lines


def _draw_lines(
    sheets: Sheets, lines: Sequence[tuple[Line, bool]], x: float, y: float, size: float, leading: float, width: float,
    *, colour: str = BLACK,
) -> None:  # fmt: skip
    # A block that begins from right to left stands at the right as a whole
    from_right = bool(lines) and lines[0][0].from_right
    for place, (line, bold) in enumerate(lines):
        if line.from_right or from_right:
            sheets.right(x + width, y + place * leading, line.text, size, bold=bold, colour=colour)
        else:
            sheets.text(x, y + place * leading, line.text, size, bold=bold, colour=colour)
