"""What a client has sent: where a head ends, and whether all chunks of a body are there."""

from __future__ import annotations

import io
import re

from gunicorn.http.unreader import Unreader  # type: ignore[import-untyped]

_END_OF_HEAD = re.compile(rb"\n\r?\n")
_SIZE = re.compile(rb"[0-9A-Fa-f]+")
#: bytes of a chunk's first line, and of the trailer behind the last chunk
_MAX_LINE_BYTES = MAX_TRAILER_BYTES = 8192


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


def end_of_head(received: bytearray, searched: int) -> int:
    """Return how many bytes a head has; 0: it has not come to its end.

    :param searched: bytes that have been looked through already
    """
    found = _END_OF_HEAD.search(received, max(searched - 3, 0))
    return found.end() if found else 0


class ChunkedBody:
    """How much of a chunked body has come; goes on from where it stopped when more has come."""

    def __init__(self) -> None:
        #: bytes of the body as its chunks announce them, and those that are there
        self.length = self._arrived = 0
        self._in_trailer = False
        #: where the chunk or the trailer begins that is not there yet, and before which byte it has no end
        self._start = self._searched = 0

    def has_ended(self, received: bytearray) -> bool:
        """Return whether its end is there, or what is no proper chunk and no proper trailer: the parser rejects that.

        :param received: all that has come of it
        """
        while not self._in_trailer:
            end = received.find(b"\r\n", self._searched)
            if end < 0:
                self._searched = max(len(received) - 1, self._start)
                return len(received) - self._start > _MAX_LINE_BYTES
            size, extended, _ = received[self._start : end].partition(b";")
            if not _SIZE.fullmatch(size.rstrip(b" \t") if extended else size):
                return True
            length = int(size, 16)
            self.length = self._arrived + length
            behind = end + 2 + length
            if length == 0:
                self._in_trailer = True
                self._start, self._searched = end + 2, end
            elif behind + 2 > len(received):
                self._searched = end
                return False
            elif received[behind : behind + 2] != b"\r\n":
                return True
            else:
                self._arrived = self.length
                self._start = self._searched = behind + 2
        end = received.find(b"\r\n\r\n", self._searched)
        self._searched = max(len(received) - 3, self._searched)
        return end >= 0 or len(received) - self._start > MAX_TRAILER_BYTES
