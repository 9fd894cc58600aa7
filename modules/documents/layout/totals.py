"""The blocks on the page of the last line: the amounts of work billed in parts, the VAT table, the totals."""

from __future__ import annotations

from ..content.language import Language
from ..content.printed_document import PrintedDocument
from .pages import Block
from .sheet import BLACK, GREY, LEFT, MM, RIGHT, Sheets
from .structure import ACROSS
from .style import Style
from .wrapping import Line, one_line, shortened, wrap

SMALL = 8.0
GAP = 4 * MM
#: minimum and maximum width of the totals; width of the VAT table beside them
TOTALS, WIDEST = 78 * MM, 100 * MM
TAXES = 84 * MM
TAX_ROW = 11.5
#: a VAT table with more rates is placed after the totals: beside them, the block might not fit on a page
MOST_TAXES = 15
#: maximum lines of a label
MOST_LINES = 3
#: height of the strip with the amounts of work billed in parts
PARTS = 32.0
#: space at either side of a total with a background
SIDE = 4.0
#: the VAT table and its headings in the structure tree
TAX_TABLE = "Table:taxes"
HEADINGS = (TAX_TABLE, "TR:headings")


def totals_block(document: PrintedDocument, style: Style, sheets: Sheets, words: Language) -> Block:
    """Return the block kept on the page of the last line: the VAT table at the left, the totals at the right."""
    taxes = document.taxes if len(document.taxes) <= MOST_TAXES else []
    rows = [_Total(*each, style, sheets) for each in document.totals]
    width = min(max(TOTALS, max((row.needed for row in rows), default=0.0)), WIDEST)
    across = min(TAXES, RIGHT - LEFT - width - 6 * MM)
    for row in rows:
        row.fit(width)
    parts = PARTS + GAP if document.parts else 0.0
    height = GAP + parts + max(sum(row.height for row in rows), (len(taxes) + 1) * TAX_ROW if taxes else 0) + GAP

    def draw(sheets: Sheets, y: float) -> None:
        sheets.bookmark(words.say("Total"), y)
        top = y + GAP
        if document.parts:
            _draw_parts(sheets, top, document.parts, style)
            top += parts
        if taxes:
            draw_tax_head(sheets, top, style, words, across)
            for place, tax in enumerate(taxes, 1):
                draw_tax(sheets, top + place * TAX_ROW, tax, across)
        for row in rows:
            row.draw(sheets, top)
            top += row.height

    return Block(height, draw)


class _Total:
    """A row of the totals; a long label is wrapped."""

    def __init__(self, label: str, amount: str, strong: bool, style: Style, sheets: Sheets) -> None:
        self.label, self.amount, self.strong, self.style = label, one_line(amount), strong, style
        self.font = sheets.font(strong)
        self.size = style.size + 0.5
        self.padding = self.size * 0.28
        if strong:
            self.size *= 1.3 if style.totals == "rule" else 1.1
            self.padding = self.size * 0.42
        self.behind = self.font.width(self.amount, self.size) + 16
        self.needed = self.font.width(one_line(label), self.size) + self.behind

    def fit(self, width: float) -> None:
        """Set the width of the row, wrap the label and compute the height."""
        self.width = width
        # A very long amount is printed below its label
        self.below = width - self.behind < 60
        self.lines = wrap(self.label, self.font, self.size, width - (10 if self.below else self.behind))[:MOST_LINES]
        if self.below:
            self.lines.append(Line(""))
        self.height = len(self.lines) * self.size * 1.2 + 2 * self.padding

    def draw(self, sheets: Sheets, y: float) -> None:
        """Draw the row below y."""
        left, ink = RIGHT - self.width, BLACK
        inset = 0.0 if self.style.totals == "rule" else SIDE
        if self.strong and self.style.totals == "box":
            sheets.box(left, y, self.width, self.height, fill=self.style.accent)
            ink = self.style.on_accent
        elif self.strong:
            ink = self.style.ink
            for edge in (y, y + self.height):
                sheets.line(left, edge, RIGHT, edge, colour=ink, width=1.0)
        elif self.style.table == "framed":
            sheets.line(left, y + self.height, RIGHT, y + self.height, colour="#dddddd", width=0.4)
        at = y + self.padding + self.size * 0.95
        row = ("Table:totals", f"TR:{id(self)}")
        sheets.tag(*row, "TH", attributes=ACROSS)
        for place, line in enumerate(self.lines):
            sheets.text(left + inset, at + place * self.size * 1.2, line.text, self.size, bold=self.strong, colour=ink)
        at += (len(self.lines) - 1) * self.size * 1.2 if self.below else 0
        sheets.tag(*row, "TD")
        sheets.right(RIGHT - inset, at, self.amount, self.size, bold=self.strong, colour=ink)


def draw_tax_head(sheets: Sheets, y: float, style: Style, words: Language, across: float = TAXES) -> None:
    """Draw the headings of the VAT table."""
    first, second, third = (
        shortened(words.say(text), sheets.bold, 7.5, across / 3 - 4)
        for text in ("VAT rate", "Net amount", "VAT amount")
    )
    sheets.tag(*HEADINGS, "TH")
    sheets.text(LEFT, y + 8, first, 7.5, bold=True, colour=GREY)
    sheets.tag(*HEADINGS, "TH")
    sheets.right(LEFT + across * 2 / 3, y + 8, second, 7.5, bold=True, colour=GREY)
    sheets.tag(*HEADINGS, "TH")
    sheets.right(LEFT + across, y + 8, third, 7.5, bold=True, colour=GREY)
    sheets.line(LEFT, y + 11, LEFT + across, y + 11, colour=style.accent)


def draw_tax(sheets: Sheets, y: float, tax: tuple[str, str, str], across: float = TAXES) -> None:
    """Draw a VAT rate with its amounts."""
    rate, net, amount = tax
    row = (TAX_TABLE, f"TR:{id(tax)}")
    sheets.tag(*row, "TD")
    sheets.text(LEFT, y + 9.5, rate, SMALL)
    sheets.tag(*row, "TD")
    sheets.right(LEFT + across * 2 / 3, y + 9.5, net, SMALL)
    sheets.tag(*row, "TD")
    sheets.right(LEFT + across, y + 9.5, amount, SMALL)


def _draw_parts(sheets: Sheets, y: float, parts: list[tuple[str, str]], style: Style) -> None:
    """Draw the amounts of work billed in parts side by side, each label above its amount."""
    width = (RIGHT - LEFT) / len(parts)
    sheets.box(LEFT, y, RIGHT - LEFT, PARTS, fill=style.tint)
    for place, (label, amount) in enumerate(parts):
        right = LEFT + (place + 1) * width - 5
        sheets.tag("P")
        said = wrap(label, sheets.regular, 6.8, width - 8)[:2]
        for line, text in enumerate(said):
            sheets.right(right, y + 9 + line * 7.5, text.text, 6.8, colour=GREY)
        shown = one_line(amount)
        size = min(SMALL, SMALL * (width - 8) / max(1.0, sheets.bold.width(shown, SMALL)))
        sheets.right(right, y + 27, shown, size, bold=True)
