"""The recipient's address, placed for the windows of envelopes.

DIN 5008 form B has the window at the left, 45 mm from the top, 85 by 45 mm. NF Z 11-001 has it at the right, from
100 mm (the text from 110 mm). Swiss C5 envelopes have it 52 mm from the top, left or right; an A4 sheet slides in them
by 19 and 13 mm. All show text from 52 to 83 mm vertically, and from 25 to 103 or 118 to 190 mm horizontally.
"""

from __future__ import annotations

from ..content.printed_document import Party, PrintedDocument
from .sheet import BLACK, GREY, LEFT, MM, RIGHT, Sheets
from .wrapping import Line, one_line, shortened, wrap

#: the second column of the head
SECOND = 118 * MM
#: left edge of the address, and of the text beside it
ADDRESS = {"left": LEFT, "right": SECOND}
BESIDE = {"left": SECOND, "right": LEFT}
BLOCK = 72 * MM
#: width of the text beside the address
ROOM = {"left": RIGHT - SECOND, "right": 73 * MM}
#: on the side of the window, only the address is printed between these two positions
ZONE_TOP, ZONE_END = 45 * MM, 91 * MM
#: top of a short address (at the left, as DIN 5008 requires); highest top and lowest bottom of any address
TOP = {"left": 62.7 * MM, "right": 52 * MM}
HIGHEST, LOWEST = 52 * MM, 83 * MM
SIZE, LEADING = 10.0, 1.2
#: minimum font size of an address with many lines
SMALLEST = 5.5
#: font size of the return address, and minimum size if it is long
BACK, SMALLEST_BACK = 6.5, 5.0
#: marks for folding and punching, DIN 5008 form B
MARKS = ((105 * MM, 4 * MM), (148.5 * MM, 6 * MM), (210 * MM, 4 * MM))


class Address:
    """The recipient's address in the area of the window.

    :ivar end: bottom edge of the address
    """

    def __init__(self, document: PrintedDocument, sheets: Sheets) -> None:
        self.left = ADDRESS[document.window]
        self.size = SIZE
        self.lines = wrapped(document.recipient.address, sheets, SIZE, BLOCK, bold_first=True)
        while len(self.lines) * self.leading > LOWEST - HIGHEST and self.size > SMALLEST:
            self.size -= 0.5
            self.lines = wrapped(document.recipient.address, sheets, self.size, BLOCK, bold_first=True)
        height = len(self.lines) * self.leading
        self.top = max(HIGHEST, min(TOP[document.window], LOWEST - height))
        self.end = self.top + height
        # The windows of German envelopes also show the sender
        self.back, self.back_size = "", BACK
        if document.window == "left":
            self.back, self.back_size = _return_address(document.sender, sheets)

    @property
    def leading(self) -> float:
        """The leading, in points."""
        return self.size * LEADING

    def draw(self, sheets: Sheets) -> None:
        """Draw the address, with the return address above it."""
        if self.back:
            # Screen readers skip it, because it repeats the sender's address
            sheets.artifact()
            sheets.text(self.left, self.top - 5, self.back, self.back_size, colour=GREY)
            sheets.line(self.left, self.top - 2.5, self.left + BLOCK, self.top - 2.5, colour="#bbbbbb", width=0.4)
        sheets.tag("P")
        draw_lines(sheets, self.lines, self.left, self.top + self.size, self.size, self.leading, BLOCK)


def _return_address(sender: Party, sheets: Sheets) -> tuple[str, float]:
    """Return the sender in one line that fits, and its font size.

    If the line is too long, the country is left out first and the font gets smaller, then the street is left out.
    """
    lines = [line for line in sender.address if line != sender.country]
    for kept, smallest in ((sender.address, BACK), (lines, SMALLEST_BACK), ([*lines[:1], *lines[2:]], SMALLEST_BACK)):
        text = one_line(" · ".join(kept))
        size = BACK * min(1.0, BLOCK / (sheets.regular.width(text, BACK) or BLOCK))
        if size >= smallest:
            return text, size
    return shortened(" · ".join([*lines[:1], *lines[2:]]), sheets.regular, SMALLEST_BACK, BLOCK), SMALLEST_BACK


def draw_marks(sheets: Sheets, document: PrintedDocument) -> None:
    """Draw the marks for folding and punching if the document is for envelopes of DIN 5008."""
    if document.window == "left":
        for y, width in MARKS:
            sheets.line(4 * MM, y, 4 * MM + width, y, colour="#999999", width=0.4)


def wrapped(
    texts: list[str], sheets: Sheets, size: float, width: float, *, bold_first: bool = False
) -> list[tuple[Line, bool]]:
    """Return texts as lines that fit, each with whether it is bold."""
    lines = []
    for place, text in enumerate(texts):
        bold = bold_first and place == 0
        lines += [(line, bold) for line in wrap(text, sheets.font(bold), size, width)]
    return lines


def draw_lines(
    sheets: Sheets, lines: list[tuple[Line, bool]], x: float, y: float, size: float, leading: float, width: float,
    *, colour: str = BLACK,
) -> None:  # fmt: skip
    """Draw lines below each other; the first baseline is at y."""
    # If the first line is right-to-left, the whole block is right-aligned
    from_right = bool(lines) and lines[0][0].from_right
    for place, (line, bold) in enumerate(lines):
        if line.from_right or from_right:
            sheets.right(x + width, y + place * leading, line.text, size, bold=bold, colour=colour)
        else:
            sheets.text(x, y + place * leading, line.text, size, bold=bold, colour=colour)
