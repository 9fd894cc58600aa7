"""QR codes on pages, read by a library that has nothing to do with the one that draws them."""

import re
from io import BytesIO
from typing import NamedTuple

import zxingcpp
from PIL import Image, ImageDraw
from pypdf import PdfReader

#: millimetres of a point
POINT = 25.4 / 72
#: pixels of a module in the picture that is read, and light modules around the code
SIDE, QUIET = 4, 4
RECTANGLE = r"(\S+) (\S+) (\S+) (\S+) re"


class DrawnCode(NamedTuple):
    """A code: its text, level of error correction and modules of a side; its position and size in millimetres."""

    text: str
    level: str
    size: int
    left: float
    top: float
    side: float


def drawn_codes(pdf):
    """The codes of the last page."""
    page = PdfReader(BytesIO(pdf)).pages[-1]
    content = page.get_contents().get_data().decode("latin-1")
    return [_read(re.findall(RECTANGLE, path[0])) for path in re.finditer(f"(?:{RECTANGLE} ){{100,}}", content)]


def _read(rectangles):
    rows = [tuple(map(float, each)) for each in rectangles]
    left, module = min(row[0] for row in rows), rows[0][3]
    top = max(row[1] + row[3] for row in rows)
    size = round((max(row[0] + row[2] for row in rows) - left) / module)
    picture = Image.new("L", ((size + 2 * QUIET) * SIDE,) * 2, 255)
    drawing = ImageDraw.Draw(picture)
    for x, y, width, height in rows:
        column, line = ((x - left) / module + QUIET) * SIDE, ((top - y - height) / module + QUIET) * SIDE
        drawing.rectangle(
            (round(column), round(line), round(column + width / module * SIDE) - 1, round(line) + SIDE - 1), 0
        )
    # Some patterns of dots also look like a code of another kind
    (found,) = zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormat.QRCode)
    return DrawnCode(found.bytes.decode(), found.ec_level, size, left * POINT, 297 - top * POINT, size * module * POINT)
