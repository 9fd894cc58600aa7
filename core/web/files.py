"""A file as an answer: its tag, the part of it that is asked for, the header that keeps a browser from running it."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ..common.errors import ApiError, Unchanged
from ..contract.api import File
from ..storage.serializer import etag_of, names_etag

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)


class Portion:
    """A part of an open file, from its current position.

    :param stream: the file, closed with this
    :param length: bytes of the part
    """

    def __init__(self, stream: IO[bytes], length: int) -> None:
        self._stream = stream
        self._left = length

    def read(self, size: int = -1) -> bytes:
        """The next bytes; none at the end of the part."""
        content = self._stream.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(content)
        return content

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


@dataclass(frozen=True)
class FileAnswer:
    """What is sent of a file.

    :param length: bytes of the body; None: nobody knows
    """

    status: int
    headers: dict[str, str]
    body: bytes | Portion | IO[bytes]
    length: int | None

    def close(self) -> None:
        """Close what nobody will read."""
        if not isinstance(self.body, bytes):
            self.body.close()


def answer_file(file: File, env: Mapping[str, Any], status: int) -> FileAnswer:
    """The answer that a file is, to a request with these variables.

    One range of bytes is answered alone (206); several, and what cannot be understood, as the whole file.

    :param status: that of the whole file
    :raises Unchanged: the caller has it already (`If-None-Match`)
    :raises ApiError: 416, the range lies behind the file's end
    """
    content = file.content.open("rb") if isinstance(file.content, Path) else file.content
    reads = env["REQUEST_METHOD"] in ("GET", "HEAD")
    headers = {"Content-Security-Policy": "sandbox; default-src 'none'"}
    try:
        size, tag = _size_and_tag(content)
        if size is None or not reads:
            return FileAnswer(status, headers, content, size)
        if tag:
            headers["ETag"] = tag
            if names_etag(env.get("HTTP_IF_NONE_MATCH", ""), tag):
                raise Unchanged(headers=headers)
        headers["Accept-Ranges"] = "bytes"
        span = _span(env, size, tag)
    except ApiError:
        if not isinstance(content, bytes):
            content.close()
        raise
    if span is None:
        return FileAnswer(status, headers, content, size)
    start, end = span
    headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
    if isinstance(content, bytes):
        return FileAnswer(206, headers, content[start:end], end - start)
    content.seek(start)
    return FileAnswer(206, headers, Portion(content, end - start), end - start)


def _size_and_tag(content: bytes | IO[bytes]) -> tuple[int | None, str]:
    if isinstance(content, bytes):
        return len(content), etag_of(content)
    try:
        state = os.fstat(content.fileno())
        return state.st_size, f'"{state.st_mtime_ns:x}-{state.st_size:x}-{state.st_ino:x}"'
    except (OSError, AttributeError):
        pass
    if isinstance(content, io.IOBase) and content.seekable():
        size = content.seek(0, io.SEEK_END)
        content.seek(0)
        return size, ""
    return None, ""


def _span(env: Mapping[str, Any], size: int, tag: str) -> tuple[int, int] | None:
    """The bytes that are asked for, as start and end; None: all of them."""
    asked = _RANGE.fullmatch(env.get("HTTP_RANGE", "").replace(" ", ""))
    condition = env.get("HTTP_IF_RANGE", "").strip()
    if asked is None or asked.groups() == ("", "") or (condition and condition != tag):
        return None
    first, last = asked.groups()
    if first and last and int(last) < int(first):
        return None
    start = int(first) if first else max(size - int(last), 0)
    end = min(int(last) + 1, size) if first and last else size
    if start >= end:
        raise ApiError(
            f"expected a range within the file's {size} bytes", status=416, headers={"Content-Range": f"bytes */{size}"}
        )
    return start, end
