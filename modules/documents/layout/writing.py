"""Lines of wrapped text, written between two edges: what is bold or italic in them, rules below and through."""

from __future__ import annotations

from ..papers.paragraphs import BOLD, ITALIC, STRUCK, UNDERLINE
from .sheet import BLACK, Sheets
from .wrapping import Line

#: places of rules below the line that letters stand on, and how thick they are, in sizes of the letters
RULES = ((UNDERLINE, 0.13), (STRUCK, -0.28))
THICK = 0.055


def write(
    sheets: Sheets, line: Line, left: float, right: float, y: float, size: float,
    *, bold: bool = False, colour: str = BLACK,
) -> None:  # fmt: skip
    """Write a line at the left edge, or at the right one where it is read from there.

    :param bold: it is bold as a whole
    """
    if line.marker:
        sheets.text(left + line.marked, y, line.marker, size, bold=bold, colour=colour)
    if line.runs:
        _write_runs(sheets, line, left, right, y, size, bold=bold, colour=colour)
    elif line.from_right:
        sheets.right(right, y, line.text, size, bold=bold, colour=colour)
    else:
        sheets.text(left + line.indent, y, line.text, size, bold=bold, colour=colour)


def _write_runs(
    sheets: Sheets, line: Line, left: float, right: float, y: float, size: float, *, bold: bool, colour: str
) -> None:
    ways = [(text, style, bool(bold or style & BOLD), bool(style & ITALIC)) for text, style in line.runs]
    widths = [sheets.font(heavy, italic).width(text, size) for text, _, heavy, italic in ways]
    x = right - sum(widths) if line.from_right else left + line.indent
    for (text, style, heavy, italic), width in zip(ways, widths, strict=True):
        sheets.text(x, y, text, size, bold=heavy, italic=italic, colour=colour)
        for rule, below in RULES:
            if style & rule:
                at = y + below * size
                sheets.line(x, at, x + width, at, colour=colour, width=round(THICK * size, 2))
        x += width
