"""Logos: PNG and JPEG as bytes, never a URL; decoded pictures are cached."""

from __future__ import annotations

import zlib
from functools import lru_cache
from hashlib import blake2b
from io import BytesIO
from typing import TYPE_CHECKING, Any

from PIL import Image, ImageOps

if TYPE_CHECKING:
    from pikepdf import Pdf

#: maximum width and height in pixels: 6 cm at 600 dpi
LARGEST = (1417, 1417)
#: a picture with more pixels is rejected before it is decoded
TOO_MANY = 40_000_000
#: minimum pixels of a visible logo, along each side
FEWEST = 8
#: lightness, 0 to 255, from which a pixel is invisible on white; opacity from which a pixel is visible
LIGHT, OPAQUE = 200, 48
#: share of light pixels from which a transparent picture counts as light
MOSTLY = 0.9


class Picture:
    """A picture in the format of a PDF file.

    :param ground: background colour of transparent pixels
    :ivar light: whether the picture would be invisible on white
    :ivar seen: whether the picture has visible content
    """

    def __init__(self, data: bytes, ground: str) -> None:
        with Image.open(BytesIO(data), formats=("PNG", "JPEG")) as image:
            if image.width * image.height > TOO_MANY:
                raise ValueError("the image has too many pixels")
            image.thumbnail(LARGEST)
            layered = _layered(ImageOps.exif_transpose(image))
        self.light, self.seen = _look(layered)
        flat = Image.new("RGB", layered.size, ground)
        flat.paste(layered, mask=layered)
        self.width, self.height = flat.size
        self.name = f"logo{blake2b(data + ground.encode(), digest_size=8).hexdigest()}"
        self._content = zlib.compress(flat.tobytes(), 9)

    def enter(self, pdf: Pdf) -> Any:
        """Add the picture to a PDF and return its stream."""
        from pikepdf import Name, Stream

        return Stream(
            pdf, self._content, Type=Name.XObject, Subtype=Name.Image, Width=self.width, Height=self.height,
            BitsPerComponent=8, ColorSpace=Name.DeviceRGB, Filter=Name.FlateDecode,
        )  # fmt: skip


def _layered(image: Image.Image) -> Image.Image:
    """Return a picture as RGBA with 8 bits per channel."""
    if image.mode.startswith("I"):
        # 16-bit grey: a direct conversion would clip values at 255
        image = image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    return image.convert("RGBA")


def _look(layered: Image.Image) -> tuple[bool, bool]:
    """Return whether a picture is light on a transparent background, and whether it has visible content."""
    mask = layered.getchannel("A").point(lambda value: 255 if value >= OPAQUE else 0)
    shades = layered.convert("L").histogram(mask)
    visible, bright = sum(shades), sum(shades[LIGHT:])
    whole = visible == layered.width * layered.height
    light = not whole and bright >= visible * MOSTLY
    return light, min(layered.size) >= FEWEST and visible > 0 and not (whole and bright == visible)


@lru_cache(maxsize=8)
def picture_of(data: bytes, ground: str = "#ffffff") -> Picture | None:
    """Return a picture on a background; None if the bytes aren't a PNG or JPEG, or if it has too many pixels."""
    try:
        return Picture(data, ground)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None
