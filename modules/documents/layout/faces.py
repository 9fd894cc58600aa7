"""Font files, and what one PDF file writes with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFontFace

from .file import PdfFile
from .subsets import Cut, Letters


class HasCut(Protocol):
    """A font with a subset that all files have in common."""

    common: Cut
    common_name: str


class Face:
    """A font file, parsed: what letters it has and how wide they are.

    :param name: what PDF files call it, with the number of a subset behind
    """

    def __init__(self, name: str, file: Any) -> None:
        self.name = name
        self.parsed: Any = TTFontFace(file)

    def has(self, code: int) -> bool:
        """Whether it has a letter."""
        return code in self.parsed.charToGlyph

    def width(self, text: str) -> float:
        """How wide a text of size 1 is."""
        return float(sum(map(self.parsed.getCharWidth, map(ord, text)))) / 1000


class Named:
    """A Chinese font that is not inside the file: the reader's program must have one."""

    name = "/Named"

    def __init__(self) -> None:
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
    """What one file writes with: fonts with their common subsets, and the letters of all others."""

    def __init__(self, *used: HasCut) -> None:
        self._used = dict.fromkeys(used)
        self._letters: dict[str, Letters] = {}
        self._named = False

    @property
    def embedded(self) -> bool:
        """Whether all of them are inside the file."""
        return not self._named

    def add(self, font: HasCut) -> None:
        """The file writes with a font besides."""
        self._used[font] = None

    def show(self, face: Face | Named, text: str, known: dict[str, int] | None) -> Iterator[tuple[str, str]]:
        """What writes a text with a font: the font's name in the file, and the string as PDF spells it."""
        if isinstance(face, Named):
            self._named = True
            yield face.name, f"<{text.encode('utf-16-be').hex()}>"
            return
        letters = self._letters.get(face.name)
        if letters is None:
            letters = self._letters[face.name] = Letters(face.parsed, face.name, known)
        yield from letters.show(text)

    def table(self, file: PdfFile) -> str:
        """The table of fonts, after they were put into a file."""
        entries = [f"{font.common_name} {font.common.enter(file)} 0 R" for font in self._used]
        for letters in self._letters.values():
            entries += letters.enter(file)
        if self._named:
            entries.append(f"{Named.name} {Named.enter(file)} 0 R")
        return f"<<{''.join(entries)}>>"
