"""Files as responses: their entity tag, ranges of bytes, and the header that keeps a browser from running them."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import falcon

from ..common.errors import ApiError, Unchanged
from ..contract.api import File
from ..storage.serializer import etag_of, names_etag

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)


class Portion:
    """A part of an open file, from its current position.

    :param stream: the file; it's closed with this object
    :param length: bytes of the part
    """

    def __init__(self, stream: IO[bytes], length: int) -> None:
        self._stream = stream
        self._left = length

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes; none at the end of the part."""
        content = self._stream.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(content)
        return content

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def write_file(request: falcon.Request, response: falcon.Response, file: File) -> None:
    """Write a file, or the range of its bytes that is requested.

    Several ranges, and one that can't be read, are ignored.

    :raises Unchanged: the caller has the file already (`If-None-Match`)
    :raises ApiError: 416, the range is beyond the file's end
    """
    content: Any = file.content.open("rb") if isinstance(file.content, Path) else file.content
    headers = {"Content-Security-Policy": "sandbox; default-src 'none'"}
    try:
        length, tag = _size_and_tag(content)
        if length is not None and request.method in ("GET", "HEAD"):
            if tag:
                headers["ETag"] = tag
            if tag and names_etag(request.env.get("HTTP_IF_NONE_MATCH", ""), tag):
                raise Unchanged(headers=headers)
            headers["Accept-Ranges"] = "bytes"
            if (span := _requested_range(request.env, length, tag)) is not None:
                start, end = span
                headers["Content-Range"] = f"bytes {start}-{end - 1}/{length}"
                response.status, length = 206, end - start
                if isinstance(content, bytes):
                    content = content[start:end]
                else:
                    content.seek(start)
                    content = Portion(content, length)
    except ApiError:
        if not isinstance(content, bytes):
            content.close()
        raise
    response.content_type = file.content_type
    response.downloadable_as = file.name
    response.set_headers(headers)
    if isinstance(content, bytes):
        response.data = content
        return
    if length is not None:
        response.content_length = length
    if request.method == "HEAD":
        content.close()
    else:
        response.stream = content


def _size_and_tag(content: bytes | IO[bytes]) -> tuple[int | None, str]:
    """Return the number of bytes, or None if it isn't known; and the entity tag, or an empty text."""
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


def _requested_range(env: Mapping[str, Any], size: int, tag: str) -> tuple[int, int] | None:
    """Return start and end of the requested range; None: the whole file."""
    sent = _RANGE.fullmatch(env.get("HTTP_RANGE", "").replace(" ", ""))
    if sent is None or sent.groups() == ("", "") or env.get("HTTP_IF_RANGE", tag).strip() != tag:
        return None
    first, last = sent.groups()
    if first and last and int(last) < int(first):
        return None
    start = int(first) if first else max(size - int(last), 0)
    end = min(int(last) + 1, size) if first and last else size
    if start >= end:
        reason = f"expected a range within the file's {size} bytes"
        raise ApiError(reason, status=416, headers={"Content-Range": f"bytes */{size}"})
    return start, end
