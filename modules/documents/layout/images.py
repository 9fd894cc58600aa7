"""Logos: PNG and JPEG as bytes, never an address, read once and kept."""

from __future__ import annotations

import zlib
from functools import lru_cache
from hashlib import blake2b
from io import BytesIO
from typing import Any

from PIL import Image, ImageOps
from reportlab.pdfbase import pdfdoc

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
                raise ValueError("too many pixels")
            image.thumbnail(LARGEST)
            layered = _layered(ImageOps.exif_transpose(image))
        self.light, self.seen = _look(layered)
        flat = Image.new("RGB", layered.size, ground)
        flat.paste(layered, mask=layered)
        self.width, self.height = flat.size
        self._name = f"logo{blake2b(data + ground.encode(), digest_size=8).hexdigest()}"
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
