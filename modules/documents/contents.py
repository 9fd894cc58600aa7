"""What files hold: their media types, and whether an upload holds what its name says."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from core import BadRequest, TooLarge, Upload, settings, wrong_fields

ENCODINGS = ("", "base64")

_OFFICE = "application/vnd.openxmlformats-officedocument."
_OPEN = "application/vnd.oasis.opendocument."

#: extension → media type; every other file is answered as a row of bytes
MEDIA_TYPES = {
    "pdf": "application/pdf", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
    "webp": "image/webp", "txt": "text/plain", "csv": "text/csv", "zip": "application/zip",
    "docx": f"{_OFFICE}wordprocessingml.document", "xlsx": f"{_OFFICE}spreadsheetml.sheet",
    "pptx": f"{_OFFICE}presentationml.presentation", "odt": f"{_OPEN}text", "ods": f"{_OPEN}spreadsheet",
    "odp": f"{_OPEN}presentation",
}  # fmt: skip

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
#: extension → what its files begin with
_BEGINNINGS: dict[str, tuple[bytes, ...]] = {
    "png": (b"\x89PNG\r\n\x1a\n",),
    "jpg": (b"\xff\xd8\xff",),
    "jpeg": (b"\xff\xd8\xff",),
    "gif": (b"GIF87a", b"GIF89a"),
    **dict.fromkeys(("zip", "docx", "xlsx", "pptx", "odt", "ods", "odp"), _ZIP),
}
#: what programs and pages begin with, whatever they are called
_ACTIVE = (
    b"\x7felf", b"\xca\xfe\xba\xbe", b"#!", b"<?php", b"<?=", b"<!doctype html", b"<html", b"<script", b"<svg",
)  # fmt: skip
_TEXTS = ("txt", "csv")


def media_type(name: str) -> str:
    """The media type that a file is answered with."""
    return MEDIA_TYPES.get(_extension(name), "application/octet-stream")


def bytes_of(content: Any, encoding: str) -> bytes:
    """What an upload holds.

    :param content: text, or an uploaded file
    :param encoding: of a text: empty or ``base64``
    :raises BadRequest: it is neither
    :raises TooLarge: it is larger than a body may be
    """
    if encoding not in ENCODINGS:
        raise _wrong("Expected one of (,base64).", "fileencoding")
    if isinstance(content, Upload):
        return content.content
    if not isinstance(content, str):
        raise _wrong("Expecting text")
    try:
        data = base64.b64decode("".join(content.split()), validate=True) if encoding else content.encode()
    except (binascii.Error, ValueError):
        raise _wrong("Expecting base64" if encoding else "Expecting text") from None
    if len(data) > settings().max_body:
        raise TooLarge(f"expected a file of {settings().max_body} bytes at most")
    return data


def check_content(name: str, content: bytes) -> None:
    """Refuse what an upload must not hold.

    :raises BadRequest: it holds a program or a page, or something else than its name says
    """
    extension = _extension(name)
    start = content[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(_ACTIVE) or (content[:2] == b"MZ" and b"\x00" in content[:64]):
        raise _wrong("Expecting a document, not a program or a page")
    if not _fits(extension, content):
        raise _wrong(f"Expecting the content of a .{extension} file")


def _fits(extension: str, content: bytes) -> bool:
    if extension == "pdf":
        # Readers look for it in the first kilobyte
        return b"%PDF-" in content[:1024]
    if extension == "webp":
        return content[:4] == b"RIFF" and content[8:12] == b"WEBP"
    if extension in _TEXTS:
        return b"\x00" not in content
    return content.startswith(_BEGINNINGS.get(extension, b""))


def _extension(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""


def _wrong(reason: str, field: str = "filecontent") -> BadRequest:
    return wrong_fields([(field, reason)])
