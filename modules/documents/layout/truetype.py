"""TrueType fonts: the glyphs and widths of characters, and subsets for PDF files.

A font is read on demand for each character, because tables of its thousands of characters would take memory.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from functools import cached_property, lru_cache
from itertools import accumulate
from mmap import mmap
from struct import iter_unpack, pack, pack_into, unpack, unpack_from

#: flags of a font descriptor (ISO 32000-1, table 123)
FIXED, SYMBOLIC, ITALIC, FORCE_BOLD = 1, 1 << 2, 1 << 6, 1 << 18
#: weight from which on a font is bold
BOLD = 600
#: character maps as (platform, encoding), in order of preference
CHARACTER_MAPS = ((3, 10), (0, 4), (3, 1), (0, 3))
#: flags of a part of a composite glyph
WORDS, SCALE, MORE, SCALES, MATRIX, INSTRUCTIONS = 0x1, 0x8, 0x20, 0x40, 0x80, 0x100
POSTSCRIPT_NAME, MICROSOFT = 6, 3
#: maximum number of glyphs cached in the format of subsets, of about 100 bytes each
MOST_GLYPHS = 1024
#: the sum of a whole font file, including its checksum adjustment
CHECKSUM = 0xB1B0AFBA
SPACE, NO_BREAK_SPACE = 0x20, 0xA0


class TrueType:
    """A font file.

    :param data: the file; if it is a collection, its first font is read
    :ivar default_width: width of the glyph for missing characters, in thousandths of the size
    """

    def __init__(self, data: bytes | mmap) -> None:
        self._data = data
        start = unpack_from(">L", data, 12)[0] if data[:4] == b"ttcf" else 0
        (count,) = unpack_from(">H", data, start + 4)
        rows = iter_unpack(">4s4xLL", data[start + 12 : start + 12 + 16 * count])
        self._tables: dict[bytes, tuple[int, int]] = {tag: (place, length) for tag, place, length in rows}
        head, metrics = self._place(b"head"), self._place(b"hhea")
        (units,) = unpack_from(">H", data, head + 18)
        self._scale: float = 1 if units == 1000 else 1000 / units
        self._long_places = bool(unpack_from(">H", data, head + 50)[0])
        (self._advances,) = unpack_from(">H", data, metrics + 34)
        self._read_characters()
        self.default_width = self.advance(0)
        self._read = lru_cache(MOST_GLYPHS)(self._read_glyph)

    def _place(self, tag: bytes) -> int:
        return self._tables[tag][0]

    def _table(self, tag: bytes) -> bytes:
        place, length = self._tables[tag]
        return self._data[place : place + length]

    def _read_characters(self) -> None:
        """Read the ranges of characters that have glyphs, from a table of format 4 or 12."""
        table = self._place(b"cmap")
        (count,) = unpack_from(">H", self._data, table + 2)
        rows = iter_unpack(">HHL", self._data[table + 4 : table + 4 + 8 * count])
        maps = {(platform, encoding): table + offset for platform, encoding, offset in rows}
        at = next(maps[each] for each in CHARACTER_MAPS if each in maps)
        (form,) = unpack_from(">H", self._data, at)
        if form == 12:
            (runs,) = unpack_from(">L", self._data, at + 12)
            values = _numbers("I", self._data[at + 16 : at + 16 + 12 * runs])
            self._starts, self._ends, self._first_glyphs = values[::3], values[1::3], values[2::3]
            self._lists = 0
        elif form == 4:
            (twice,) = unpack_from(">H", self._data, at + 6)
            self._ends, self._starts, self._first_glyphs, self._offsets = (
                _numbers("H", self._data[place : place + twice])
                for place in (at + 14, at + 16 + twice, at + 16 + 2 * twice, at + 16 + 3 * twice)
            )
            self._lists = at + 16 + 3 * twice
        else:
            raise ValueError(f"the font's table of characters has the unknown form {form}")

    def glyph(self, code: int) -> int:
        """Return the glyph of a character; 0 if the font has none."""
        if code == NO_BREAK_SPACE:
            code = SPACE
        run = bisect_left(self._ends, code)
        if run == len(self._ends) or code < self._starts[run]:
            return 0
        if not self._lists:
            return self._first_glyphs[run] + code - self._starts[run]
        offset = self._offsets[run]
        if not offset:
            return (self._first_glyphs[run] + code) & 0xFFFF
        (glyph,) = unpack_from(">H", self._data, self._lists + 2 * run + offset + 2 * (code - self._starts[run]))
        return (int(glyph) + self._first_glyphs[run]) & 0xFFFF if glyph else 0

    def advance(self, glyph: int) -> float:
        """Return the width of a glyph, in thousandths of the size."""
        at = self._place(b"hmtx") + 4 * min(glyph, self._advances - 1)
        return float(unpack_from(">H", self._data, at)[0] * self._scale)

    def width(self, code: int) -> float:
        """Return the width of a character, in thousandths of the size."""
        return self.advance(self.glyph(code))

    @cached_property
    def name(self) -> str:
        """The PostScript name of the font, without spaces."""
        table = self._place(b"name")
        count, texts = unpack_from(">HH", self._data, table + 2)
        rows = iter_unpack(">6H", self._data[table + 6 : table + 6 + 12 * count])
        for platform, _, _, meaning, length, offset in rows:
            if (platform, meaning) == (MICROSOFT, POSTSCRIPT_NAME):
                at = table + texts + offset
                return self._data[at : at + length].decode("utf-16-be").replace(" ", "-")
        return "Font"

    @cached_property
    def descriptor(self) -> str:
        """The metrics of the font as a whole, as entries of a font descriptor."""
        head, kind, post = self._place(b"head"), self._place(b"OS/2"), self._place(b"post")
        box = " ".join(f"{edge * self._scale:g}" for edge in unpack_from(">4h", self._data, head + 36))
        version, _, weight = unpack_from(">HhH", self._data, kind)
        ascent, descent = unpack_from(">2h", self._data, kind + 68)
        capitals = unpack_from(">h", self._data, kind + 88)[0] if version > 1 else ascent
        whole, part = unpack_from(">hH", self._data, post + 4)
        slant = whole + part / 65536
        (fixed,) = unpack_from(">L", self._data, post + 12)
        flags = SYMBOLIC | (ITALIC if slant else 0) | (FORCE_BOLD if weight >= BOLD else 0) | (FIXED if fixed else 0)
        # The font file has no stem width; this is the usual estimate from its weight
        return (
            f"/Flags {flags}/FontBBox[{box}]/ItalicAngle {slant:g}/Ascent {ascent * self._scale:g}"
            f"/Descent {descent * self._scale:g}/CapHeight {capitals * self._scale:g}"
            f"/StemV {50 + int((weight / 65) ** 2)}/MissingWidth {self.default_width:g}"
        )

    def cut(self, codes: bytes, glyphs: list[int]) -> bytes:
        """Return a font file with these glyphs, each at a code, and their component glyphs.

        It has the tables required by ISO 32000-1, 9.9. Hinting instructions are left out: they are nearly half of a
        font, and viewers draw glyphs without them.
        """
        kept = list(dict.fromkeys((0, *glyphs)))
        numbers = {glyph: number for number, glyph in enumerate(kept)}
        outlines: list[bytes] = []
        metrics: list[bytes] = []
        # The loop appends the components of composite glyphs to `kept`
        for glyph in kept:
            outline, parts, metric = self._read(glyph)
            if parts:
                changed = bytearray(outline)
                for at, part in parts:
                    if part not in numbers:
                        numbers[part] = len(kept)
                        kept.append(part)
                    pack_into(">H", changed, at, numbers[part])
                outline = bytes(changed)
            outlines.append(outline)
            metrics.append(metric)
        # The short format stores half of each offset in two bytes
        places = [0, *accumulate(map(len, outlines))]
        is_long = places[-1] > 0x1FFFE
        located = pack(
            f">{len(places)}{'L' if is_long else 'H'}", *(place if is_long else place >> 1 for place in places)
        )
        first, last = codes[0], codes[-1]
        by_code = dict(zip(codes, (numbers[glyph] for glyph in glyphs), strict=True))
        listed = [by_code.get(code, 0) for code in range(first, last + 1)]
        head, header, limits = map(bytearray, map(self._table, (b"head", b"hhea", b"maxp")))
        pack_into(">L", head, 8, 0)
        pack_into(">H", head, 50, is_long)
        pack_into(">H", header, 34, len(kept))
        pack_into(">H", limits, 4, len(kept))
        return _file({
            b"cmap": pack(
                f">4HL{5 + len(listed)}H", 0, 1, 1, 0, 12, 6, 10 + 2 * len(listed), 0, first, len(listed), *listed
            ),
            b"glyf": b"".join(outlines),
            b"head": bytes(head),
            b"hhea": bytes(header),
            b"hmtx": b"".join(metrics),
            b"loca": located,
            b"maxp": bytes(limits),
        })  # fmt: skip

    def _read_glyph(self, glyph: int) -> tuple[bytes, list[tuple[int, int]], bytes]:
        """Return a glyph without instructions, its components as (offset, glyph), and its metrics."""
        form, size, unit = (">2L", 4, 1) if self._long_places else (">2H", 2, 2)
        start, end = unpack_from(form, self._data, self._place(b"loca") + size * glyph)
        glyphs = self._place(b"glyf")
        data = self._data[glyphs + unit * start : glyphs + unit * end]
        parts: list[tuple[int, int]] = []
        if data and unpack_from(">h", data)[0] < 0:
            changed, at, flags = bytearray(data), 10, MORE
            while flags & MORE:
                flags, part = unpack_from(">2H", data, at)
                pack_into(">H", changed, at, flags & ~INSTRUCTIONS)
                parts.append((at + 2, part))
                at += 8 if flags & WORDS else 6
                at += 2 if flags & SCALE else 4 if flags & SCALES else 8 if flags & MATRIX else 0
            data = bytes(changed[:at])
        elif data:
            at = 10 + 2 * unpack_from(">h", data)[0]
            (length,) = unpack_from(">H", data, at)
            data = data[:at] + b"\0\0" + data[at + 2 + length :]
        return data + bytes(-len(data) % 4), parts, self._metric(glyph)

    def _metric(self, glyph: int) -> bytes:
        """Return the width and left side bearing of a glyph, in the format of a font file."""
        table = self._place(b"hmtx")
        last = min(glyph, self._advances - 1)
        width = self._data[table + 4 * last : table + 4 * last + 2]
        at = table + (4 * glyph + 2 if glyph == last else 4 * self._advances + 2 * (glyph - self._advances))
        return width + self._data[at : at + 2]


def _numbers(kind: str, data: bytes) -> array[int]:
    found = array(kind, data)
    found.byteswap()
    return found


def _file(tables: dict[bytes, bytes]) -> bytes:
    """Return the font file of tables; they must be in the order of their tags."""
    count = len(tables)
    power = count.bit_length() - 1
    start = pack(">LHHHH", 0x10000, count, 16 << power, power, 16 * (count - (1 << power)))
    place, rows, contents = 12 + 16 * count, [], []
    for tag, data in tables.items():
        padded = data + bytes(-len(data) % 4)
        rows.append(pack(">4sLLL", tag, _sum(padded), place, len(data)))
        contents.append(padded)
        place += len(padded)
    made = bytearray(b"".join((start, *rows, *contents)))
    head = 12 + 16 * count + sum(map(len, contents[: list(tables).index(b"head")]))
    pack_into(">L", made, head + 8, CHECKSUM - _sum(made) & 0xFFFFFFFF)
    return bytes(made)


def _sum(data: bytes | bytearray) -> int:
    total: int = sum(unpack(f">{len(data) // 4}L", data))
    return total & 0xFFFFFFFF
