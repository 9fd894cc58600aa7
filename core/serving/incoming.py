"""What a client has sent: where a head ends, and whether all chunks of a body are there."""

from __future__ import annotations

import io
import re

from gunicorn.http.unreader import Unreader  # type: ignore[import-untyped]

_END_OF_HEAD = re.compile(rb"\n\r?\n")
_SIZE = re.compile(rb"[0-9A-Fa-f]+")
#: bytes of a chunk's first line at the most
_LONGEST_LINE = 8192


class NotYet(BaseException):
    """What is asked for has not been sent yet. Passes through the application, which has done nothing so far."""


class Received(Unreader):  # type: ignore[misc]
    """What gunicorn's parser reads from: bytes that are there, and no waiting for more."""

    def hold(self, content: bytes | bytearray) -> None:
        """Have these bytes read, and no others."""
        self.buf = io.BytesIO()
        self.buf.write(content)

    def chunk(self, size_hint: int | None = None) -> bytes:
        """More is not there."""
        raise NotYet


def has_head(received: bytearray, searched: int) -> bool:
    """Whether a head comes to its end.

    :param searched: bytes that have been looked through already
    """
    return _END_OF_HEAD.search(received, max(searched - 3, 0)) is not None


def follow_chunks(received: bytearray, start: int) -> tuple[bool, int]:
    """Whether the last chunk is there, and where the first one begins that is not.

    What is no proper chunk is left to the parser to refuse.

    :param start: where a chunk begins
    """
    while (end := received.find(b"\r\n", start)) >= 0:
        size, extended, _ = received[start:end].partition(b";")
        if not _SIZE.fullmatch(size.rstrip(b" \t") if extended else size):
            return True, start
        length = int(size, 16)
        if length == 0:
            return received.find(b"\r\n\r\n", end) >= 0, start
        behind = end + 2 + length
        if behind + 2 > len(received):
            return False, start
        if received[behind : behind + 2] != b"\r\n":
            return True, start
        start = behind + 2
    return len(received) - start > _LONGEST_LINE, start
