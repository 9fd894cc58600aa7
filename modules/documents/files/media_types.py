"""What files are: their media types, and how the content of each type begins."""

from __future__ import annotations

_OFFICE = "application/vnd.openxmlformats-officedocument."
_OPEN = "application/vnd.oasis.opendocument."

#: extension → media type; every other file is answered as plain bytes
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
_TEXTS = ("txt", "csv")


def media_type(name: str) -> str:
    """The media type that a file is answered with."""
    return MEDIA_TYPES.get(extension_of(name), "application/octet-stream")


def extension_of(name: str) -> str:
    """The extension of a file's name, in lower case; empty when it has none."""
    return name.rpartition(".")[2].lower() if "." in name else ""


def has_content_of(extension: str, content: bytes) -> bool:
    """Whether content begins as files with an extension do; of an unknown extension nothing is expected."""
    if extension == "pdf":
        # Readers look for it in the first kilobyte
        return b"%PDF-" in content[:1024]
    if extension == "webp":
        return content[:4] == b"RIFF" and content[8:12] == b"WEBP"
    if extension in _TEXTS:
        return b"\x00" not in content
    return content.startswith(_BEGINNINGS.get(extension, b""))
