"""Logos: PNG and JPEG as bytes, never an address, read once and kept."""

from __future__ import annotations

import zlib
from functools import lru_cache
from hashlib import blake2b
from io import BytesIO

from PIL import Image

from .file import PdfFile

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
        self.name = f"logo{blake2b(data, digest_size=8).hexdigest()}"
        self._content = zlib.compress(flat.tobytes(), 9)

    def enter(self, file: PdfFile) -> int:
        """Put the picture into a PDF file; answers its number."""
        return file.stream(
            self._content,
            f"/Type/XObject/Subtype/Image/Width {self.width}/Height {self.height}/BitsPerComponent 8"
            "/ColorSpace/DeviceRGB/Filter/FlateDecode",
        )


@lru_cache(maxsize=8)
def picture_of(data: bytes) -> Picture | None:
    """The picture that bytes are; None when they are no PNG or JPEG, or too large."""
    try:
        return Picture(data)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None
