"""Logos: PNG and JPEG as bytes, never an address, read once and kept."""

from __future__ import annotations

import zlib
from functools import lru_cache
from hashlib import blake2b
from io import BytesIO
from typing import Any

from PIL import Image
from reportlab.pdfbase import pdfdoc

#: pixels of a logo that is printed 6 cm wide with 600 of them an inch
LARGEST = (1417, 1417)
#: a picture of more pixels is not even opened
TOO_MANY = 40_000_000


class Picture:
    """A picture in the form in which it goes into a PDF file."""

    def __init__(self, data: bytes) -> None:
        with Image.open(BytesIO(data), formats=("PNG", "JPEG")) as image:
            if image.width * image.height > TOO_MANY:
                raise ValueError("too many pixels")
            image.thumbnail(LARGEST)
            # Where it is transparent, the white paper shows
            layered = image.convert("RGBA")
        flat = Image.new("RGB", layered.size, "white")
        flat.paste(layered, mask=layered)
        self.width, self.height = flat.size
        self._name = f"logo{blake2b(data, digest_size=8).hexdigest()}"
        self._content = zlib.compress(flat.tobytes(), 9)

    def enter(self, canvas: Any) -> str:
        """Put the picture into a PDF file, once; answers what it is called there."""
        doc = canvas._doc
        name = str(doc.getXObjectName(self._name))
        if name not in doc.idToObject:
            image = pdfdoc.PDFImageXObject(self._name)
            image.width, image.height = self.width, self.height
            image.bitsPerComponent, image.colorSpace = 8, "DeviceRGB"
            image._filters = ("FlateDecode",)
            image.streamContent = self._content
            doc.Reference(image, name)
            doc.addForm(self._name, image)
        canvas._formsinuse.append(self._name)
        return name


@lru_cache(maxsize=8)
def picture_of(data: bytes) -> Picture | None:
    """The picture that bytes are; None when they are no PNG or JPEG, or too large."""
    try:
        return Picture(data)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None
