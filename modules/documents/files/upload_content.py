"""Decode uploads, and check their content against the extension of their names."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from core import ApiError, BadRequest, Upload, shown
from core.for_natives import settings

from .media_types import extension_of, has_content_of

ENCODINGS = ("", "base64")

#: first bytes of programs and web pages, under any file name; in lower case
_ACTIVE = (
    b"\x7felf", b"\xca\xfe\xba\xbe", b"#!", b"<?php", b"<?=", b"<!doctype html", b"<html", b"<script", b"<svg",
)  # fmt: skip


def decode_upload(content: Any, encoding: str) -> bytes:
    """Return the bytes of an upload.

    :param content: text, or an uploaded file
    :param encoding: of a text: empty or ``base64``
    :raises BadRequest: the encoding is unknown, or the content doesn't have it
    :raises 413: it exceeds the setting `max_body`
    """
    if encoding not in ENCODINGS:
        raise _wrong(f"expected base64 or an empty value, got {shown(encoding)}", "fileencoding")
    if isinstance(content, Upload):
        return content.content
    if not isinstance(content, str):
        raise _wrong(f"expected text, got {shown(content)}")
    try:
        data = base64.b64decode("".join(content.split()), validate=True) if encoding else content.encode()
    except (binascii.Error, ValueError):
        raise _wrong(
            f"expected {'base64' if encoding else 'text that can be encoded as UTF-8'}, got {shown(content)}"
        ) from None
    if len(data) > settings().max_body:
        raise ApiError(f"the file has {len(data)} bytes; the limit is {settings().max_body}", status=413)
    return data


def check_content(name: str, content: bytes) -> None:
    """Reject an upload with forbidden content.

    :raises BadRequest: it is a program or a web page, or it doesn't match the extension of its name
    """
    extension = extension_of(name)
    start = content[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(_ACTIVE) or (content[:2] == b"MZ" and b"\x00" in content[:64]):
        raise _wrong("expected a file that is neither a program nor a web page")
    if not has_content_of(extension, content):
        raise _wrong(f"expected the content of a .{extension} file, got something else")


def _wrong(reason: str, field: str = "filecontent") -> BadRequest:
    return BadRequest(errors=[(field, reason)])
