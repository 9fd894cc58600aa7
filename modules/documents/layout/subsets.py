"""Subsets of fonts for PDF files: simple fonts of at most 255 characters."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from .file import PdfFile
from .truetype import TrueType

LAST_CODE = 255
#: maximum pairs in one section of a ToUnicode map
MOST_PAIRS = 100


class Cut:
    """A subset of a font, in the format of a PDF file.

    :param codes: the codes of the letters, in their order
    """

    def __init__(self, font: TrueType, codes: bytes, letters: str) -> None:
        glyphs = [font.glyph(ord(letter)) for letter in letters]
        data = font.cut(codes, glyphs)
        self._file = zlib.compress(data)
        self._file_entries = f"/Length1 {len(data)}/Filter/FlateDecode"
        self._meaning = zlib.compress(_meaning(codes, letters).encode())
        # Subsets of a font need different names within one file and in merged files
        name = f"{_tag(zlib.crc32(data))}+{font.name}"
        widths = dict(zip(codes, map(font.advance, glyphs), strict=True))
        first, last = codes[0], codes[-1]
        self._font = (
            f"<</Type/Font/Subtype/TrueType/BaseFont/{name}/FirstChar {first}/LastChar {last}"
            f"/Widths[{' '.join(f'{widths.get(code, 0):g}' for code in range(first, last + 1))}]"
        )
        self._descriptor = f"<</Type/FontDescriptor/FontName/{name}{font.descriptor}"

    def enter(self, file: PdfFile) -> int:
        """Add the subset to a file and return its object number."""
        data = file.stream(self._file, self._file_entries)
        meaning = file.stream(self._meaning, "/Filter/FlateDecode")
        descriptor = file.add(f"{self._descriptor}/FontFile2 {data} 0 R>>")
        return file.add(f"{self._font}/FontDescriptor {descriptor} 0 R/ToUnicode {meaning} 0 R>>")


class Letters:
    """The characters that one file writes with a font, and their codes, in one or more subsets.

    :param known: characters of subset 0, which the file gets elsewhere
    """

    def __init__(self, font: TrueType, known: dict[str, int] | None = None) -> None:
        self._font = font
        self._codes = {letter: (0, code) for letter, code in (known or {}).items()}
        self._subsets = ["", ""] if known else [""]

    def show(self, text: str) -> Iterator[tuple[int, bytearray]]:
        """Yield the subsets that write a text, in order: the number of the subset and the codes."""
        current, codes = -1, bytearray()
        for letter in text:
            number, code = self._codes.get(letter) or self._new(letter)
            if number != current:
                if codes:
                    yield current, codes
                current, codes = number, bytearray()
            codes.append(code)
        if codes:
            yield current, codes

    def _new(self, letter: str) -> tuple[int, int]:
        if len(self._subsets[-1]) == LAST_CODE:
            self._subsets.append("")
        self._subsets[-1] += letter
        # Code 0 is the glyph for missing characters; it is never written
        self._codes[letter] = found = len(self._subsets) - 1, len(self._subsets[-1])
        return found

    def enter(self, file: PdfFile) -> Iterator[tuple[int, int]]:
        """Add the subsets to a file; yield the number of each subset and its object number."""
        for number, letters in enumerate(self._subsets):
            if letters:
                yield number, Cut(self._font, bytes(range(1, len(letters) + 1)), letters).enter(file)


def _tag(number: int) -> str:
    """Return a number as six capital letters."""
    return "".join(chr(ord("A") + number // 26**place % 26) for place in range(6))


def _meaning(codes: bytes, letters: str) -> str:
    """Return the ToUnicode map from codes to characters."""
    pairs = [f"<{code:02x}> <{letter.encode('utf-16-be').hex()}>" for code, letter in zip(codes, letters, strict=True)]
    parts = [pairs[place : place + MOST_PAIRS] for place in range(0, len(pairs), MOST_PAIRS)]
    return "\n".join((
        "/CIDInit /ProcSet findresource begin", "12 dict begin", "begincmap",
        "/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def",
        "/CMapName /Adobe-Identity-UCS def", "/CMapType 2 def",
        "1 begincodespacerange", "<00> <ff>", "endcodespacerange",
        *(f"{len(part)} beginbfchar\n" + "\n".join(part) + "\nendbfchar" for part in parts),
        "endcmap", "CMapName currentdict /CMap defineresource pop", "end", "end",
    ))  # fmt: skip
