"""The fonts of PDFs, and which of them writes a letter: each is read by the first process that needs it.

Noto Sans covers Latin, Greek and Cyrillic; FiraGO Hebrew, Arabic, Thai and Georgian; WenQuanYi Micro Hei Chinese,
Japanese and Korean. Noto Sans is data of this module, without the hinting that would be half of each PDF.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from io import BytesIO
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from string import ascii_uppercase
from threading import RLock
from typing import TYPE_CHECKING, Any
from unicodedata import name as name_of
from zlib import crc32

import paperang_p2_fonts_cjk
import pymupdf_fonts
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFont

from .scripts import UNKNOWN

if TYPE_CHECKING:
    from pikepdf import Pdf

FOLDER = Path(__file__).parent.parent / "fonts"
#: the font for Chinese, Japanese and Korean
CJK_FILE = Path(paperang_p2_fonts_cjk.__path__[0]) / "fonts" / "wqy-microhei.ttc"
#: characters that only change how their neighbours are drawn, such as variation selectors
JOINERS = frozenset((0x200C, 0x200D, *range(0xFE00, 0xFE10)))
#: range of code points looked up in the third font: symbols and East Asian scripts
FIRST_OF_THIRD, LAST_OF_THIRD = 0x2000, 0x10000

# One thread loads fonts or cuts them; the others wait
lock = RLock()


class _Known(dict[str, Any]):
    """A cache of values by character, each computed when it is first looked up."""

    def __init__(self, find: Callable[[str], Any]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, character: str) -> Any:
        self[character] = self._find(character)
        return self[character]


class Font:
    """A font with its fallback fonts.

    :param name: its name for reportlab
    :param file: its file
    :param second: the font of `pymupdf_fonts` for characters that this one lacks
    :ivar named: characters that no font has, with the names that are written instead
    """

    def __init__(self, name: str, file: Path, second: str) -> None:
        self.own = _read(name, file)
        self._second = second
        self._writers = _Known(self._writer)
        self._widths = _Known(self._width)
        self.named: dict[str, str] = {}

    def width(self, text: str, size: float) -> float:
        """Return the width of a text, in points."""
        return size * float(sum(map(self._widths.__getitem__, text)))

    def runs(self, text: str) -> list[tuple[str, str]]:
        """Split a text by font: return pairs of a font's name and the text that it writes."""
        grouped = groupby(map(self._writers.__getitem__, text), itemgetter(0))
        found = [(font.fontName, "".join([shown for _, shown in each])) for font, each in grouped]
        return [(font, run) for font, run in found if run]

    def _writer(self, character: str) -> tuple[TTFont, str]:
        """Return the font for a character, and what to write: its name if no font has it, '' for joiners."""
        code = ord(character)
        if _has(self.own, code):
            return self.own, character
        if code in JOINERS:
            return self.own, ""
        second = _second(self._second)
        if _has(second, code):
            return second, character
        if FIRST_OF_THIRD <= code < LAST_OF_THIRD and _has(_third(), code):
            return _third(), character
        if name := name_of(character, ""):
            self.named[character] = name.lower()
            return self.own, f"[{name.lower()}]"
        return self.own, UNKNOWN

    def _width(self, character: str) -> float:
        font, shown = self._writers[character]
        return float(font.stringWidth(shown, 1))


def _has(font: TTFont, code: int) -> bool:
    return bool(font.face.charToGlyph.get(code))


def _read(name: str, file: Any) -> TTFont:
    # Letters get the codes 1, 2, 3 …: otherwise each file would have all of ASCII
    font = TTFont(name, file, asciiReadable=False, shapable=False)
    registerFont(font)
    return font


def _second(name: str) -> TTFont:
    with lock:
        return _load_second(name)


def _third() -> TTFont:
    with lock:
        return _load_third()


@cache
def _load_second(name: str) -> TTFont:
    return _read(f"documents-{name}", BytesIO(pymupdf_fonts.fontbuffers[name]()))


@cache
def _load_third() -> TTFont:
    return _read("documents-cjk", CJK_FILE)


@cache
def _load(regular: str, bold: str) -> tuple[Font, Font]:
    return (
        Font(f"documents-{regular}", FOLDER / f"NotoSans-{regular}.ttf", "figo"),
        Font(f"documents-{bold}", FOLDER / f"NotoSans-{bold}.ttf", "figbo"),
    )


def fonts() -> tuple[Font, Font]:
    """Return the regular and the bold font."""
    with lock:
        return _load("Regular", "Bold")


def slanted() -> tuple[Font, Font]:
    """Return the italic and the bold italic font; they are loaded at the first call."""
    with lock:
        return _load("Italic", "BoldItalic")


def name_subsets(pdf: Pdf) -> None:
    """Give each subset a name of its own.

    reportlab's begin with AAAAAA in each file; in merged files some printers take one subset for another.
    """
    from pikepdf import Name

    for font in pdf.pages[0].obj.Resources.Font.values():
        number = crc32(font.FontDescriptor.FontFile2.read_raw_bytes())
        tag = "".join(ascii_uppercase[number // 26**place % 26] for place in range(6))
        font.BaseFont = font.FontDescriptor.FontName = Name(f"/{tag}{str(font.BaseFont)[7:]}")
