"""A PDF file as bytes: numbered objects and the table of their offsets.

Objects other than streams are compressed together, because a structure tree has hundreds of them. The format meets
PDF/A-3 (ISO 19005-3, 6.1).
"""

from __future__ import annotations

import os
import zlib
from struct import Struct
from typing import cast

#: the four bytes above 127 mark the file as binary for transfer programs
HEADER = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
#: zlib level; higher levels take twice the time and save only a few percent
LEVEL = 3
#: number of objects compressed together; a reader decompresses all of them to read one
TOGETHER = 1000
#: maximum characters of a text such as a title; a PDF string has at most 32,767 bytes
LONGEST = 2000

_entry = Struct(">BIH").pack


class PdfFile:
    """The objects of a PDF file."""

    def __init__(self) -> None:
        # str: an ordinary object; bytes: a stream with its dictionary
        self._objects: list[str | bytes] = []

    @property
    def next(self) -> int:
        """The number of the next object."""
        return len(self._objects) + 1

    def reserve(self) -> int:
        """Return the number of a new object whose content is set later by `put`."""
        return self.add("null")

    def put(self, number: int, content: str) -> None:
        """Set the content of an object, in ASCII."""
        self._objects[number - 1] = content

    def add(self, *contents: str) -> int:
        """Add objects with consecutive numbers and return the last number."""
        self._objects += contents
        return len(self._objects)

    def stream(self, data: bytes, entries: str = "") -> int:
        """Add a stream and return its number.

        :param entries: entries of its dictionary, including its filter if it has one
        """
        self._objects.append(f"<<{entries}/Length {len(data)}>>\nstream\n".encode() + data + b"\nendstream")
        return len(self._objects)

    def packed(self, data: bytes, entries: str = "") -> int:
        """Compress data, add it as a stream and return its number."""
        return self.stream(zlib.compress(data, LEVEL), f"{entries}/Filter/FlateDecode")

    def written(self, catalog: int, info: int) -> bytes:
        """Return the bytes of the file.

        :param catalog: number of the root object
        :param info: number of the object with title and author
        """
        ordinary = [number for number, each in enumerate(self._objects, 1) if isinstance(each, str)]
        entries = {0: _entry(0, 0, 65535)}
        for first in range(0, len(ordinary), TOGETHER):
            self._pack(ordinary[first : first + TOGETHER], entries)
        parts, place = [HEADER], len(HEADER)
        for number, each in enumerate(self._objects, 1):
            if isinstance(each, bytes):
                entries[number] = _entry(1, place, 0)
                parts.append(b"%d 0 obj\n%b\nendobj\n" % (number, each))
                place += len(parts[-1])
        number = self.next
        entries[number] = _entry(1, place, 0)
        table = zlib.compress(b"".join([entries[each] for each in range(number + 1)]), LEVEL)
        sign = os.urandom(16).hex()
        told = (
            f"{number} 0 obj\n<</Type/XRef/Size {number + 1}/W[1 4 2]/Root {catalog} 0 R/Info {info} 0 R"
            f"/ID[<{sign}><{sign}>]/Filter/FlateDecode/Length {len(table)}>>\nstream\n"
        )
        parts += [told.encode(), table, b"\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n" % place]
        return b"".join(parts)

    def _pack(self, numbers: list[int], entries: dict[int, bytes]) -> None:
        """Put ordinary objects into an object stream."""
        index, place = [], 0
        holder = self.next
        contents = cast(list[str], [self._objects[number - 1] for number in numbers])
        for position, number in enumerate(numbers):
            index.append(f"{number} {place}")
            place += len(contents[position]) + 1
            entries[number] = _entry(2, holder, position)
        head = " ".join(index) + "\n"
        data = (head + "\n".join(contents)).encode("ascii")
        self.packed(data, f"/Type/ObjStm/N {len(numbers)}/First {len(head)}")


def spelled(text: str) -> str:
    """Return a text as a PDF string, cut to `LONGEST` characters."""
    text = text[:LONGEST]
    if text.isascii() and text.isprintable():
        return "(" + text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)") + ")"
    return f"<feff{text.encode('utf-16-be').hex()}>"
