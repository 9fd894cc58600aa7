"""Subsets of fonts, as they go into a PDF file: simple fonts of 255 letters at the most."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterator
from typing import Any

from reportlab.pdfbase.ttfonts import FF_NONSYMBOLIC, FF_SYMBOLIC, SUBSETN

from .file import PdfFile

LAST_CODE = 255
#: pairs in one part of a map
MOST_PAIRS = 100

# Cutting a subset moves through the font's file, which all threads have in common
lock = threading.RLock()


class Cut:
    """A subset of a font, in the form in which it goes into a PDF file.

    :param subset: the letters by their codes; codes before the first one are not used
    :param number: tells the subsets of a font apart
    """

    def __init__(self, face: Any, subset: list[int], first: int, number: int) -> None:
        self.name = f"{SUBSETN(number).decode()}+{face.name.decode()}"
        with lock:
            data = face.makeSubset(subset)
        self._file = zlib.compress(data)
        self._file_entries = f"/Length1 {len(data)}/Filter/FlateDecode"
        self._meaning = zlib.compress(_meaning(subset, first).encode())
        widths = " ".join(f"{face.getCharWidth(code):g}" for code in subset[first:])
        self._font = (
            f"<</Type/Font/Subtype/TrueType/BaseFont/{self.name}/FirstChar {first}/LastChar {len(subset) - 1}"
            f"/Widths[{widths}]"
        )
        box = " ".join(f"{edge:g}" for edge in face.bbox)
        self._descriptor = (
            f"<</Type/FontDescriptor/FontName/{self.name}/Flags {face.flags & ~FF_NONSYMBOLIC | FF_SYMBOLIC}"
            f"/FontBBox[{box}]/ItalicAngle {face.italicAngle:g}/Ascent {face.ascent:g}/Descent {face.descent:g}"
            f"/CapHeight {face.capHeight:g}/StemV {face.stemV:g}/MissingWidth {face.defaultWidth:g}"
        )

    def enter(self, file: PdfFile) -> int:
        """Put it into a file; answers its number."""
        data = file.stream(self._file, self._file_entries)
        meaning = file.stream(self._meaning, "/Filter/FlateDecode")
        descriptor = file.add(f"{self._descriptor}/FontFile2 {data} 0 R>>")
        return file.add(f"{self._font}/FontDescriptor {descriptor} 0 R/ToUnicode {meaning} 0 R>>")


class Letters:
    """What one file writes with a font: the letters and their codes, in as many subsets as they need.

    :param name: what the file calls the font
    :param known: the letters of a first subset, if there is a common one
    """

    def __init__(self, face: Any, name: str, known: dict[str, int] | None = None) -> None:
        self._face = face
        self._name = name
        self._codes = {letter: (0, code) for letter, code in (known or {}).items()}
        # Code 0 is the letter that a font lacks; it is never written
        self._subsets: list[list[int]] = [[0]]
        if known:
            self._subsets = [[], [0]]

    def show(self, text: str) -> Iterator[tuple[str, str]]:
        """What writes a text: the name of each subset, and the string as PDF spells it."""
        current, codes = -1, bytearray()
        for letter in text:
            number, code = self._codes.get(letter) or self._new(letter)
            if number != current:
                if codes:
                    yield f"{self._name}{current}", f"<{codes.hex()}>"
                current, codes = number, bytearray()
            codes.append(code)
        if codes:
            yield f"{self._name}{current}", f"<{codes.hex()}>"

    def _new(self, letter: str) -> tuple[int, int]:
        if len(self._subsets[-1]) > LAST_CODE:
            self._subsets.append([0])
        subset = self._subsets[-1]
        subset.append(ord(letter))
        self._codes[letter] = found = len(self._subsets) - 1, len(subset) - 1
        return found

    def enter(self, file: PdfFile) -> Iterator[str]:
        """Put the subsets into a file; answers their entries among its fonts."""
        for number, subset in enumerate(self._subsets):
            if len(subset) > 1:
                yield f"{self._name}{number} {Cut(self._face, subset, 1, number).enter(file)} 0 R"


def _meaning(subset: list[int], first: int) -> str:
    """The map from codes to letters."""
    pairs = [
        f"<{code:02x}> <{chr(letter).encode('utf-16-be').hex()}>" for code, letter in enumerate(subset[first:], first)
    ]
    parts = [pairs[place : place + MOST_PAIRS] for place in range(0, len(pairs), MOST_PAIRS)]
    return "\n".join((
        "/CIDInit /ProcSet findresource begin", "12 dict begin", "begincmap",
        "/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def",
        "/CMapName /Adobe-Identity-UCS def", "/CMapType 2 def",
        "1 begincodespacerange", "<00> <ff>", "endcodespacerange",
        *(f"{len(part)} beginbfchar\n" + "\n".join(part) + "\nendbfchar" for part in parts),
        "endcmap", "CMapName currentdict /CMap defineresource pop", "end", "end",
    ))  # fmt: skip
