"""The sheets a paper is drawn on. Places are points from the left and the top of a page."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from io import BytesIO
from typing import Any

from reportlab import rl_config
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from .fonts import Font, fonts, slanted
from .images import Picture
from .scripts import cleaned

WIDTH, HEIGHT = A4
# Streams as bytes, not as text: a fifth smaller, and a third of the time
rl_config.useA85 = 0

#: points of a millimetre
MM = 72 / 25.4
#: the edges of what is printed
LEFT = 25 * MM
RIGHT = 195 * MM

BLACK = "#1a1a1a"
GREY = "#666666"


class Sheets:
    """The pages of one PDF file, written in PDF's own operators; reportlab adds file, fonts and outline."""

    def __init__(self, *, title: str, author: str, subject: str) -> None:
        self._file = BytesIO()
        self.regular, self.bold = fonts()
        self._canvas: Any = Canvas(
            self._file, pagesize=A4, pageCompression=1, initialFontName=self.regular.name, lang=None
        )
        self._doc = self._canvas._doc
        self.regular.enter(self._doc)
        self.bold.enter(self._doc)
        self._canvas.setTitle(cleaned(title))
        self._canvas.setAuthor(cleaned(author))
        self._canvas.setSubject(cleaned(subject))
        self._canvas.setCreator("Comptoir")
        self._bookmarks = 0
        self._slanted: tuple[Font, Font] | None = None
        self._begin()

    def _begin(self) -> None:
        self._words: list[str] = []
        self._font = self._fill = self._stroke = ""

    def end(self) -> None:
        """End a page."""
        self._canvas.addLiteral("\n".join(self._words))
        self._canvas.showPage()
        self._begin()

    def finish(self) -> bytes:
        """The file."""
        self._canvas.save()
        return self._file.getvalue()

    def text(
        self, x: float, y: float, text: str, size: float,
        *, bold: bool = False, italic: bool = False, colour: str = BLACK,
    ) -> None:  # fmt: skip
        """Write a line of text that begins at x and stands on y."""
        if not text:
            return
        self._ink(colour)
        font = self.font(bold, italic) if italic else self.bold if bold else self.regular
        words = [f"BT 1 0 0 1 {x:.2f} {HEIGHT - y:.2f} Tm"]
        for name, string in font.show(text, size, self._doc):
            if name != self._font:
                words.append(name)
                self._font = name
            words.append(f"{string} Tj")
        words.append("ET")
        self._words.append(" ".join(words))

    def right(self, x: float, y: float, text: str, size: float, *, bold: bool = False, colour: str = BLACK) -> None:
        """Write a line of text that ends at x."""
        font = self.bold if bold else self.regular
        self.text(x - font.width(text, size), y, text, size, bold=bold, colour=colour)

    def box(self, x: float, y: float, width: float, height: float, *, fill: str = "", stroke: str = "") -> None:
        """Draw a rectangle below y: filled, framed or both."""
        if fill:
            self._ink(fill)
        if stroke:
            self._pen(stroke)
        paint = "B" if fill and stroke else "f" if fill else "S"
        self._words.append(f"{x:.2f} {HEIGHT - y - height:.2f} {width:.2f} {height:.2f} re {paint}")

    def boxes(
        self, boxes: Iterable[tuple[float, float, float, float]], *, fill: str = "#000000", says: str = ""
    ) -> None:
        """Fill rectangles, each of x, y, width and height, as one shape: where they meet no line is seen.

        :param says: what they are for those who do not see them, such as a code
        """
        self._ink(fill)
        drawn = (f"{x:.3f} {HEIGHT - y - tall:.3f} {wide:.3f} {tall:.3f} re" for x, y, wide, tall in boxes)
        self._words.append(f"{' '.join(drawn)} f")

    def link(self, address: str, x: float, y: float, width: float, height: float) -> None:
        """Make a space below y lead to an address on the web."""
        # The flag says that it is part of what is printed, as PDF/A demands of whatever lies on a page
        self._canvas.linkURL(address, (x, HEIGHT - y - height, x + width, HEIGHT - y), F=4)

    def line(self, x: float, y: float, x2: float, y2: float, *, colour: str = GREY, width: float = 0.5) -> None:
        """Draw a straight line."""
        self._pen(colour, width)
        self._words.append(f"{x:.2f} {HEIGHT - y:.2f} m {x2:.2f} {HEIGHT - y2:.2f} l S")

    def across(self, text: str) -> None:
        """Write large, pale letters across the page, from its lower left upwards."""
        size = min(120.0, 640 / (self.bold.width(text, 1) or 1))
        half = self.bold.width(text, size) / 2 * 0.7071
        self._canvas.addLiteral("\n".join(self._words))
        self._words = ["0 0 0 rg"]
        self._canvas.setFillAlpha(0.07)
        self._words.append(
            f"BT 0.7071 0.7071 -0.7071 0.7071 {WIDTH / 2 - half + 20:.2f} {HEIGHT / 2 - half - 20:.2f} Tm"
        )
        for name, string in self.bold.show(text, size, self._doc):
            self._words.append(f"{name} {string} Tj")
        self._words.append("ET")

    def picture(self, picture: Picture, x: float, y: float, width: float, height: float) -> None:
        """Draw a picture into a space below y, as large as fits, at its left."""
        scale = min(width / picture.width, height / picture.height)
        name = picture.enter(self._canvas)
        size = (picture.width * scale, picture.height * scale)
        self._words.append(f"q {size[0]:.2f} 0 0 {size[1]:.2f} {x:.2f} {HEIGHT - y - size[1]:.2f} cm /{name} Do Q")

    def bookmark(self, title: str, y: float, level: int = 0) -> None:
        """Name a place of this page in the outline."""
        self._bookmarks += 1
        key = f"place{self._bookmarks}"
        self._canvas.bookmarkPage(key, fit="XYZ", left=0, top=HEIGHT - y)
        self._canvas.addOutlineEntry(cleaned(title), key, level)

    def font(self, bold: bool, italic: bool = False) -> Font:
        """The font of a weight, upright or italic."""
        if not italic:
            return self.bold if bold else self.regular
        if self._slanted is None:
            # They are in the file only when they are asked for
            self._slanted = slanted()
            for font in self._slanted:
                font.enter(self._doc)
        return self._slanted[bold]

    def _ink(self, colour: str) -> None:
        if colour != self._fill:
            self._fill = colour
            self._words.append(f"{_rgb(colour)} rg")

    def _pen(self, colour: str, width: float = 0.5) -> None:
        if f"{colour}{width}" != self._stroke:
            self._stroke = f"{colour}{width}"
            self._words.append(f"{_rgb(colour)} RG {width:g} w")


@lru_cache(maxsize=256)
def _rgb(colour: str) -> str:
    """A colour such as #1b3a5c as PDF spells it."""
    return " ".join(f"{int(colour[place : place + 2], 16) / 255:.3g}" for place in (1, 3, 5))
