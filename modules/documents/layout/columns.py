"""The columns of the lines' table: how wide they are, and the rows that are wrapped into them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..papers.language import Language
from ..papers.paper import Paper, PaperLine
from ..papers.paragraphs import beside
from .sheet import LEFT, RIGHT, Sheets
from .style import Column, Style
from .wrapping import Line, wrap

HEADINGS: dict[Column, str] = {
    "number": "No.", "ref": "Reference", "text": "Description", "vat": "VAT", "price": "Unit price",
    "qty": "Quantity", "discount": "Discount", "total": "Total excl. VAT",
}  # fmt: skip
#: space at either side of a cell
SIDE = 4.0
#: the texts keep at least this width, whatever the numbers need
NARROWEST = 120.0
WIDEST_REF = 80.0
#: a column of numbers that are cut into several lines keeps at least this width
NARROWEST_NUMBER = 60.0


@dataclass
class Row:
    """A row: its text in lines with their weight, its cells, and its number among the lines that are no titles."""

    line: PaperLine
    texts: list[tuple[Line, bool]]
    cells: dict[Column, list[Line]]
    number: int

    @property
    def tall(self) -> int:
        """How many lines of text it has."""
        return max(len(self.texts), max(map(len, self.cells.values()), default=1))


class Columns:
    """The columns of a paper's lines.

    :ivar edges: left and right of each column, from the left
    :ivar headings: what stands above each
    :ivar rows: the lines, wrapped
    """

    def __init__(self, paper: Paper, style: Style, sheets: Sheets, words: Language) -> None:
        self.style = style
        self.words = words
        self.sheets = sheets
        discounts = any(line.discount for line in paper.lines)
        names = [name for name in style.columns if name != "discount" or discounts]
        self.headings = {name: words.say(HEADINGS[name]) for name in names}
        numbers = list(_numbers(paper.lines))
        self.widths = self._measure(paper.lines, str(numbers[-1]) if numbers else "")
        self.edges = self._edges()
        self.rows = [self._row(line, number) for line, number in zip(paper.lines, numbers, strict=True)]

    def _measure(self, lines: list[PaperLine], last_number: str) -> dict[Column, float]:
        size = self.style.size
        widths: dict[Column, float] = {}
        for name, heading in self.headings.items():
            if name == "text":
                continue
            texts = {last_number} if name == "number" else {getattr(line, name) for line in lines}
            widest = max((self.sheets.regular.width(text, size) for text in texts), default=0.0)
            if name == "ref":
                widest = min(widest, WIDEST_REF)
            widths[name] = max(widest, self.sheets.bold.width(heading, size - 0.5)) + 2 * SIDE
        over = sum(widths.values()) + NARROWEST - (RIGHT - LEFT)
        # Numbers so long that they would leave the texts no room are cut into several lines, the widest column first
        for name in sorted(widths, key=lambda each: -widths[each]):
            less = min(max(over, 0.0), max(0.0, widths[name] - NARROWEST_NUMBER))
            widths[name] -= less
            over -= less
        widths["text"] = RIGHT - LEFT - sum(widths.values())
        return widths

    def _edges(self) -> dict[Column, tuple[float, float]]:
        edges, x = {}, LEFT
        for name in self.headings:
            edges[name] = (x, x + self.widths[name])
            x += self.widths[name]
        return edges

    def _row(self, line: PaperLine, number: int) -> Row:
        if line.kind in ("title", "subtotal"):
            return self._heading(line, number)
        size, regular = self.style.size, self.sheets.regular
        width = self.widths["text"] - 2 * SIDE
        head = line.label if "ref" in self.edges else beside(line.ref, line.label)
        texts = [(each, True) for each in wrap(head, self.sheets.bold, size, width)] if head else []
        if line.text or not texts:
            texts += [(each, False) for each in wrap(line.text, regular, size, width)]
        if line.kind == "option":
            texts.append((Line(self.words.say("Option")), False))
        cells: dict[Column, list[Line]] = {}
        for name, room in self.widths.items():
            text = "" if name == "text" else str(number) if name == "number" else getattr(line, name)
            if text:
                cells[name] = wrap(text, regular, size, room - 2 * SIDE + 0.1)
        return Row(line, texts, cells, number)

    def _heading(self, line: PaperLine, number: int) -> Row:
        size = self.style.size
        subtotal = line.kind == "subtotal"
        width = RIGHT - LEFT - 2 * SIDE - (self.widths["total"] if subtotal else 0)
        texts = [(each, True) for each in wrap(line.label, self.sheets.bold, size + 0.5, width)]
        if line.text:
            texts += [(each, False) for each in wrap(line.text, self.sheets.regular, size, width)]
        return Row(line, texts, {"total": [Line(line.total)]} if subtotal else {}, number)


def _numbers(lines: list[PaperLine]) -> Iterator[int]:
    """The number of each line among those that are no titles; a title has that of the line before it."""
    number = 0
    for line in lines:
        number += line.kind in ("line", "option")
        yield number
