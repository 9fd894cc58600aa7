"""The fonts that papers are written with: parsed once a process, embedded as subsets.

Noto Sans writes Latin, Greek and Cyrillic; FiraGO Hebrew, Arabic, Thai and Georgian; WenQuanYi Micro Hei Chinese,
Japanese and Korean. The letters of European languages are one subset that never changes, so it is cut, compressed and
measured once: such texts pay neither for that nor for a look at the other fonts.
"""

from __future__ import annotations

import codecs
import threading
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import Any

import pymupdf_fonts
from reportlab.pdfbase import pdfdoc, pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import FF_NONSYMBOLIC, FF_SYMBOLIC, SUBSETN, TTFont, makeToUnicodeCMap

from .scripts import UNKNOWN

#: ASCII keeps its codes, these follow: the letters of the languages that papers are written in, and their marks
LETTERS = (
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ"
    "ĄąĆćČčĎďĘęĚěŁłŃńŇňŐőŒœŘřŚśŠšŤťŮůŰűŹźŻżŽž"
    "¡¿«»‘’“”„•–—…€£§©®°²³·ºª\xa0\u202f" + UNKNOWN  # noqa: RUF001
)  # fmt: skip
FIRST = 0x20
FIRST_LETTER = 0x7F
_carrier = find_spec("paperang_p2_fonts_cjk")
_folders = (_carrier and _carrier.submodule_search_locations) or ()
#: fonts that write Chinese: the package's, and Debian's for those who have removed it
CJK_FILES = (
    *(Path(folder) / "fonts" / "wqy-microhei.ttc" for folder in _folders),
    Path("/usr/share/fonts/truetype/wqy/wqy-microhei.ttc"),
    Path("/usr/share/fonts-droid-fallback/truetype/DroidSansFallback.ttf"),
)
#: characters that only tell how their neighbours are drawn, as variation selectors do
JOINERS = frozenset((0x200C, 0x200D, *range(0xFE00, 0xFE10)))
#: the third font is asked for symbols and for what is written in East Asia
FIRST_OF_THIRD, LAST_OF_THIRD = 0x2000, 0x40000
CODES = [*range(FIRST, FIRST_LETTER), *map(ord, LETTERS)]

# Cutting a subset moves through the font's file, which all threads have in common
_lock = threading.RLock()


class _Cut:
    """A subset of a font, in the form in which it goes into a PDF file."""

    def __init__(self, face: Any, subset: list[int], number: int) -> None:
        self.face = face
        self.name = f"{SUBSETN(number).decode()}+{face.name.decode()}"
        self.last = len(subset) - 1
        self.widths = f"[{' '.join(f'{face.getCharWidth(code):g}' for code in subset)}]".encode()
        with _lock:
            data = face.makeSubset(subset)
        self.length = len(data)
        self.file = zlib.compress(data)
        self.meaning = zlib.compress(makeToUnicodeCMap(self.name, subset).encode())

    def enter(self, doc: Any, name: str) -> None:
        """Put it into a PDF file, where it has this name."""
        face = self.face
        descriptor = {
            "Type": "/FontDescriptor", "Ascent": face.ascent, "CapHeight": face.capHeight, "Descent": face.descent,
            "Flags": face.flags & ~FF_NONSYMBOLIC | FF_SYMBOLIC, "FontBBox": pdfdoc.PDFArray(face.bbox),
            "FontName": pdfdoc.PDFName(self.name), "ItalicAngle": face.italicAngle, "StemV": face.stemV,
            "FontFile2": doc.Reference(_stream(self.file, Length1=self.length), f"file{name}"),
            "MissingWidth": face.defaultWidth,
        }  # fmt: skip
        font = pdfdoc.PDFTrueTypeFont()
        font.Name, font.BaseFont = name, self.name
        font.FirstChar, font.LastChar, font.Widths = 0, self.last, self.widths
        font.ToUnicode = doc.Reference(_stream(self.meaning), f"meaning{name}")
        font.FontDescriptor = doc.Reference(pdfdoc.PDFDictionary(descriptor), f"descriptor{name}")
        doc.Reference(font, name)
        doc.idToObject["BasicFonts"].dict[name] = font


def _stream(compressed: bytes, **entries: int) -> Any:
    stream = pdfdoc.PDFStream(content=compressed)
    stream.dictionary["Filter"] = pdfdoc.PDFName("FlateDecode")
    for name, value in entries.items():
        stream.dictionary[name] = value
    return stream


class _Embedded(TTFont):  # type: ignore[misc]
    """A font whose first subset may be a common one, which is cut, measured and compressed once."""

    common: _Cut | None = None

    def addObjects(self, doc: Any) -> None:
        """Put the subsets that a PDF file uses into it; reportlab calls this when the file ends."""
        state = self.state[doc]
        state.frozen = 1
        for number, subset in enumerate(state.subsets):
            cut = (self.common if number == 0 else None) or _Cut(self.face, subset, number)
            cut.enter(doc, self.getSubsetInternalName(number, doc)[1:])
        del self.state[doc]


class _Known(dict[str, Any]):
    """What is known of characters, found out when it is asked for."""

    def __init__(self, find: Callable[[str], Any]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, character: str) -> Any:
        self[character] = self._find(character)
        return self[character]


class Font:
    """A font with the fonts that stand in for what it lacks.

    :param name: what reportlab calls it
    """

    def __init__(self, name: str, data: bytes, second: str) -> None:
        self.name = name
        self._second = second
        self._writers = _Known(self._writer)
        self._advances = _Known(self._advance)
        self.font = _Embedded(name, BytesIO(data), asciiReadable=True)
        pdfmetrics.registerFont(self.font)
        self.subset = [0] * FIRST + CODES
        self.font.common = _Cut(self.font.face, self.subset, 0)
        self._assignments = {code: FIRST + place for place, code in enumerate(CODES)} | {0: 0}
        table = "\ufffe" * FIRST + "".join(map(chr, CODES))
        self._codes = codecs.charmap_build(table.ljust(256, "\ufffe"))
        self._widths = [self.font.face.getCharWidth(code) / 1000 for code in self.subset]

    def enter(self, doc: Any) -> None:
        """Begin a PDF file: its first subset is the common one."""
        state = self.font._assignState(doc)
        state.assignments = dict(self._assignments)
        state.subsets = [self.subset]
        state.nextCode = 256

    def width(self, text: str, size: float) -> float:
        """How wide a text is, in points."""
        try:
            data = codecs.charmap_encode(text, "strict", self._codes)[0]
        except UnicodeEncodeError:
            return size * float(sum(map(self._advances.__getitem__, text)))
        return size * float(sum(map(self._widths.__getitem__, data)))

    def show(self, text: str, size: float, doc: Any) -> Iterator[tuple[str, str]]:
        """What writes a text: the font's name in the file with its size, and the string, both as PDF spells them."""
        try:
            data = codecs.charmap_encode(text, "strict", self._codes)[0]
            yield f"{self.font.getSubsetInternalName(0, doc)} {size:g} Tf", f"<{data.hex()}>"
        except UnicodeEncodeError:
            for font, run in self._runs(text):
                if not font._dynamicFont:
                    yield f"{doc.getInternalFontName(font.fontName)} {size:g} Tf", f"<{run.encode('utf-16-be').hex()}>"
                    continue
                for number, data in font.splitString(run, doc):
                    yield f"{font.getSubsetInternalName(number, doc)} {size:g} Tf", f"<{data.hex()}>"

    def _runs(self, text: str) -> list[tuple[Any, str]]:
        """Cut a text where another font must stand in: pairs of a font and what it writes."""
        grouped = groupby(map(self._writers.__getitem__, text), _font_of)
        return [(font, "".join(shown for _, shown in found)) for font, found in grouped]

    def _writer(self, character: str) -> tuple[Any, str]:
        """The font that has a character, and what it writes for it."""
        code = ord(character)
        if code in self.font.face.charToGlyph:
            return self.font, character
        if code in JOINERS:
            return self.font, ""
        with _lock:
            second = _second(self._second)
        if code in second.face.charToGlyph:
            return second, character
        if FIRST_OF_THIRD <= code < LAST_OF_THIRD:
            with _lock:
                third = _third()
            # A font that is not embedded does not tell what it has
            if (code in third.face.charToGlyph) if third._dynamicFont else code < 0x10000:
                return third, character
        return self.font, UNKNOWN

    def _advance(self, character: str) -> float:
        font, shown = self._writers[character]
        return float(font.stringWidth(shown, 1)) if shown else 0.0


def _font_of(writer: tuple[Any, str]) -> Any:
    return writer[0]


# The fonts are handed on as they are, not by reportlab's register: a newer version of this file registers its own there


@cache
def _second(name: str) -> Any:
    return _Embedded(f"documents-{name}", BytesIO(pymupdf_fonts.fontbuffers[name]()))


@cache
def _third() -> Any:
    file = next((file for file in CJK_FILES if file.is_file()), None)
    if file is not None:
        return _Embedded("documents-cjk", str(file))
    # Without any the reader's program must have one: it is named, not embedded
    font = UnicodeCIDFont("STSong-Light")
    pdfmetrics.registerFont(font)
    return font


@cache
def _load() -> tuple[Font, Font]:
    buffers = pymupdf_fonts.fontbuffers
    return Font("documents", buffers["notos"](), "figo"), Font("documents-bold", buffers["notosbo"](), "figbo")


@cache
def _load_slanted() -> tuple[Font, Font]:
    buffers = pymupdf_fonts.fontbuffers
    italic = Font("documents-italic", buffers["notosit"](), "figo")
    return italic, Font("documents-bold-italic", buffers["notosbi"](), "figbo")


def fonts() -> tuple[Font, Font]:
    """The regular and the bold font."""
    with _lock:
        return _load()


def slanted() -> tuple[Font, Font]:
    """The italic and the bold italic font; loaded when a text is first written so."""
    with _lock:
        return _load_slanted()
