"""Font files, and what one PDF file writes with them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from mmap import mmap
from typing import Protocol

from .file import PdfFile
from .subsets import Cut, Letters
from .truetype import TrueType


class HasCodes(Protocol):
    """A font with codes for its common letters, the same in all files."""

    common: dict[str, int]
    common_name: str

    def cut(self, written: Iterable[int]) -> Cut:
        """The subset for what was written with these codes."""


class Face:
    """A font file: what letters it has and how wide they are.

    :param name: what PDF files call it, with the number of a subset behind
    """

    def __init__(self, name: str, data: bytes | mmap) -> None:
        self.name = name
        self.parsed = TrueType(data)

    def has(self, code: int) -> bool:
        """Whether it has a letter."""
        return self.parsed.glyph(code) > 0

    def width(self, text: str) -> float:
        """How wide a text of size 1 is."""
        return sum(map(self.parsed.width, map(ord, text))) / 1000


class Named:
    """A Chinese font that is not inside the file: the reader's program must have one."""

    name = "/Named"

    def __init__(self) -> None:
        from reportlab.pdfbase.cidfonts import UnicodeCIDFont

        self._font = UnicodeCIDFont("STSong-Light")

    def has(self, code: int) -> bool:
        """It does not tell what it has."""
        return code < 0x10000

    def width(self, text: str) -> float:
        """How wide a text of size 1 is."""
        return float(self._font.stringWidth(text, 1))

    @staticmethod
    def enter(file: PdfFile) -> int:
        """Put its name into a file; answers its number."""
        descriptor = file.add(
            "<</Type/FontDescriptor/FontName/STSong-Light/Flags 6/FontBBox[-25 -254 1000 880]/ItalicAngle 0/Ascent 880"
            "/Descent -120/CapHeight 880/StemV 93>>"
        )
        letters = file.add(
            "<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light"
            f"/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 0>>/DW 1000/FontDescriptor {descriptor} 0 R>>"
        )
        return file.add(
            f"<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[{letters} 0 R]>>"
        )


class UsedFonts:
    """The fonts that one file writes with.

    :ivar common: fonts, and the codes of common letters that were written with each
    """

    def __init__(self) -> None:
        self.common: defaultdict[HasCodes, bytearray] = defaultdict(bytearray)
        self._letters: dict[str, Letters] = {}
        self._named = False

    @property
    def embedded(self) -> bool:
        """Whether all of them are inside the file."""
        return not self._named

    def show(self, face: Face | Named, text: str, font: HasCodes | None) -> Iterator[tuple[str, str]]:
        """Return the fonts' names in the file and the strings, in PDF's syntax, that write a text with a face.

        :param font: the font that has this face as its own; None if the face replaces that
        """
        if isinstance(face, Named):
            self._named = True
            yield face.name, f"<{text.encode('utf-16-be').hex()}>"
            return
        letters = self._letters.get(face.name)
        if letters is None:
            letters = self._letters[face.name] = Letters(face.parsed, font.common if font else None)
        for number, codes in letters.show(text):
            if font and number == 0:
                self.common[font] += codes
            yield f"{face.name}{number}", f"<{codes.hex()}>"

    def table(self, file: PdfFile) -> str:
        """The table of fonts, after they were put into a file."""
        entries = [f"{font.common_name} {font.cut(codes).enter(file)} 0 R" for font, codes in self.common.items()]
        for name, letters in self._letters.items():
            entries += [f"{name}{number} {entered} 0 R" for number, entered in letters.enter(file)]
        if self._named:
            entries.append(f"{Named.name} {Named.enter(file)} 0 R")
        return f"<<{''.join(entries)}>>"
