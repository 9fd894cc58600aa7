"""Logos: PNG and JPEG as bytes, never an address, read once and kept."""

from __future__ import annotations

import zlib
from functools import lru_cache
from hashlib import blake2b
from io import BytesIO

from PIL import Image, ImageOps

from .file import PdfFile

#: pixels of a logo that is printed 6 cm wide with 600 of them an inch
LARGEST = (1417, 1417)
#: a picture of more pixels is not even opened
TOO_MANY = 40_000_000
#: pixels of a logo that is seen at all, along each side
FEWEST = 8
#: from this lightness on, 0 to 255, a pixel is not seen on white; from this opacity on it is one that is seen
LIGHT, OPAQUE = 200, 48
#: share of light pixels from which on a transparent picture is a light one
MOSTLY = 0.9


class Picture:
    """A picture in the form in which it goes into a PDF file.

    :param ground: what shows where it is transparent
    :ivar light: it would not be seen on white
    :ivar seen: there is something to be seen
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

    def enter(self, file: PdfFile) -> int:
        """Put the picture into a PDF file; answers its number."""
        return file.stream(
            self._content,
            f"/Type/XObject/Subtype/Image/Width {self.width}/Height {self.height}/BitsPerComponent 8"
            "/ColorSpace/DeviceRGB/Filter/FlateDecode",
        )


def _layered(image: Image.Image) -> Image.Image:
    """A picture with its opacity, 8 bits each."""
    if image.mode.startswith("I"):
        # 16 bits of grey: conversion would cut them off at 255
        image = image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    return image.convert("RGBA")


def _look(layered: Image.Image) -> tuple[bool, bool]:
    """Whether a picture is light on transparent ground, and whether there is something to be seen of it."""
    mask = layered.getchannel("A").point(lambda value: 255 if value >= OPAQUE else 0)
    shades = layered.convert("L").histogram(mask)
    visible, bright = sum(shades), sum(shades[LIGHT:])
    whole = visible == layered.width * layered.height
    light = not whole and bright >= visible * MOSTLY
    return light, min(layered.size) >= FEWEST and visible > 0 and not (whole and bright == visible)


@lru_cache(maxsize=8)
def picture_of(data: bytes, ground: str = "#ffffff") -> Picture | None:
    """The picture that bytes are, on a ground; None when they are no PNG or JPEG, or too large."""
    try:
        return Picture(data, ground)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None
