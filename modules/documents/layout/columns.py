"""The columns of the line table: their widths, and the rows wrapped into them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..content.language import Language
from ..content.paragraphs import beside
from ..content.printed_document import PrintedDocument, PrintedLine
from .sheet import LEFT, RIGHT, Sheets
from .style import Column, Style
from .wrapping import Line, wrap

HEADINGS: dict[Column, str] = {
    "number": "No.", "ref": "Reference", "text": "Description", "vat": "VAT", "price": "Unit price",
    "qty": "Quantity", "discount": "Discount", "contract": "Contract total", "before": "Done before",
    "done": "Total done", "remaining": "Remaining", "total": "Total excl. VAT",
}  # fmt: skip
#: columns of work billed in parts; if the page is too narrow, they are dropped from the last to the first
PARTS: tuple[Column, ...] = ("before", "contract", "done", "remaining")
#: columns that are shown even if they are empty
ALWAYS: tuple[Column, ...] = ("number", "text", "qty", "total")
#: space at either side of a cell
SIDE = 4.0
#: minimum width of the text column, whatever the numbers need
NARROWEST = 120.0
#: if the text column is narrower than this, in font sizes, headings are wrapped and columns of `PARTS` are dropped
COMFORTABLE = 18
WIDEST_REF = 80.0
#: maximum lines of a heading
MOST_LINES = 3
#: minimum width of a column whose numbers are broken into several lines
NARROWEST_NUMBER = 60.0


@dataclass
class Row:
    """A row: its text lines (each with whether it is bold), its cells, and its number; titles aren't counted."""

    line: PrintedLine
    texts: list[tuple[Line, bool]]
    cells: dict[Column, list[Line]]
    number: int

    @property
    def tall(self) -> int:
        """The height of the row in lines of text."""
        return max(len(self.texts), max(map(len, self.cells.values()), default=1))


class Columns:
    """The columns of a document's lines.

    :ivar edges: left and right of each column, from the left
    :ivar headings: heading of each column, in lines
    :ivar rows: the lines, wrapped
    """

    def __init__(self, document: PrintedDocument, style: Style, sheets: Sheets, words: Language) -> None:
        self.style = style
        self.words = words
        self.sheets = sheets
        # A table with horizontal rules only has no side padding: its text is aligned with the rest of the page
        edge = SIDE if style.table == "ruled" else 0.0
        self.left, self.right = LEFT - edge, RIGHT + edge
        parts = any(line.more for line in document.lines)
        self._said = {name: words.say(HEADINGS[name]) for name in _names(style.columns, document.lines, parts=parts)}
        if parts:
            self._said["total"] = words.say("Done now")
        numbers = list(_numbers(document.lines))
        self.widths = self._measure(document.lines, str(numbers[-1]) if numbers else "")
        self.edges = self._edges()
        self.headings = {
            name: wrap(said, sheets.bold, style.size - 0.5, self.widths[name] - 2 * SIDE + 0.1)[:MOST_LINES]
            for name, said in self._said.items()
        }
        self.rows = [self._row(line, number) for line, number in zip(document.lines, numbers, strict=True)]

    def _measure(self, lines: list[PrintedLine], last_number: str) -> dict[Column, float]:
        size = self.style.size
        needed: dict[Column, float] = {}
        widths: dict[Column, float] = {}
        for name, said in self._said.items():
            if name == "text":
                continue
            texts = {last_number} if name == "number" else {_cell(line, name) for line in lines}
            needed[name] = max((self.sheets.regular.width(text, size) for text in texts), default=0.0)
            if name == "ref":
                needed[name] = min(needed[name], WIDEST_REF)
            widths[name] = max(needed[name], self.sheets.bold.width(said, size - 0.5)) + 2 * SIDE
        if self.style.padding > SIDE:
            # A style with wide row padding also gets wider columns
            for name in widths:
                widths[name] += 2 * (self.style.padding - SIDE)
        room = self.right - self.left
        comfortable = COMFORTABLE * size
        if sum(widths.values()) + comfortable > room:
            for name in widths:
                longest = max(self.sheets.bold.width(word, size - 0.5) for word in self._said[name].split() or [""])
                widths[name] = max(needed[name], longest) + 2 * SIDE + 0.5
        for name in reversed(PARTS):
            if name in widths and sum(widths.values()) + comfortable > room:
                del widths[name], self._said[name]
        over = sum(widths.values()) + NARROWEST - room
        # If the numbers leave no room for the text column, they are broken into lines, the widest column first
        for name in sorted(widths, key=lambda each: -widths[each]):
            less = min(max(over, 0.0), max(0.0, widths[name] - NARROWEST_NUMBER))
            widths[name] -= less
            over -= less
        widths["text"] = room - sum(widths.values())
        return widths

    def _edges(self) -> dict[Column, tuple[float, float]]:
        edges, x = {}, self.left
        for name in self._said:
            edges[name] = (x, x + self.widths[name])
            x += self.widths[name]
        return edges

    def _row(self, line: PrintedLine, number: int) -> Row:
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
            text = "" if name == "text" else str(number) if name == "number" else _cell(line, name)
            if text:
                cells[name] = wrap(text, regular, size, room - 2 * SIDE + 0.1)
        return Row(line, texts, cells, number)

    def _heading(self, line: PrintedLine, number: int) -> Row:
        size = self.style.size
        subtotal = line.kind == "subtotal"
        width = RIGHT - LEFT - 2 * SIDE - (self.widths["total"] if subtotal else 0)
        texts = [(each, True) for each in wrap(line.label, self.sheets.bold, size + 0.5, width)]
        if line.text:
            texts += [(each, False) for each in wrap(line.text, self.sheets.regular, size, width)]
        return Row(line, texts, {"total": [Line(line.total)]} if subtotal else {}, number)


def _names(columns: tuple[Column, ...], lines: list[PrintedLine], *, parts: bool) -> list[Column]:
    """Return the columns to show; a column that is empty in all lines is left out."""
    names = [each for each in columns if each not in PARTS]
    if parts:
        # "Done now" is between "Done before" and "Total done"; references are printed before the texts
        names = [name for name in names if name != "ref"]
        place = names.index("total") if "total" in names else len(names)
        names[place : place + 1] = ["contract", "before", "total", "done", "remaining"]
    return [name for name in names if name in ALWAYS or any(_cell(line, name) for line in lines)]


def _cell(line: PrintedLine, name: Column) -> str:
    return line.more.get(name, "") if name in PARTS else str(getattr(line, name))


def _numbers(lines: list[PrintedLine]) -> Iterator[int]:
    """Yield the number of each line; a title isn't counted and gets the number of the line before it."""
    number = 0
    for line in lines:
        number += line.kind in ("line", "option")
        yield number
