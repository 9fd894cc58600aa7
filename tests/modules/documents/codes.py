"""Codes on pages: read back from what is drawn, and as reportlab's own encoder makes them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from io import BytesIO

from pypdf import PdfReader
from reportlab.graphics.barcode import qrencoder

Matrix = list[list[bool]]
#: millimetres of a point
POINT = 25.4 / 72


def filled(size: int, runs: Iterable[tuple[int, int, int]]) -> Matrix:
    """A matrix of dark runs: x, y and width of each."""
    found = [[False] * size for _ in range(size)]
    for x, y, width in runs:
        found[y][x : x + width] = [True] * width
    return found


def expected(payload: str) -> list[Matrix]:
    """The codes that may hold a text in UTF-8, one for each mask."""
    found = []
    for mask in range(8):
        code = qrencoder.QRCode(None, qrencoder.QRErrorCorrectLevel.M)
        code.addData(qrencoder.QR8bitByte(payload.encode()))
        code.version = code.calculate_version()
        code.makeImpl(False, mask)
        found.append([list(map(bool, row)) for row in code.modules])
    return found


def drawn_codes(pdf: bytes) -> list[tuple[Matrix, float, float, float]]:
    """The codes of the last page: matrix, millimetres from the left and from the top, and of a side."""
    page = PdfReader(BytesIO(pdf)).pages[-1]
    content = page.get_contents()
    assert content is not None
    found = []
    for line in content.get_data().decode("latin-1").split("\n"):
        boxes = [tuple(map(float, each)) for each in re.findall(r"(\S+) (\S+) (\S+) (\S+) re(?= )", line)]
        if len(boxes) < 100:
            continue
        module = boxes[0][3]
        left, top = min(box[0] for box in boxes), max(box[1] + box[3] for box in boxes)
        side = max(box[0] + box[2] for box in boxes) - left
        size = round(side / module)
        runs = [
            (round((x - left) / module), round((top - y - tall) / module), round(wide / module))
            for x, y, wide, tall in boxes
        ]
        place = (left * POINT, 297 - top * POINT, side * POINT)
        found.append((filled(size, runs), *place))
    return found
