"""Where the windows of envelopes show the recipient, and the recipient there.

DIN 5008 form B has the window left, 45 mm from the top, 85 by 45 mm; NF Z 11-001 right, from 100 mm (the text from
110 mm). Swiss C5 envelopes have theirs 52 mm from the top, left or right, and an A4 sheet slides in them by 19 and
13 mm. What stands between 52 and 83 mm, and between 25 and 103 or between 118 and 190 mm, is seen in all of them.
"""

from __future__ import annotations

from ..papers.paper import Paper, Party
from .sheet import BLACK, GREY, LEFT, MM, RIGHT, Sheets
from .wrapping import Line, one_line, shortened, wrap

#: the second column of the head
SECOND = 118 * MM
#: left edge of the address, and of what stands beside it
ADDRESS = {"left": LEFT, "right": SECOND}
BESIDE = {"left": SECOND, "right": LEFT}
BLOCK = 72 * MM
#: widths of what stands beside the address
ROOM = {"left": RIGHT - SECOND, "right": 73 * MM}
#: nothing but the address stands between these two, on the side of the window
ZONE_TOP, ZONE_END = 45 * MM, 91 * MM
#: where the address begins and ends at the latest; a short one begins where DIN 5008 wants it
TOP = {"left": 62.7 * MM, "right": 52 * MM}
HIGHEST, LOWEST = 52 * MM, 83 * MM
SIZE, LEADING = 10.0, 1.2
#: an address of very many lines is written smaller, down to this
SMALLEST = 5.5
#: letters of the return address, and the smallest ones where it is long
BACK, SMALLEST_BACK = 6.5, 5.0
#: marks for folding and punching, DIN 5008 form B
MARKS = ((105 * MM, 4 * MM), (148.5 * MM, 6 * MM), (210 * MM, 4 * MM))


class Address:
    """The recipient, where the window shows it.

    :ivar end: where it ends
    """

    def __init__(self, paper: Paper, sheets: Sheets) -> None:
        self.left = ADDRESS[paper.window]
        self.size = SIZE
        self.lines = wrapped(paper.recipient.address, sheets, SIZE, BLOCK, bold_first=True)
        while len(self.lines) * self.leading > LOWEST - HIGHEST and self.size > SMALLEST:
            self.size -= 0.5
            self.lines = wrapped(paper.recipient.address, sheets, self.size, BLOCK, bold_first=True)
        height = len(self.lines) * self.leading
        self.top = max(HIGHEST, min(TOP[paper.window], LOWEST - height))
        self.end = self.top + height
        # German envelopes show who sent the letter
        self.back, self.back_size = "", BACK
        if paper.window == "left":
            self.back, self.back_size = _return_address(paper.sender, sheets)

    @property
    def leading(self) -> float:
        """From line to line, in points."""
        return self.size * LEADING

    def draw(self, sheets: Sheets) -> None:
        """Draw it, with the sender's line above it."""
        if self.back:
            # It says again what stands beside it
            sheets.artifact()
            sheets.text(self.left, self.top - 5, self.back, self.back_size, colour=GREY)
            sheets.line(self.left, self.top - 2.5, self.left + BLOCK, self.top - 2.5, colour="#bbbbbb", width=0.4)
        sheets.tag("P")
        draw_lines(sheets, self.lines, self.left, self.top + self.size, self.size, self.leading, BLOCK)


def _return_address(sender: Party, sheets: Sheets) -> tuple[str, float]:
    """Who sent the letter in one line that fits, and the size of its letters.

    What the post misses least is left out first: the country, then, where small letters do not help, the street.
    """
    lines = [line for line in sender.address if line != sender.country]
    for kept, smallest in ((sender.address, BACK), (lines, SMALLEST_BACK), ([*lines[:1], *lines[2:]], SMALLEST_BACK)):
        text = one_line(" · ".join(kept))
        size = BACK * min(1.0, BLOCK / (sheets.regular.width(text, BACK) or BLOCK))
        if size >= smallest:
            return text, size
    return shortened(" · ".join([*lines[:1], *lines[2:]]), sheets.regular, SMALLEST_BACK, BLOCK), SMALLEST_BACK


def draw_marks(sheets: Sheets, paper: Paper) -> None:
    """Draw the marks for folding and punching, where the envelopes are those of DIN 5008."""
    if paper.window == "left":
        for y, width in MARKS:
            sheets.line(4 * MM, y, 4 * MM + width, y, colour="#999999", width=0.4)


def wrapped(
    texts: list[str], sheets: Sheets, size: float, width: float, *, bold_first: bool = False
) -> list[tuple[Line, bool]]:
    """Texts in lines that fit, each with its weight."""
    lines = []
    for place, text in enumerate(texts):
        bold = bold_first and place == 0
        lines += [(line, bold) for line in wrap(text, sheets.font(bold), size, width)]
    return lines


def draw_lines(
    sheets: Sheets, lines: list[tuple[Line, bool]], x: float, y: float, size: float, leading: float, width: float,
    *, colour: str = BLACK,
) -> None:  # fmt: skip
    """Draw lines below each other, the first of them on y."""
    # A block that begins from right to left stands at the right as a whole
    from_right = bool(lines) and lines[0][0].from_right
    for place, (line, bold) in enumerate(lines):
        if line.from_right or from_right:
            sheets.right(x + width, y + place * leading, line.text, size, bold=bold, colour=colour)
        else:
            sheets.text(x, y + place * leading, line.text, size, bold=bold, colour=colour)
