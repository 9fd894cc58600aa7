"""QR codes (ISO/IEC 18004) with error correction of level M, as a list of dark rectangles.

reportlab provides patterns, masks and blocks. The parts common to all codes of a version are cached: the position of
each bit and the eight masks. A matrix is one integer with a bit per module. Masks are rated and error correction words
are computed by shifting such integers. A code takes half a millisecond; reportlab's own encoder takes 25.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import zip_longest
from typing import Any

#: width of the quiet zone, in modules
QUIET = 4
MASKS = 8
#: mode indicator of bytes; the first version with two-byte lengths; pad bytes after the data
BYTES, WIDE_LENGTHS, FILLING = 0b0100, 10, b"\xec\x11"
#: penalties of a mask: modules of one colour in a row, in a square, a finder-like pattern, imbalance of colours
ROW, SQUARE, CORNER, IMBALANCE = 2, 3, 40, 10
CORNERS = ("10111010000", "00001011101")


@dataclass(frozen=True)
class QrCode:
    """A QR code.

    :param size: modules per side, without the quiet zone
    :param dark: rectangles, in modules from the left and the top: x, y, width and height
    """

    size: int
    dark: tuple[tuple[int, int, int, int], ...]


@lru_cache(maxsize=64)
def qr_code(payload: str) -> QrCode:
    """Return the code of a text, encoded in UTF-8."""
    data = payload.encode()
    frame = _frame(_version(len(data)))
    bits = "".join(f"{word:08b}" for word in _words(data, frame))
    rows = columns = 0
    for bit, (by_row, by_column) in zip(bits, frame.places, strict=False):
        if bit == "1":
            rows |= by_row
            columns |= by_column
    masked = [(by_row ^ rows, by_column ^ columns) for by_row, by_column in frame.masks]
    best = min(masked, key=lambda each: _cost(each, frame.size))[0]
    return QrCode(frame.size, tuple(_runs(best, frame.size)))


def _encoder() -> tuple[Any, int]:
    # Imported on first use: it takes 0.2 seconds, and many documents have no code
    from reportlab.graphics.barcode import qrencoder

    return qrencoder, qrencoder.QRErrorCorrectLevel.M


@dataclass(frozen=True)
class _Frame:
    """The parts common to all codes of a version; each matrix as a pair: row by row and column by column.

    :param blocks: numbers of data words and error correction words of each block
    :param places: the bit of each data module, in the order of the data
    :param masks: function patterns combined with each of the masks, without data
    """

    version: int
    size: int
    blocks: list[tuple[int, int]]
    places: list[tuple[int, int]]
    masks: list[tuple[int, int]]


@cache
def _version(length: int) -> int:
    """Return the smallest version that holds a number of bytes."""
    encoder, level = _encoder()
    code = encoder.QRCode(None, level)
    code.addData(encoder.QR8bitByte(bytes(length)))
    return int(code.calculate_version())


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
    found = encoder.QRRSBlock.getRSBlocks(version, level)
    blocks = [(block.dataCount, block.totalCount - block.dataCount) for block in found]
    return _Frame(version, size, blocks, places, masks)


def _words(data: bytes, frame: _Frame) -> list[int]:
    """Return the words of a code: mode, length, data, padding, then error correction; the blocks are interleaved."""
    length = 1 if frame.version < WIDE_LENGTHS else 2
    head = BYTES << 8 * length | len(data)
    content = ((head << 8 * len(data) | int.from_bytes(data)) << 4).to_bytes(len(data) + length + 1)
    capacity = sum(count for count, _ in frame.blocks)
    content += (FILLING * capacity)[: capacity - len(content)]
    parts, corrections, start = [], [], 0
    for count, more in frame.blocks:
        part = content[start : start + count]
        start += count
        parts.append(part)
        corrections.append(_correction(part, more))
    turns = (*zip_longest(*parts), *zip_longest(*corrections))
    return [word for turn in turns for word in turn if word is not None]


def _correction(data: bytes, count: int) -> bytes:
    """Return the error correction words: the remainder of a polynomial division, polynomials being integers."""
    products, rest = _products(count), 0
    top, mask = 8 * (count - 1), (1 << 8 * count) - 1
    for word in data:
        rest = (rest << 8 & mask) ^ products[word ^ rest >> top]
    return rest.to_bytes(count)


@cache
def _products(count: int) -> list[int]:
    """Return the products of the generator polynomial, without its first coefficient, and each number of the field."""
    encoder, _ = _encoder()
    maths = encoder.QRMath
    divisor = encoder.QRUtil.getErrorCorrectPolynomial(count).num[1:]
    return [0] + [
        int.from_bytes(bytes(maths.gexp(maths.glog(each) + maths.glog(factor)) for each in divisor))
        for factor in range(1, 256)
    ]


def _whole(lines: Any) -> int:
    """Return a matrix as an integer: the first module of the first line is the lowest bit."""
    return int("".join("1" if module else "0" for line in lines for module in line)[::-1], 2)


def _cost(matrices: tuple[int, int], size: int) -> int:
    """Return the penalty of a masked code: the lower, the easier it is to read."""
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
    """Return the modules at which a run of this length can begin without leaving its line."""
    return _whole([[True] * (size - length + 1) + [False] * (length - 1)] * size)


def _runs(matrix: int, size: int) -> list[tuple[int, int, int, int]]:
    modules = f"{matrix:0{size * size}b}"[::-1]
    return [
        (found.start(), row, found.end() - found.start(), 1)
        for row in range(size)
        for found in re.finditer("1+", modules[row * size : (row + 1) * size])
    ]
