"""Codes on pages: read back from what is drawn, and as reportlab's own encoder makes them."""

import re
from io import BytesIO

from pypdf import PdfReader
from reportlab.graphics.barcode import qrencoder

Matrix = list[list[bool]]
#: millimetres of a point
POINT = 25.4 / 72


def filled(size, runs):
    """A matrix of dark rectangles: x, y, width and height of each."""
    found = [[False] * size for _ in range(size)]
    for x, y, width, height in runs:
        for row in found[y : y + height]:
            row[x : x + width] = [True] * width
    return found


def expected(payload):
    """The codes that may hold a text in UTF-8, one for each mask."""
    found = []
    for mask in range(8):
        code = qrencoder.QRCode(None, qrencoder.QRErrorCorrectLevel.M)
        code.addData(qrencoder.QR8bitByte(payload.encode()))
        code.version = code.calculate_version()
        code.makeImpl(False, mask)
        found.append([list(map(bool, row)) for row in code.modules])
    return found


def drawn_codes(pdf):
    """The codes of the last page: matrix, millimetres from the left and from the top, and of a side."""
    page = PdfReader(BytesIO(pdf)).pages[-1]
    content = page.get_contents()
    assert content is not None
    found = []
    for line in content.get_data().decode("latin-1").split("\n"):
        grid = re.search(r"q (\S+) 0 0 -\1 (\S+) (\S+) cm ((?:\d+ \d+ \d+ \d+ re ){100,})f Q", line)
        if grid:
            module, left, top = float(grid[1]), float(grid[2]), float(grid[3])
            numbers = list(map(int, re.findall(r"\d+", grid[4])))
            runs = [(x, y, wide, tall) for x, y, wide, tall in zip(*[iter(numbers)] * 4, strict=True)]
            size = max(x + wide for x, _, wide, _ in runs)
            found.append((filled(size, runs), left * POINT, 297 - top * POINT, size * module * POINT))
    return found
