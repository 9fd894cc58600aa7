"""The table of a document's lines, over one or more pages."""

from __future__ import annotations

from decimal import Decimal

from ..content.language import Language
from ..content.printed_document import PrintedDocument
from .columns import SIDE, Columns, Row
from .pages import Block, Pages
from .sheet import BLACK, GREY, LEFT, RIGHT, Sheets
from .structure import Element, spanning
from .style import Column, Style
from .wrapping import shortened, write

#: height of headings of one line
HEAD = 17.0
#: minimum lines of text in each part of a row that is split between pages
FEWEST = 2
#: rows that need less than this share of a page are moved to the next page and not split
EASILY_MOVED = 0.5
#: the table and its headings in the structure tree
LINES = "Table:lines"
HEADINGS = (LINES, "TR:headings")


class Table:
    """The table of a document's lines."""

    def __init__(self, document: PrintedDocument, style: Style, sheets: Sheets, words: Language) -> None:
        self.style = style
        self.words = words
        self.size = style.size
        self.leading = style.size * style.leading
        self.padding = style.padding
        self.columns = Columns(document, style, sheets, words)
        self.head = HEAD + (max(map(len, self.columns.headings.values())) - 1) * self.size * 1.1
        self.carry = self.leading + 6 if document.carried and "total" in self.columns.edges else 0.0
        self.sum: Decimal | None = None
        self.headed = False

    # Placing ---------------------------------------------------------------------------------------------------------

    def place(self, pages: Pages, totals: Block, rest: float = 0.0) -> None:
        """Place the rows, and the totals on the page of the last row.

        :param rest: height to keep free on that page for the blocks after the totals, if possible
        """
        # Keep room for the carried-forward sum at the end of every page
        pages.bottom -= self.carry
        self._begin(pages)
        groups = _groups(self.columns.rows)
        for group in groups[:-1]:
            self._place_group(pages, group, 0.0)
        if groups:
            self._place_last(pages, groups[-1], totals.height, rest if len(groups) > 1 else 0.0)
        elif totals.height > pages.room:
            self._turn(pages)
        pages.bottom += self.carry
        self._end(pages)
        pages.add(totals.height, totals.draw)

    def _place_last(self, pages: Pages, group: list[Row], totals: float, rest: float) -> None:
        """Place the last rows with the totals; on the next page if only the rest would be on that page otherwise."""
        needed = sum(map(self._height, group)) + totals
        if needed + rest > pages.room + self.carry and needed + rest <= pages.whole - self.head - self.carry:
            self._turn(pages)
        if needed <= pages.room + self.carry:
            # The last page has no carried-forward sum
            for row in group:
                self._add(pages, row, 0, row.tall)
        else:
            self._place_group(pages, group, totals)

    def _place_group(self, pages: Pages, group: list[Row], behind: float) -> None:
        """Place rows that stay together, and keep the height `behind` free after them."""
        needed = sum(map(self._height, group)) + behind
        whole = pages.whole - self.head - self.carry
        fits_next = needed <= whole and (behind or needed <= pages.whole * EASILY_MOVED)
        if needed > pages.room and fits_next:
            self._turn(pages)
        for row in group:
            height = self._height(row)
            if needed <= pages.room:
                self._add(pages, row, 0, row.tall)
            else:
                self._cut(pages, row, needed - height)
            needed -= height

    def _cut(self, pages: Pages, row: Row, behind: float) -> None:
        """Place a row, split between pages if it doesn't fit; keep the height `behind` free after its last part."""
        if behind > pages.whole * EASILY_MOVED:
            # The following block is split itself; room for its beginning is enough
            behind = (FEWEST + 1) * self.leading + 2 * self.padding
        first = 0
        while True:
            left = row.tall - first
            if left * self.leading + 2 * self.padding + behind <= pages.room:
                break
            fresh = pages.room >= pages.whole - self.head - self.carry - 1
            count = min(int((pages.room - 2 * self.padding) / self.leading), left - FEWEST)
            if count >= FEWEST or (fresh and count > 0):
                self._add(pages, row, first, first + count)
                first += count
            elif fresh:
                break
            self._turn(pages)
        self._add(pages, row, first, row.tall)

    def _height(self, row: Row) -> float:
        return row.tall * self.leading + 2 * self.padding

    def _add(self, pages: Pages, row: Row, first: int, last: int) -> None:
        height = (last - first) * self.leading + 2 * self.padding
        if first == 0 and row.line.amount is not None:
            self.sum = (self.sum or Decimal(0)) + row.line.amount
        pages.add(height, lambda sheets, y: self._draw_row(sheets, y, row, first, last, height))

    def _turn(self, pages: Pages) -> None:
        self._place_carried(pages, "Carried forward")
        self._end(pages)
        pages.turn()
        self._begin(pages)
        self._place_carried(pages, "Brought forward")

    def _begin(self, pages: Pages) -> None:
        self._top = pages.y
        # The rules between columns are drawn before the headings, which cover them; their end is not known yet
        self._rules = (pages.pages[-1], len(pages.pages[-1]))
        pages.add(self.head, self._draw_head)

    def _place_carried(self, pages: Pages, label: str) -> None:
        if self.carry and self.sum is not None:
            said, amount = self.words.say(label), self.words.number(self.sum, 2)
            pages.add(self.carry, lambda sheets, y: self._draw_carried(sheets, y, said, amount))

    def _end(self, pages: Pages) -> None:
        top, bottom = self._top, pages.y
        page, place = self._rules

        def rules(sheets: Sheets, _: float) -> None:
            for _, x in list(self.columns.edges.values())[:-1]:
                sheets.line(x, top, x, bottom, colour="#cccccc", width=0.4)

        def frame(sheets: Sheets, _: float) -> None:
            if self.style.table == "framed":
                sheets.box(LEFT, top, RIGHT - LEFT, bottom - top, stroke="#999999")
            else:
                sheets.line(LEFT, bottom, RIGHT, bottom, colour=self.style.accent, width=0.8)

        if self.style.table == "framed":
            page.insert(place, (top, rules))
        pages.add(0, frame)

    # Drawing ---------------------------------------------------------------------------------------------------------

    def _draw_head(self, sheets: Sheets, y: float) -> None:
        style, size, height = self.style, self.size - 0.5, self.head
        ink, first = style.ink, not self.headed
        self.headed = True
        if style.table == "framed":
            sheets.box(LEFT, y, RIGHT - LEFT, height, fill=style.tint)
        elif style.head == "band":
            sheets.box(LEFT, y, RIGHT - LEFT, height, fill=style.accent)
            ink = style.on_accent
        else:
            sheets.line(LEFT, y + height, RIGHT, y + height, colour=style.accent, width=0.8)
        for name, (left, right) in self.columns.edges.items():
            sheets.tag(*HEADINGS, f"TH:{name}") if first else sheets.artifact()
            lines = self.columns.headings[name]
            for place, line in enumerate(lines, 1 - len(lines)):
                at = y + height - 5.5 + place * self.size * 1.1
                text = shortened(line.text, sheets.bold, size, right - left - SIDE)
                if name in ("text", "ref"):
                    sheets.text(left + SIDE, at, text, size, bold=True, colour=ink)
                else:
                    sheets.right(right - SIDE, at, text, size, bold=True, colour=ink)

    def _draw_carried(self, sheets: Sheets, y: float, label: str, amount: str) -> None:
        sheets.artifact()
        right, at = self.columns.edges["total"][1], y + 3 + self.size * 0.98
        sheets.text(self.columns.edges["text"][0] + SIDE, at, label, self.size, bold=True, colour=GREY)
        sheets.right(right - SIDE, at, amount, self.size, bold=True, colour=GREY)
        sheets.line(LEFT, y + self.carry, RIGHT, y + self.carry, colour="#dddddd", width=0.4)

    def _draw_row(self, sheets: Sheets, y: float, row: Row, first: int, last: int, height: float) -> None:
        kind = row.line.kind
        self._draw_ground(sheets, y, row, height)
        if kind == "title" and first == 0:
            sheets.bookmark(row.line.label or row.line.text, y, 1)
        baseline = y + self.padding + self.size * 0.95
        cells = self._cells(sheets, row)
        sheets.use(cells["text"])
        self._draw_text(sheets, baseline, row, first, last)
        ink = GREY if kind == "option" else BLACK
        for name, lines in row.cells.items():
            left, right = self.columns.edges[name]
            sheets.use(cells[name])
            for place, line in enumerate(lines[first:last]):
                at = baseline + place * self.leading
                if name == "ref":
                    sheets.text(left + SIDE, at, line.text, self.size, colour=ink)
                else:
                    sheets.right(right - SIDE, at, line.text, self.size, bold=kind == "subtotal", colour=ink)

    def _cells(self, sheets: Sheets, row: Row) -> dict[Column, Element]:
        """Return the cells of a row in the structure tree, in the order of the columns, including empty ones."""
        place, names = (LINES, f"TR:{id(row)}"), list(self.columns.edges)
        if row.line.kind not in ("title", "subtotal"):
            return dict(zip(names, sheets.row_cells(*place, count=len(names)), strict=True))
        amount = row.line.kind == "subtotal" and "total" in names
        heading, *others = sheets.row_cells(*place, count=1 + amount, attributes=spanning(len(names) - amount))
        return {"text": heading, "total": others[0] if others else heading}

    def _draw_ground(self, sheets: Sheets, y: float, row: Row, height: float) -> None:
        if row.line.kind == "title":
            sheets.box(LEFT + 0.3, y, RIGHT - LEFT - 0.6, height, fill=self.style.tint)
        elif row.line.kind == "subtotal":
            sheets.box(LEFT + 0.3, y + 0.3, RIGHT - LEFT - 0.6, height - 0.6, fill="#ffffff")
        elif self.style.table == "striped" and row.number % 2 == 0:
            sheets.box(LEFT, y, RIGHT - LEFT, height, fill="#f6f6f6")
        if self.style.table != "striped":
            sheets.line(LEFT, y + height, RIGHT, y + height, colour="#dddddd", width=0.4)

    def _draw_text(self, sheets: Sheets, baseline: float, row: Row, first: int, last: int) -> None:
        kind = row.line.kind
        heading = kind in ("title", "subtotal")
        left, right = (LEFT, RIGHT) if heading else self.columns.edges["text"]
        if kind == "subtotal":
            right = self.columns.edges["total"][0]
        ink = self.style.ink if heading else GREY if kind == "option" else BLACK
        for place, (line, bold) in enumerate(row.texts[first:last]):
            at = baseline + place * self.leading
            size = self.size + 0.5 if heading and bold else self.size
            if kind == "subtotal":
                sheets.right(right - SIDE, at, line.text, size, bold=bold, colour=ink)
            else:
                write(sheets, line, left + SIDE, right - SIDE, at, size, bold=bold, colour=ink)


def _groups(rows: list[Row]) -> list[list[Row]]:
    """Return the rows in groups that stay together: a title with the next line, a subtotal with the line before it."""
    groups: list[list[Row]] = []
    after_title = False
    for row in rows:
        if groups and (after_title or row.line.kind == "subtotal"):
            groups[-1].append(row)
        else:
            groups.append([row])
        after_title = row.line.kind == "title"
    return groups
