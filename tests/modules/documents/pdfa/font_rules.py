"""The fonts of a page, and the letters it writes with them, as ISO 19005-3, 6.2.11 looks at them."""

import re
from io import BytesIO

import pikepdf
from fontTools.ttLib import TTFont

SYMBOLIC, NONSYMBOLIC = 4, 32


class Texts:
    """What a page writes.

    :ivar codes: name of a font → the codes that are written with it
    """

    def __init__(self, page):
        self.codes = {}
        font = ""
        for operands, operator in pikepdf.parse_content_stream(page):
            name = str(operator)
            if name == "Tf":
                font = str(operands[0])
            elif name in ("Tj", "'", '"', "TJ"):
                for part in operands[-1] if name == "TJ" else [operands[-1]]:
                    if isinstance(part, pikepdf.String):
                        self.codes.setdefault(font, set()).update(bytes(part))


class Font:
    """A font of a page."""

    def __init__(self, said):
        self.said = said
        self.name = str(said.get("/BaseFont", ""))

    def violations(self, codes):
        """What is not as it must be, where the page writes these codes."""
        if not codes:
            return
        said = self.said
        descriptor = said.get("/FontDescriptor")
        if descriptor is None or "/FontFile2" not in descriptor:
            yield f"6.2.11.4.1: {self.name} is not inside the file"
            return
        if str(said.get("/Type")) != "/Font" or str(said.get("/Subtype")) != "/TrueType":
            yield f"6.2.11.2: {self.name} is no TrueType font"
            return
        if str(descriptor.get("/FontName")) != self.name or not re.match(r"/[A-Z]{6}\+", self.name):
            yield f"6.2.11.2: {self.name} has another name inside"
        file = TTFont(BytesIO(descriptor["/FontFile2"].read_bytes()))
        if int(descriptor["/FontFile2"].get("/Length1", -1)) != len(descriptor["/FontFile2"].read_bytes()):
            yield f"6.2.11.2: the length of {self.name} is not what is said"
        tables = file["cmap"].tables if "cmap" in file else []
        yield from self._encoding(int(descriptor.get("/Flags", 0)), len(tables))
        glyphs = tables[-1].cmap if tables else {}
        first = int(said["/FirstChar"])
        widths = [float(each) for each in said["/Widths"]]
        if len(widths) != int(said["/LastChar"]) - first + 1:
            yield f"6.2.11.2: {self.name} has another number of widths"
        for code in sorted(codes):
            glyph = glyphs.get(code, ".notdef")
            width = file["hmtx"][glyph][0] * 1000 / file["head"].unitsPerEm
            if not file.getGlyphID(glyph):
                yield f"6.2.11.8: {self.name} has no glyph for the code {code}"
            elif not 0 <= code - first < len(widths) or abs(widths[code - first] - width) > 1:
                yield f"6.2.11.5: the width of the code {code} of {self.name} is not that of its glyph"
        yield from self._meaning(codes)

    def _encoding(self, flags, tables):
        if bool(flags & SYMBOLIC) == bool(flags & NONSYMBOLIC):
            yield f"6.2.11.6: {self.name} is neither or both of symbolic and not"
        elif flags & SYMBOLIC and ("/Encoding" in self.said or tables != 1):
            yield f"6.2.11.6: {self.name} is symbolic, and has not exactly one encoding"

    def _meaning(self, codes):
        # Conformance U asks for it; without it nobody finds a word
        if "/ToUnicode" not in self.said:
            yield f"6.2.11.7: what the codes of {self.name} mean is not said"
            return
        pairs = re.findall(rb"<([0-9a-fA-F]{2})> <([0-9a-fA-F]{4,})>", self.said["/ToUnicode"].read_bytes())
        meant = {int(code, 16): bytes.fromhex(letter.decode()) for code, letter in pairs}
        for code in sorted(codes):
            if meant.get(code, b"\0\0") in (b"\0\0", b"\xff\xfe", b"\xfe\xff"):
                yield f"6.2.11.7: what the code {code} of {self.name} means is not said"


def fonts_of(page):
    """The fonts of a page by the names they have there."""
    found = page.get("/Resources", {}).get("/Font", {})
    return {name: Font(found[name]) for name in found.keys()}  # noqa: SIM118
