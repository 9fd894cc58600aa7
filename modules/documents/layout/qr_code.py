"""QR codes (ISO/IEC 18004) with error correction of level M, as the rectangles that are dark.

reportlab knows the patterns and makes the words of the code. Each word's place, and each of the eight masks, is the
same in all codes of a size, so these are kept; a matrix is one whole number, a bit for each module, which makes
weighing the masks a matter of shifts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

#: modules that stay light around a code
QUIET = 4
MASKS = 8
#: what each fault of a mask costs: dark and light modules in a row, in a square, what looks like a corner, imbalance
ROW, SQUARE, CORNER, IMBALANCE = 2, 3, 40, 10
CORNERS = ("10111010000", "00001011101")


@dataclass(frozen=True)
class QrCode:
    """A code.

    :param size: modules at each side, without the quiet zone
    :param dark: rectangles, in modules from the left and the top: x, y and width; each is one module high
    """

    size: int
    dark: tuple[tuple[int, int, int], ...]


@lru_cache(maxsize=64)
def qr_code(payload: str) -> QrCode:
    """The code that holds a text, in UTF-8."""
    encoder, level = _encoder()
    data = encoder.QR8bitByte(payload.encode())
    code = encoder.QRCode(None, level)
    code.addData(data)
    frame = _frame(code.calculate_version())
    words = encoder.QRCode.createData(frame.version, level, [data])
    bits = "".join(f"{word:08b}" for word in words)
    rows = columns = 0
    for bit, (by_row, by_column) in zip(bits, frame.places, strict=False):
        if bit == "1":
            rows |= by_row
            columns |= by_column
    masked = [(by_row ^ rows, by_column ^ columns) for by_row, by_column in frame.masks]
    best = min(masked, key=lambda each: _cost(each, frame.size))[0]
    return QrCode(frame.size, tuple(_runs(best, frame.size)))


def _encoder() -> tuple[Any, int]:
    # Loading it takes a fifth of a second, and many papers have no code
    from reportlab.graphics.barcode import qrencoder

    return qrencoder, qrencoder.QRErrorCorrectLevel.M


@dataclass(frozen=True)
class _Frame:
    """What all codes of a version have in common; matrices row by row and column by column.

    :param places: the bit of each module that holds data, in the order of the data
    :param masks: patterns and each of the masks, without data
    """

    version: int
    size: int
    places: list[tuple[int, int]]
    masks: list[tuple[int, int]]


@cache
def _frame(version: int) -> _Frame:
    encoder, level = _encoder()
    masks = []
    for mask in range(MASKS):
        code = encoder.QRCode(version, level)
        code.dataCache = []
        code.makeImpl(False, mask)
        columns = list(zip(*code.modules, strict=True))
        masks.append((_whole(code.modules), _whole(columns)))
    size = code.getModuleCount()
    places = [(1 << row * size + column, 1 << column * size + row) for column, row in code.dataPosIterator()]
    return _Frame(version, size, places, masks)


def _whole(lines: Any) -> int:
    """A matrix as a number: the module at the left of the first line is the last bit."""
    return int("".join("1" if module else "0" for line in lines for module in line)[::-1], 2)


def _cost(matrices: tuple[int, int], size: int) -> int:
    """How hard a code is to read: the lower, the better."""
    dark, full = matrices[0], (1 << size * size) - 1
    cost = sum(_cost_of_lines(each, size) for each in matrices)
    for each in (dark, dark ^ full):
        cost += SQUARE * (each & each >> 1 & each >> size & each >> size + 1 & _starts(size, 2)).bit_count()
    return cost + IMBALANCE * int(abs(dark.bit_count() / size**2 - 0.5) * 20)


def _cost_of_lines(dark: int, size: int) -> int:
    light = dark ^ (1 << size * size) - 1
    cost = 0
    for each in (dark, light):
        five = each & each >> 1 & each >> 2 & each >> 3 & each >> 4 & _starts(size, 5)
        cost += five.bit_count() + ROW * (five & ~(five << 1)).bit_count()
    for pattern in CORNERS:
        found = _starts(size, len(pattern))
        for place, module in enumerate(pattern):
            found &= (dark if module == "1" else light) >> place
        cost += CORNER * found.bit_count()
    return cost


@cache
def _starts(size: int, length: int) -> int:
    """The modules behind which so many of the same line follow, themselves among them."""
    return _whole([[True] * (size - length + 1) + [False] * (length - 1)] * size)


def _runs(matrix: int, size: int) -> list[tuple[int, int, int]]:
    modules = f"{matrix:0{size * size}b}"[::-1]
    return [
        (found.start(), row, found.end() - found.start())
        for row in range(size)
        for found in re.finditer("1+", modules[row * size : (row + 1) * size])
    ]
