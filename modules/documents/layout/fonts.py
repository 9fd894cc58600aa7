"""The fonts that documents are printed with: read once in each process, embedded as subsets.

Noto Sans writes Latin, Greek and Cyrillic; FiraGO Hebrew, Arabic, Thai and Georgian; WenQuanYi Micro Hei Chinese,
Japanese and Korean. The letters of European languages have the same codes in all files. A file gets those that it
writes and the usual ones. So most files share a subset, which is cut and compressed once.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import groupby
from mmap import ACCESS_READ, mmap
from operator import itemgetter
from pathlib import Path
from string import ascii_letters, digits
from threading import RLock
from typing import Any

import pymupdf_fonts

from .faces import Face, Named, UsedFonts
from .scripts import UNKNOWN
from .subsets import Cut

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
#: characters that only change how their neighbours are drawn, such as variation selectors
JOINERS = frozenset((0x200C, 0x200D, *range(0xFE00, 0xFE10)))
#: the third font is asked for symbols and for what is written in East Asia
FIRST_OF_THIRD, LAST_OF_THIRD = 0x2000, 0x40000
COMMON = "".join(map(chr, range(FIRST, FIRST_LETTER))) + LETTERS
#: code → letter
MEANING = ("\ufffe" * FIRST + COMMON).ljust(256, "\ufffe")
#: codes that a subset always has: nearly every file writes most of them
USUAL = frozenset(f"{ascii_letters}{digits} ,.:-/%()".encode())

#: subsets of common letters that a process keeps, of about 6 kB each
MOST_KEPT = 128
cut_of = lru_cache(MOST_KEPT)(Cut)

# Fonts are loaded by one thread, while others wait for them
lock = RLock()


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

    :param name: what PDF files call it
    """

    def __init__(self, name: str, data: bytes, second: str) -> None:
        self._second = second
        self._writers = _Known(self._writer)
        self._advances = _Known(self._advance)
        self.face = Face(name, data)
        self.common = {letter: code for code, letter in enumerate(COMMON, FIRST)}
        self.common_name = f"{name}0"
        self._codes = codecs.charmap_build(MEANING)
        self._widths = [0.0] * FIRST + [self.face.width(letter) for letter in COMMON]

    def width(self, text: str, size: float) -> float:
        """How wide a text is, in points."""
        try:
            data = codecs.charmap_encode(text, "strict", self._codes)[0]
        except UnicodeEncodeError:
            return size * float(sum(map(self._advances.__getitem__, text)))
        return size * float(sum(map(self._widths.__getitem__, data)))

    def show(self, text: str, used: UsedFonts) -> list[tuple[str, str]]:
        """What writes a text: the font's name in the file, and the string, both as PDF spells them."""
        try:
            data = codecs.charmap_encode(text, "strict", self._codes)[0]
            used.common[self] += data
            return [(self.common_name, f"<{data.hex()}>")]
        except UnicodeEncodeError:
            return [
                each
                for face, run in self._runs(text)
                for each in used.show(face, run, self if face is self.face else None)
            ]

    def cut(self, written: Iterable[int]) -> Cut:
        """The subset for what a file has written with the codes of common letters."""
        codes = bytes(sorted(USUAL.union(written)))
        return cut_of(self.face.parsed, codes, codes.decode("latin-1").translate(MEANING))

    def _runs(self, text: str) -> list[tuple[Any, str]]:
        """Cut a text where another font must stand in: pairs of a font and what it writes."""
        grouped = groupby(map(self._writers.__getitem__, text), itemgetter(0))
        found = [(face, "".join(shown for _, shown in each)) for face, each in grouped]
        return [(face, run) for face, run in found if run]

    def _writer(self, character: str) -> tuple[Any, str]:
        """The font that has a character, and what it writes for it."""
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
        return self.face, UNKNOWN

    def _advance(self, character: str) -> float:
        face, shown = self._writers[character]
        return float(face.width(shown)) if shown else 0.0


@cache
def _second(name: str) -> Face:
    return Face(f"/{name}", pymupdf_fonts.fontbuffers[name]())


@cache
def _third() -> Face | Named:
    file = next((file for file in CJK_FILES if file.is_file()), None)
    # Without any the reader's program must have one: it is named, not embedded
    if file is None:
        return Named()
    with file.open("rb") as opened:
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
    """The regular and the bold font."""
    with lock:
        return _load()


def slanted() -> tuple[Font, Font]:
    """The italic and the bold italic font; loaded when a text is first written so."""
    with lock:
        return _load_slanted()
