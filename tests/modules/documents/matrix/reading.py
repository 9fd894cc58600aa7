"""What stands on the pages of a PDF file, and where: each piece of text with its place, in the order it is written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from io import BytesIO

import pikepdf

Matrix = pikepdf.Matrix
#: of a letter, as a part of its size: how far what is seen of it reaches above and below its line
ABOVE, BELOW = 0.7, 0.05
#: a pair of codes in a font's map to Unicode, and a range of them
_PAIR = re.compile(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>")
_RANGE = re.compile(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>\s*(<[0-9A-Fa-f]+>|\[[^\]]*\])")


@dataclass(frozen=True)
class Piece:
    """A piece of text on a page. Places are points from the left and the bottom.

    :param y: where its letters stand
    """

    text: str
    x: float
    y: float
    width: float
    size: float
    upright: bool

    @property
    def right(self):
        """Where it ends."""
        return self.x + self.width

    def covers(self, other, slack=0.6):
        """Whether two pieces cover each other by more than a slack."""
        across = min(self.right, other.right) - max(self.x, other.x)
        top = min(self.y + ABOVE * self.size, other.y + ABOVE * other.size)
        bottom = max(self.y - BELOW * self.size, other.y - BELOW * other.size)
        return across > slack and top - bottom > slack


@dataclass(frozen=True)
class Page:
    """A page: its size in points, and its pieces in the order they are written."""

    width: float
    height: float
    pieces: list[Piece]

    def text(self):
        """What can be read, without any space."""
        return re.sub(r"\s+", "", "".join(piece.text for piece in self.pieces if piece.upright))


class _Font:
    """A font of a file: what its codes mean and how wide they are."""

    def __init__(self, font):
        self.bytes = 2 if font.Subtype == "/Type0" else 1
        self.meaning = _meaning(font.ToUnicode.read_bytes()) if "/ToUnicode" in font else {}
        if self.bytes == 1:
            first = int(font.get("/FirstChar", 0))
            self.widths = {first + place: float(width) for place, width in enumerate(font.get("/Widths", []))}
            self.usual = 0.0
        else:
            (below,) = font.DescendantFonts
            self.widths = _wide(below.get("/W", []))
            self.usual = float(below.get("/DW", 1000))

    def read(self, data):
        """A string: its text, and its width for letters of one point."""
        codes = [int.from_bytes(data[place : place + self.bytes], "big") for place in range(0, len(data), self.bytes)]
        text = "".join(self.meaning.get(code, "�") for code in codes)
        return text, sum(self.widths.get(code, self.usual) for code in codes) / 1000


def _meaning(table):
    found = {}
    for block in re.findall(rb"beginbfrange(.*?)endbfrange", table, re.S):
        for first, last, target in _RANGE.findall(block):
            texts = re.findall(rb"<([0-9A-Fa-f]+)>", target)
            for place, code in enumerate(range(int(first, 16), int(last, 16) + 1)):
                if target.startswith(b"["):
                    found[code] = _decoded(texts[place])
                else:
                    text = _decoded(texts[0])
                    found[code] = text[:-1] + chr(ord(text[-1]) + place)
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", table, re.S):
        found.update((int(code, 16), _decoded(text)) for code, text in _PAIR.findall(block))
    return found


def _decoded(digits):
    data = bytes.fromhex(digits.decode())
    return data.decode("utf-16-be") if len(data) > 1 else data.decode("latin-1")


def _wide(entries):
    found = {}
    items = list(entries)
    while items:
        first = int(items.pop(0))
        second = items.pop(0)
        if isinstance(second, pikepdf.Array):
            found.update((first + place, float(width)) for place, width in enumerate(second))
        else:
            width = float(items.pop(0))
            found.update(dict.fromkeys(range(first, int(second) + 1), width))
    return found


def read_pages(pdf):
    """The pages of a file."""
    found = []
    fonts = {}
    with pikepdf.open(BytesIO(pdf)) as file:
        for page in file.pages:
            left, bottom, right, top = map(float, page.mediabox)
            assert (left, bottom) == (0, 0)
            known = {}
            for name, font in page.resources.get("/Font", {}).items():
                key = font.objgen if font.is_indirect else id(font)
                if key not in fonts:
                    fonts[key] = _Font(font)
                known[name] = fonts[key]
            found.append(Page(right, top, list(_pieces(page, known))))
    return found


def _pieces(page, fonts):
    """What is written on a page: a piece for each string, joined where one ends and the next begins."""
    here, kept = Matrix(), []
    line = Matrix()
    font, size = None, 0.0
    pending = None
    for operands, operator in pikepdf.parse_content_stream(page):
        match str(operator):
            case "q":
                kept.append((here, font, size))
            case "Q":
                here, font, size = kept.pop()
            case "cm":
                here = Matrix(*map(float, operands)) @ here
            case "BT":
                line = Matrix()
            case "Tf":
                font, size = fonts[str(operands[0])], float(operands[1])
            case "Tm":
                line = Matrix(*map(float, operands))
            case "Td":
                line = Matrix(1, 0, 0, 1, *map(float, operands)) @ line
            case "Tj" | "TJ":
                text, width = _shown(font, operands[0])
                place = line @ here
                piece = Piece(text, place.e, place.f, width * size * place.a, size * abs(place.d), abs(place.b) < 1e-6)
                line = Matrix(1, 0, 0, 1, width * size, 0) @ line
                if pending and abs(pending.right - piece.x) < 0.01 and abs(pending.y - piece.y) < 0.01:
                    text = pending.text + piece.text
                    piece = Piece(text, pending.x, pending.y, pending.width + piece.width, piece.size, piece.upright)
                elif pending:
                    yield pending
                pending = piece
    if pending:
        yield pending


def _shown(font, operand):
    assert font is not None
    text, width = "", 0.0
    for each in operand if isinstance(operand, pikepdf.Array) else [operand]:
        if isinstance(each, pikepdf.String):
            more, wide = font.read(bytes(each))
            text, width = text + more, width + wide
        else:
            width -= float(each) / 1000
    return text, width
