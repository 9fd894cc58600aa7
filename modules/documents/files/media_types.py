"""Media types of files, and the first bytes of each type."""

from __future__ import annotations

_OFFICE = "application/vnd.openxmlformats-officedocument."
_OPEN = "application/vnd.oasis.opendocument."

#: extension → media type; all other files are sent as ``application/octet-stream``
MEDIA_TYPES = {
    "pdf": "application/pdf", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
    "webp": "image/webp", "txt": "text/plain", "csv": "text/csv", "zip": "application/zip",
    "docx": f"{_OFFICE}wordprocessingml.document", "xlsx": f"{_OFFICE}spreadsheetml.sheet",
    "pptx": f"{_OFFICE}presentationml.presentation", "odt": f"{_OPEN}text", "ods": f"{_OPEN}spreadsheet",
    "odp": f"{_OPEN}presentation",
}  # fmt: skip

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
#: extension → first bytes of its files, one of these
_BEGINNINGS: dict[str, tuple[bytes, ...]] = {
    "png": (b"\x89PNG\r\n\x1a\n",),
    "jpg": (b"\xff\xd8\xff",),
    "jpeg": (b"\xff\xd8\xff",),
    "gif": (b"GIF87a", b"GIF89a"),
    **dict.fromkeys(("zip", "docx", "xlsx", "pptx", "odt", "ods", "odp"), _ZIP),
}
_TEXTS = ("txt", "csv")


def media_type(name: str) -> str:
    """Return the media type for a file name."""
    return MEDIA_TYPES.get(extension_of(name), "application/octet-stream")


def extension_of(name: str) -> str:
    """Return the extension of a file name, in lower case; empty if it has none."""
    return name.rpartition(".")[2].lower() if "." in name else ""


def has_content_of(extension: str, content: bytes) -> bool:
    """Return whether content begins like files with this extension; True for an unknown extension."""
    if extension == "pdf":
        # PDF readers search for the header in the first kilobyte
        return b"%PDF-" in content[:1024]
    if extension == "webp":
        return content[:4] == b"RIFF" and content[8:12] == b"WEBP"
    if extension in _TEXTS:
        return b"\x00" not in content
    return content.startswith(_BEGINNINGS.get(extension, b""))
