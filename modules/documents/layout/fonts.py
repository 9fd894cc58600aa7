"""The fonts of PDFs: read once in each process, embedded as subsets.

Noto Sans covers Latin, Greek and Cyrillic; FiraGO Hebrew, Arabic, Thai and Georgian; WenQuanYi Micro Hei Chinese,
Japanese and Korean. The letters of European languages have the same codes in all files. A file embeds the letters it
uses and the most frequent ones. Therefore most files share a subset, which is made and compressed once.
"""

from __future__ import annotations

import codecs
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from itertools import groupby
from mmap import ACCESS_READ, mmap
from operator import itemgetter
from pathlib import Path
from string import ascii_letters, digits
from threading import RLock
from typing import Any
from unicodedata import name as name_of

import paperang_p2_fonts_cjk
import pymupdf_fonts

from .file import PdfFile
from .scripts import UNKNOWN
from .subsets import Cut, Letters
from .truetype import TrueType

#: characters with codes after ASCII: letters and punctuation of the languages of PDFs
LETTERS = (
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ"
    "ĄąĆćČčĎďĘęĚěŁłŃńŇňŐőŒœŘřŚśŠšŤťŮůŰűŹźŻżŽž"
    "¡¿«»‘’“”„•–—…€£§©®°²³·ºª\xa0\u202f" + UNKNOWN  # noqa: RUF001
)  # fmt: skip
FIRST = 0x20
FIRST_LETTER = 0x7F
#: the font for Chinese, Japanese and Korean
CJK_FILE = Path(paperang_p2_fonts_cjk.__path__[0]) / "fonts" / "wqy-microhei.ttc"
#: characters that only change how their neighbours are drawn, such as variation selectors
JOINERS = frozenset((0x200C, 0x200D, *range(0xFE00, 0xFE10)))
#: range of code points looked up in the third font: symbols and East Asian scripts
FIRST_OF_THIRD, LAST_OF_THIRD = 0x2000, 0x40000
COMMON = "".join(map(chr, range(FIRST, FIRST_LETTER))) + LETTERS
#: code → letter
MEANING = ("\ufffe" * FIRST + COMMON).ljust(256, "\ufffe")
#: codes that every subset has, because nearly every file uses most of them
USUAL = frozenset(f"{ascii_letters}{digits} ,.:-/%()".encode())

#: maximum number of subsets of common letters cached in a process, of about 6 kB each
MOST_KEPT = 128
cut_of = lru_cache(MOST_KEPT)(Cut)

# One thread loads the fonts; the others wait
lock = RLock()


class Face:
    """A font file: its characters and their widths.

    :param name: its name in PDF files; the number of a subset is appended
    """

    def __init__(self, name: str, data: bytes | mmap) -> None:
        self.name = name
        self.parsed = TrueType(data)

    def has(self, code: int) -> bool:
        """Return whether the font has a character."""
        return self.parsed.glyph(code) > 0

    def width(self, text: str) -> float:
        """Return the width of a text at font size 1."""
        return sum(map(self.parsed.width, map(ord, text))) / 1000


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

    :param name: its name in PDF files
    """

    def __init__(self, name: str, data: bytes, second: str) -> None:
        self._second = second
        self._writers = _Known(self._writer)
        self._advances = _Known(self._advance)
        #: characters that no font has, with the names that are written instead
        self._named: dict[str, str] = {}
        self.face = Face(name, data)
        self.common = {letter: code for code, letter in enumerate(COMMON, FIRST)}
        self.common_name = f"{name}0"
        self._codes = codecs.charmap_build(MEANING)
        self._widths = [0.0] * FIRST + [self.face.width(letter) for letter in COMMON]

    def width(self, text: str, size: float) -> float:
        """Return the width of a text, in points."""
        try:
            data = codecs.charmap_encode(text, "strict", self._codes)[0]
        except UnicodeEncodeError:
            return size * float(sum(map(self._advances.__getitem__, text)))
        return size * float(sum(map(self._widths.__getitem__, data)))

    def show(self, text: str, used: UsedFonts) -> list[tuple[str, str]]:
        """Return the fonts' names in the file and the strings that write a text, both in PDF syntax."""
        try:
            data = codecs.charmap_encode(text, "strict", self._codes)[0]
            used.common[self] += data
            return [(self.common_name, f"<{data.hex()}>")]
        except UnicodeEncodeError:
            return [
                each
                for face, run in self._runs(text, used)
                for each in used.show(face, run, self if face is self.face else None)
            ]

    def cut(self, written: Iterable[int]) -> Cut:
        """Return the subset for the codes of common letters that a file uses."""
        codes = bytes(sorted(USUAL.union(written)))
        return cut_of(self.face.parsed, codes, codes.decode("latin-1").translate(MEANING))

    def _runs(self, text: str, used: UsedFonts) -> list[tuple[Face, str]]:
        """Split a text by font: return pairs of a font and the text it writes."""
        grouped = groupby(map(self._writers.__getitem__, text), itemgetter(0))
        found = [(face, "".join(shown for _, shown in each)) for face, each in grouped]
        used.unknown |= {self._named[each] for each in text if each in self._named}
        return [(face, run) for face, run in found if run]

    def _writer(self, character: str) -> tuple[Face, str]:
        """Return the font for a character, and what to write: its name if no font has it, '' for joiners."""
        code = ord(character)
        if self.face.has(code):
            return self.face, character
        if code in JOINERS:
            return self.face, ""
        with lock:
            second = _second(self._second)
        if second.has(code):
            return second, character
        if FIRST_OF_THIRD <= code < LAST_OF_THIRD:
            with lock:
                third = _third()
            if third.has(code):
                return third, character
        if name := name_of(character, ""):
            self._named[character] = name.lower()
            return self.face, f"[{name.lower()}]"
        return self.face, UNKNOWN

    def _advance(self, character: str) -> float:
        face, shown = self._writers[character]
        return float(face.width(shown)) if shown else 0.0


class UsedFonts:
    """The fonts that one file uses.

    :ivar common: codes of common letters used, by font
    :ivar unknown: the names that the file has instead of characters that no font has
    """

    def __init__(self) -> None:
        self.unknown: set[str] = set()
        self.common: defaultdict[Font, bytearray] = defaultdict(bytearray)
        self._letters: dict[str, Letters] = {}

    def show(self, face: Face, text: str, font: Font | None) -> Iterator[tuple[str, str]]:
        """Return the fonts' names in the file and the strings, in PDF's syntax, that write a text with a face.

        :param font: the font whose own face this is; None if the face is a fallback
        """
        letters = self._letters.get(face.name)
        if letters is None:
            letters = self._letters[face.name] = Letters(face.parsed, font.common if font else None)
        for number, codes in letters.show(text):
            if font and number == 0:
                self.common[font] += codes
            yield f"{face.name}{number}", f"<{codes.hex()}>"

    def table(self, file: PdfFile) -> str:
        """Add the fonts to a file and return the dictionary of fonts."""
        entries = [f"{font.common_name} {font.cut(codes).enter(file)} 0 R" for font, codes in self.common.items()]
        for name, letters in self._letters.items():
            entries += [f"{name}{number} {entered} 0 R" for number, entered in letters.enter(file)]
        return f"<<{''.join(entries)}>>"


@cache
def _second(name: str) -> Face:
    return Face(f"/{name}", pymupdf_fonts.fontbuffers[name]())


@cache
def _third() -> Face:
    with CJK_FILE.open("rb") as opened:
        return Face("/cjk", mmap(opened.fileno(), 0, access=ACCESS_READ))


@cache
def _load() -> tuple[Font, Font]:
    buffers = pymupdf_fonts.fontbuffers
    return Font("/R", buffers["notos"](), "figo"), Font("/B", buffers["notosbo"](), "figbo")


@cache
def _load_slanted() -> tuple[Font, Font]:
    buffers = pymupdf_fonts.fontbuffers
    return Font("/I", buffers["notosit"](), "figo"), Font("/Z", buffers["notosbi"](), "figbo")


def fonts() -> tuple[Font, Font]:
    """Return the regular and the bold font."""
    with lock:
        return _load()


def slanted() -> tuple[Font, Font]:
    """Return the italic and the bold italic font; they are loaded at the first call."""
    with lock:
        return _load_slanted()
