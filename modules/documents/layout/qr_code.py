"""QR codes (ISO/IEC 18004) with error correction of level M, as the rectangles that are dark.

reportlab knows patterns, masks and blocks. What is the same in all codes of a size is kept: where each bit has its
place, and the eight masks. A matrix is one whole number, a bit for each module, so that masks are weighed, and the
words that correct errors found, by a few shifts: a code takes half a millisecond, reportlab's own 25.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import zip_longest
from typing import Any

#: modules that stay light around a code
QUIET = 4
MASKS = 8
#: mode of data that are bytes; the first version whose lengths have two bytes; what is behind the data
BYTES, WIDE_LENGTHS, FILLING = 0b0100, 10, b"\xec\x11"
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
    # Loading it takes a fifth of a second, and many papers have no code
    from reportlab.graphics.barcode import qrencoder

    return qrencoder, qrencoder.QRErrorCorrectLevel.M


@dataclass(frozen=True)
class _Frame:
    """What all codes of a version have in common; matrices row by row and column by column.

    :param blocks: words of data of each block, and words that correct its errors
    :param places: the bit of each module that holds data, in the order of the data
    :param masks: patterns and each of the masks, without data
    """

    version: int
    size: int
    blocks: list[tuple[int, int]]
    places: list[tuple[int, int]]
    masks: list[tuple[int, int]]


@cache
def _version(length: int) -> int:
    """The smallest version that holds so many bytes."""
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
    """The words of a code: mode, length, data and filling, then what corrects errors; of all blocks in turns."""
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
    """So many words that correct errors: the rest of a division of polynomials, each of which is a whole number."""
    products, rest = _products(count), 0
    top, mask = 8 * (count - 1), (1 << 8 * count) - 1
    for word in data:
        rest = (rest << 8 & mask) ^ products[word ^ rest >> top]
    return rest.to_bytes(count)


@cache
def _products(count: int) -> list[int]:
    """The divisor of so many words, without its first one, times each number of the field."""
    encoder, _ = _encoder()
    maths = encoder.QRMath
    divisor = encoder.QRUtil.getErrorCorrectPolynomial(count).num[1:]
    return [0] + [
        int.from_bytes(bytes(maths.gexp(maths.glog(each) + maths.glog(factor)) for each in divisor))
        for factor in range(1, 256)
    ]


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
