"""What a TrueType font inside a PDF file says: read here, not with the library that wrote it."""

from struct import unpack_from


class FontFile:
    """A TrueType font with one table of codes.

    :ivar tables: where each lies
    :ivar codes: code → glyph, of the last table of codes
    :ivar encodings: how many tables of codes there are
    """

    def __init__(self, data):
        self._data = data
        (count,) = unpack_from(">H", data, 4)
        rows = [unpack_from(">4sLLL", data, 12 + 16 * place) for place in range(count)]
        self.tables = {name.decode(): offset for name, _, offset, _ in rows}
        (self._units,) = unpack_from(">H", data, self.tables["head"] + 18)
        (self._metrics,) = unpack_from(">H", data, self.tables["hhea"] + 34)
        self.encodings = 0
        self.codes = {}
        if "cmap" in self.tables:
            self._read_codes(self.tables["cmap"])

    def _read_codes(self, table):
        (self.encodings,) = unpack_from(">H", self._data, table + 2)
        for place in range(self.encodings):
            (offset,) = unpack_from(">L", self._data, table + 8 + 8 * place)
            at = table + offset
            (form,) = unpack_from(">H", self._data, at)
            if form == 0:
                self.codes = dict(enumerate(self._data[at + 6 : at + 262]))
            elif form == 6:
                first, count = unpack_from(">HH", self._data, at + 6)
                glyphs = unpack_from(f">{count}H", self._data, at + 10)
                self.codes = dict(enumerate(glyphs, first))

    def width(self, code):
        """How wide the glyph of a code is, in thousandths of its size."""
        glyph = min(self.codes.get(code, 0), self._metrics - 1)
        (width,) = unpack_from(">H", self._data, self.tables["hmtx"] + 4 * glyph)
        return float(width) * 1000 / self._units
