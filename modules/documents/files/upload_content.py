"""What uploads hold: decoded, and checked against what their names say."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from core import BadRequest, TooLarge, Upload, settings, wrong_fields

from .media_types import extension_of, has_content_of

ENCODINGS = ("", "base64")

#: what programs and pages begin with, whatever they are called
_ACTIVE = (
    b"\x7felf", b"\xca\xfe\xba\xbe", b"#!", b"<?php", b"<?=", b"<!doctype html", b"<html", b"<script", b"<svg",
)  # fmt: skip


def decode_upload(content: Any, encoding: str) -> bytes:
    """The bytes of an upload.

    :param content: text, or an uploaded file
    :param encoding: of a text: empty or ``base64``
    :raises BadRequest: it is neither
    :raises TooLarge: it is larger than a body may be
    """
    if encoding not in ENCODINGS:
        raise _wrong(f"expected base64 or an empty value, got {encoding!r:.60}", "fileencoding")
    if isinstance(content, Upload):
        return content.content
    if not isinstance(content, str):
        raise _wrong(f"expected text, got {content!r:.60}")
    try:
        data = base64.b64decode("".join(content.split()), validate=True) if encoding else content.encode()
    except (binascii.Error, ValueError):
        raise _wrong(
            f"expected {'base64' if encoding else 'text that can be encoded as UTF-8'}, got {content!r:.60}"
        ) from None
    if len(data) > settings().max_body:
        raise TooLarge(f"the file has {len(data)} bytes; the limit is {settings().max_body}")
    return data


def check_content(name: str, content: bytes) -> None:
    """Refuse what an upload must not hold.

    :raises BadRequest: it holds a program or a page, or something else than its name says
    """
    extension = extension_of(name)
    start = content[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(_ACTIVE) or (content[:2] == b"MZ" and b"\x00" in content[:64]):
        raise _wrong("expected a file that is neither a program nor a web page")
    if not has_content_of(extension, content):
        raise _wrong(f"expected the content of a .{extension} file, got something else")


def _wrong(reason: str, field: str = "filecontent") -> BadRequest:
    return wrong_fields([(field, reason)])
