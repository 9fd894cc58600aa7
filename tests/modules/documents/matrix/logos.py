"""Logos of every shape: square, wide, and white letters on nothing."""

from functools import cache
from io import BytesIO

from PIL import Image, ImageDraw

INK, LIGHT = (31, 78, 121, 255), (214, 158, 46, 255)
NOTHING = (0, 0, 0, 0)
WHITE = (255, 255, 255, 255)


@cache
def logo(shape):
    """A logo as a PNG.

    :param shape: ``square``, ``wide`` or ``white``
    """
    size, ground, ink = {
        "square": ((400, 400), INK, LIGHT),
        "wide": ((1200, 160), NOTHING, INK),
        "white": ((600, 200), NOTHING, WHITE),
    }[shape]
    picture = Image.new("RGBA", size, ground)
    pen = ImageDraw.Draw(picture)
    height = size[1]
    edge = height // 8
    pen.ellipse((edge, edge, height - edge, height - edge), outline=ink, width=edge)
    pen.rectangle((height * 3 // 8, height * 3 // 8, height * 5 // 8, height * 5 // 8), fill=ink)
    for place, left in enumerate(range(height + edge, size[0] - edge, height // 2)):
        pen.rectangle((left, edge * (1 + place % 3), left + height // 3, height - edge), fill=ink)
    file = BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()
