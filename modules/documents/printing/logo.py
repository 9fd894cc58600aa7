"""The company's logo: an image in the store; a constant contains its file name."""

from __future__ import annotations

from typing import Any

from core import BadRequest, NotFound, transaction

from ...setup.constants import constant, set_constant
from ..files.filenames import LONGEST, clean_name, upload_name
from ..files.upload_content import check_content, decode_upload
from ..store.configured_store import store

#: the constant with the file name
LOGO = "MAIN_INFO_SOCIETE_LOGO"
FOLDER = "mycompany/logos"
#: maximum size of a logo in bytes
LARGEST = 1_000_000


def check_name(name: str, text: str) -> None:
    """Check the constant with the file name: each PDF loads the logo from the store.

    :raises ValueError: it isn't a file name
    """
    if clean_name(text) != text or len(text.encode()) > LONGEST:
        raise ValueError(f"expected a file name of at most {LONGEST} bytes such as logo.png")


def read_logo() -> bytes | None:
    """Return the image, or None."""
    name = clean_name(constant(LOGO))
    if not name or len(name.encode()) > LONGEST:
        return None
    try:
        return store().read(f"{FOLDER}/{name}")
    except NotFound:
        return None


def save_logo(filename: str, content: Any, encoding: str) -> str:
    """Save an image as the company's logo, and return the name of the stored file.

    :param content: text, or an uploaded file
    :param encoding: of a text: ``base64``
    :raises BadRequest: it isn't a PNG or JPEG image, or it is too large
    """
    name = upload_name(filename)
    data = decode_upload(content, encoding)
    check_content(name, data)
    if len(data) > LARGEST:
        reason = f"expected a PNG or JPEG image of at most {LARGEST} bytes, got {len(data)} bytes"
        raise BadRequest(errors=[("filecontent", reason)])
    from ..layout.images import picture_of

    if picture_of(data) is None:
        raise BadRequest(errors=[("filecontent", "expected a PNG or JPEG image, got something else")])
    with transaction(), store().staged(data) as move_to:
        set_constant(LOGO, name)
        move_to(f"{FOLDER}/{name}")
    return name
