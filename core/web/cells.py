"""Numbers that one process writes and others read, in memory that they share through a file.

prometheus-client has files of its own for that: they cost ten times as much a number, six times a request.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from collections.abc import Iterator
from pathlib import Path

Key = tuple[str, ...]

#: bytes that are added at a time, all of them to the file at once: a hole in a full file system ends who writes into it
PIECE = 1 << 17

_DOUBLE = 8
_LENGTH = struct.Struct("=Q")


class Cells:
    """Rows of numbers under keys, behind some numbers without one.

    A piece of the file holds one row after another: the length of its key, the key filled to eight bytes, its numbers.

    :param head: how many numbers stand in front
    :param width: how many numbers a row has
    :param file: None: nobody else reads them; a file that is there goes on
    :raises OSError: there is no room
    """

    def __init__(self, head: int, width: int, file: Path | None = None) -> None:
        self._width = width
        self._file = os.open(file, os.O_RDWR | os.O_CREAT, 0o600) if file is not None else -1
        self._pieces: list[mmap.mmap] = []
        self._known: dict[Key, tuple[memoryview[float], int]] = {}
        length = os.fstat(self._file).st_size if file is not None else 0
        self._add_piece()
        while len(self._pieces) * PIECE < length:
            self._add_piece()
        #: the numbers without a key
        self.head = memoryview(self._pieces[0]).cast("d")[:head]
        self._used = head * _DOUBLE
        for number, piece in enumerate(self._pieces):
            start = head * _DOUBLE if not number else 0
            for key, at in rows_in(piece, start, width):
                self._known[key] = memoryview(piece).cast("d"), at // _DOUBLE
                start = at + width * _DOUBLE
            self._used = start

    def _add_piece(self) -> None:
        number = len(self._pieces)
        if self._file >= 0:
            os.posix_fallocate(self._file, 0, (number + 1) * PIECE)
            self._pieces.append(mmap.mmap(self._file, PIECE, offset=number * PIECE))
        else:
            self._pieces.append(mmap.mmap(-1, PIECE))

    def row(self, key: Key) -> tuple[memoryview[float], int]:
        """Where the numbers of a key are: a piece as numbers, and the place of the first.

        :raises OSError: there is no room
        """
        if key in self._known:
            return self._known[key]
        name = json.dumps(key).encode()
        name += b" " * (-len(name) % _DOUBLE)
        length = _LENGTH.size + len(name) + self._width * _DOUBLE
        if self._used + length > PIECE:
            self._add_piece()
            self._used = 0
        piece, start = self._pieces[-1], self._used
        piece[start + _LENGTH.size : start + _LENGTH.size + len(name)] = name
        # Last: before, no reader sees the row
        piece[start : start + _LENGTH.size] = _LENGTH.pack(len(name))
        self._used += length
        found = memoryview(piece).cast("d"), (start + _LENGTH.size + len(name)) // _DOUBLE
        self._known[key] = found
        return found

    def content(self) -> bytes:
        """All of it, as `read_cells` reads it."""
        return b"".join(piece[:] for piece in self._pieces)


def rows_in(piece: bytes | mmap.mmap, start: int, width: int) -> Iterator[tuple[Key, int]]:
    """Each key of a piece with the place of its numbers in bytes."""
    while start + _LENGTH.size < PIECE:
        (length,) = _LENGTH.unpack_from(piece, start)
        if not length:
            return
        at = start + _LENGTH.size + length
        yield tuple(json.loads(piece[start + _LENGTH.size : at])), at
        start = at + width * _DOUBLE


def read_cells(content: bytes, head: int, width: int) -> tuple[tuple[float, ...], dict[Key, tuple[float, ...]]]:
    """The numbers in front, and those of each key."""
    rows = {
        key: struct.unpack_from(f"={width}d", content, first + at)
        for first in range(0, len(content), PIECE)
        for key, at in rows_in(content[first : first + PIECE], 0 if first else head * _DOUBLE, width)
    }
    return struct.unpack_from(f"={head}d", content), rows
