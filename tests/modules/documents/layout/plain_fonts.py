"""``make fonts``: the fonts of `modules/documents/fonts`, made from those of the package `pymupdf-fonts`.

Hinting, the instructions for grids of pixels, is half of a font file, and reportlab copies it into every PDF. Tables
that it doesn't read, such as those for ligatures, are also left out. The outlines and widths of all letters stay.
FiraGO isn't among them: its licence reserves the name for unchanged files.
"""

from io import BytesIO
from pathlib import Path

import pymupdf_fonts
from fontTools.ttLib import TTFont

FOLDER = Path(__file__).parents[4] / "modules" / "documents" / "fonts"
#: file → the name of the font in the package
FONTS = {
    "NotoSans-Regular.ttf": "notos", "NotoSans-Bold.ttf": "notosbo", "NotoSans-Italic.ttf": "notosit",
    "NotoSans-BoldItalic.ttf": "notosbi",
}  # fmt: skip
#: the tables that reportlab reads
TABLES = frozenset(("GlyphOrder", "OS/2", "cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "name", "post"))
#: copyright, family, style, full name and PostScript name; the licence is next to the files
NAMES = frozenset((0, 1, 2, 4, 6))


def plain(name):
    """Return a font file without hinting."""
    font = TTFont(BytesIO(pymupdf_fonts.fontbuffers[name]()), recalcTimestamp=False)
    for table in set(font.keys()) - TABLES:
        del font[table]
    for glyph in font.getGlyphOrder():
        font["glyf"][glyph].removeHinting()
    font["name"].names = [each for each in font["name"].names if each.nameID in NAMES and each.platformID == 3]
    font["post"].formatType = 3
    made = BytesIO()
    font.save(made)
    return made.getvalue()


if __name__ == "__main__":
    for file, name in FONTS.items():
        (FOLDER / file).write_bytes(plain(name))
        print(FOLDER / file)
