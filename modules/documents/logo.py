"""The company's logo: one picture in the store, named by a constant."""

from __future__ import annotations

from typing import Any

from core import NotFound, transaction, wrong_fields

from ..setup.constants import constant, set_constant
from .contents import bytes_of, check_content
from .layout.images import picture_of
from .names import clean, upload_name
from .store import store

#: the constant that names the file
LOGO = "MAIN_INFO_SOCIETE_LOGO"
FOLDER = "mycompany/logos"
#: bytes of a logo at the most
LARGEST = 1_000_000


def logo() -> bytes | None:
    """The picture; None when there is none."""
    name = clean(constant(LOGO))
    if not name:
        return None
    try:
        return store().read(f"{FOLDER}/{name}")
    except NotFound:
        return None


def keep_logo(filename: str, content: Any, encoding: str) -> str:
    """Keep a picture as the company's logo; answers the name it is kept under.

    :param content: text, or an uploaded file
    :param encoding: of a text: ``base64``
    :raises BadRequest: it is no PNG or JPEG, or too large
    """
    name = upload_name(filename)
    data = bytes_of(content, encoding)
    check_content(name, data)
    if len(data) > LARGEST or picture_of(data) is None:
        reason = f"Expecting a PNG or JPEG of {LARGEST} bytes at most"
        raise wrong_fields([("filecontent", reason)])
    with transaction(), store().aside(data) as settle:
        set_constant(LOGO, name)
        settle(f"{FOLDER}/{name}")
    return name
