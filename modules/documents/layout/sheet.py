"""The pages of a PDF and what is drawn on them. Positions are points from the left and top of a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from io import BytesIO
from itertools import groupby
from typing import Any
from urllib.parse import quote

from reportlab.pdfbase.pdfdoc import PDFString
from reportlab.pdfgen.canvas import Canvas

from ..content.printed_document import Enclosed
from .fonts import Font, fonts, lock, name_subsets, slanted
from .images import Picture
from .pdfa import Metadata, finished
from .scripts import cleaned
from .structure import Element, Structure

#: A4
WIDTH, HEIGHT = 595.2756, 841.8898
#: points per millimetre
MM = 72 / 25.4
#: left and right edge of the printed area
LEFT = 25 * MM
RIGHT = 195 * MM

BLACK = "#1a1a1a"
GREY = "#666666"
#: characters kept in URLs; non-ASCII characters are percent-encoded
IN_ADDRESSES = "%/:=&?~#+!$,;'@()*[]"
#: pale enough for text on it to be as readable as on white
PALE = "#ededed"
#: maximum characters of a bookmark
MAX_BOOKMARK_CHARS = 250
#: content without meaning for screen readers: rules, backgrounds, page numbers
ARTIFACT = Element("Artifact", None)


class Sheets:
    """The pages of one PDF file, drawn by reportlab.

    Text belongs to the structure element that `tag` set last. Drawings are artifacts, except for pictures and codes.
    """

    def __init__(self, *, title: str, author: str, subject: str, language: str = "en_US") -> None:
        self.regular, self.bold = fonts()
        #: the names that are written instead of characters that no font has
        self.unknown: set[str] = set()
        self._metadata = Metadata.of(title, author, subject, language)
        self._file = BytesIO()
        # pikepdf compresses the file at the end
        self._canvas = Canvas(
            self._file, (WIDTH, HEIGHT), pageCompression=0, initialFontName=self.regular.own.fontName,
            lang=self._metadata.language,
        )  # fmt: skip
        self._structure = Structure()
        self._pictures: dict[str, Picture] = {}
        self._bookmarks = 0
        self._begin()

    def _begin(self) -> None:
        self._fill = self._stroke = ""
        self._tag: Element | None = None
        self._marked: Element | None = None

    def end(self) -> None:
        """End the current page and begin the next one."""
        if self._marked is not None:
            self._operate("EMC")
        self._canvas.showPage()
        self._structure.turn()
        self._begin()

    def finish(self, enclosed: Enclosed | None = None) -> bytes:
        """Return the bytes of the file.

        :param enclosed: another file to embed
        """
        from pikepdf import Dictionary, Pdf

        # A font is cut to its letters here, and reportlab reads it at one position at a time
        with lock:
            self._canvas.save()
        with Pdf.open(self._file) as pdf:
            name_subsets(pdf)
            self._structure.enter(pdf)
            if self._pictures:
                pictures = Dictionary({f"/{name}": each.enter(pdf) for name, each in self._pictures.items()})
                for page in pdf.pages:
                    page.obj.Resources.XObject = pictures
            pdf.Root.ViewerPreferences = Dictionary(DisplayDocTitle=True)
            return finished(pdf, self._metadata, enclosed)

    def _operate(self, operator: str) -> None:
        """Write an operator for which reportlab has no method.

        It doesn't mark content, and it compresses a picture again for each file.
        """
        self._canvas._code.append(operator)

    # Structure -------------------------------------------------------------------------------------------------------

    def tag(self, *path: str, attributes: Mapping[str, Any] | None = None) -> None:
        """Set the structure element of the text written from here on.

        :param path: from the outermost element: ``"H1"``, or ``"Table:lines", "TR:5", "TD"``. A step with a key reuses
            the element with this key, even if it began on an earlier page. A step without a key adds an element.
            Empty: paragraphs
        :param attributes: attributes of the element, see `structure.py`
        """
        self._tag = self._structure.at(path, attributes or {}) if path else None

    def row_cells(self, *path: str, count: int, attributes: Mapping[str, Any] | None = None) -> list[Element]:
        """Return the cells of a row; they are created at the first call for this row.

        :param path: path of the row, as for `tag`
        :param attributes: attributes of the first cell
        """
        row = self._structure.at(path)
        if not row.kids:
            for place in range(count):
                Element("TD", row, attributes or {} if place == 0 else {})
        return [kid for kid in row.kids if isinstance(kid, Element)]

    def use(self, element: Element) -> None:
        """Set an existing element as the one of the text written from here on."""
        self._tag = element

    def artifact(self) -> None:
        """Mark the text written from here on as an artifact, such as a running head, which screen readers skip."""
        self._tag = ARTIFACT

    def _mark(self, element: Element | None) -> None:
        """Assign the following content of the page to an element; None: to a paragraph."""
        marked = self._marked
        if marked is element and element is not None:
            return
        if element is None:
            # Consecutive untagged text is one paragraph
            if marked is not None and marked.known is _LOOSE:
                return
            element = self._structure.at(("P",))
            element.known = _LOOSE
        if marked is not None:
            self._operate("EMC")
        self._marked = element
        if element is ARTIFACT:
            self._operate("/Artifact BMC")
        else:
            self._operate(f"/{element.kind}<</MCID {self._structure.mark(element)}>>BDC")

    # Drawing ---------------------------------------------------------------------------------------------------------

    def text(
        self, x: float, y: float, text: str, size: float,
        *, bold: bool = False, italic: bool = False, colour: str = BLACK,
    ) -> None:  # fmt: skip
        """Write a line of text that begins at x, with its baseline at y."""
        if not text:
            return
        if self._tag is None or self._tag is not self._marked:
            self._mark(self._tag)
        self._ink(colour)
        self._write(self.font(bold, italic), text, x, HEIGHT - y, size)

    def _write(self, font: Font, text: str, x: float, y: float, size: float) -> None:
        words = self._canvas.beginText(x, y)
        for name, run in font.runs(text):
            words.setFont(name, size)
            words.textOut(run)
        if font.named:
            self.unknown.update(font.named[each] for each in text if each in font.named)
        self._canvas.drawText(words)

    def right(self, x: float, y: float, text: str, size: float, *, bold: bool = False, colour: str = BLACK) -> None:
        """Write a line of text that ends at x, with its baseline at y."""
        width = (self.bold if bold else self.regular).width(text, size)
        self.text(x - width, y, text, size, bold=bold, colour=colour)

    def across(self, text: str) -> None:
        """Write a watermark diagonally across the page, from its lower left; call it before drawing anything else."""
        self._mark(ARTIFACT)
        self._ink(PALE)
        size = min(120.0, 640 / (self.bold.width(text, 1) or 1))
        self._canvas.saveState()
        self._canvas.translate(WIDTH / 2 + 20, HEIGHT / 2 - 20)
        self._canvas.rotate(45)
        self._write(self.bold, text, -self.bold.width(text, size) / 2, 0, size)
        self._canvas.restoreState()

    def box(self, x: float, y: float, width: float, height: float, *, fill: str = "", stroke: str = "") -> None:
        """Draw a rectangle below y: filled, framed or both."""
        self._mark(ARTIFACT)
        if fill:
            self._ink(fill)
        if stroke:
            self._pen(stroke)
        self._canvas.rect(x, HEIGHT - y - height, width, height, fill=bool(fill), stroke=bool(stroke))

    def qr_code(self, payload: str, x: float, y: float, width: float, *, quiet: int = 0, alt: str) -> None:
        """Draw a QR code below y.

        :param payload: encoded in UTF-8, with error correction of level M
        :param width: of the code, including its quiet zone
        :param quiet: width of the quiet zone on each side, in modules
        :param alt: alternative text
        """
        self._mark(self._figure(alt))
        self._ink("#000000")
        modules = _modules(payload)
        unit = width / (len(modules) + 2 * quiet)
        path = self._canvas.beginPath()
        for row, line in enumerate(modules, 1 + quiet):
            for start, count in _dark(line):
                path.rect(x + (start + quiet) * unit, HEIGHT - y - row * unit, count * unit, unit)
        self._canvas.drawPath(path, stroke=0, fill=1)

    def line(self, x: float, y: float, x2: float, y2: float, *, colour: str = GREY, width: float = 0.5) -> None:
        """Draw a straight line."""
        self._mark(ARTIFACT)
        self._pen(colour, width)
        self._canvas.line(x, HEIGHT - y, x2, HEIGHT - y2)

    def picture(self, picture: Picture, x: float, y: float, width: float, height: float, *, alt: str = "") -> None:
        """Draw a picture into a space below y, left-aligned, as large as fits.

        :param alt: alternative text
        """
        self._mark(self._figure(alt))
        scale = min(width / picture.width, height / picture.height)
        wide, tall = picture.width * scale, picture.height * scale
        self._pictures[picture.name] = picture
        self._canvas.saveState()
        self._canvas.transform(wide, 0, 0, tall, x, HEIGHT - y - tall)
        self._operate(f"/{picture.name} Do")
        self._canvas.restoreState()

    def _figure(self, alt: str) -> Element:
        return Element("Figure", self._structure.root, alt=cleaned(alt)) if alt else ARTIFACT

    def link(self, address: str, x: float, y: float, width: float, height: float) -> None:
        """Link a rectangle below y to a URL."""
        # F 4 sets the Print flag: the link is part of the printed page, as PDF/A requires
        self._canvas.linkURL(
            quote(address, safe=IN_ADDRESSES), (x, HEIGHT - y - height, x + width, HEIGHT - y),
            F=4, Contents=PDFString(cleaned(address)),
        )  # fmt: skip

    def bookmark(self, title: str, y: float, level: int = 0) -> None:
        """Add a position of this page to the outline, on one of two levels."""
        self._bookmarks += 1
        key = str(self._bookmarks)
        self._canvas.bookmarkHorizontalAbsolute(key, HEIGHT - y, fit="XYZ")
        self._canvas.addOutlineEntry(cleaned(title)[:MAX_BOOKMARK_CHARS], key, level if self._bookmarks > 1 else 0)

    def font(self, bold: bool, italic: bool = False) -> Font:
        """Return the font of a weight, upright or italic."""
        if not italic:
            return self.bold if bold else self.regular
        return slanted()[bold]

    def _ink(self, colour: str) -> None:
        if colour != self._fill:
            self._fill = colour
            self._canvas.setFillColorRGB(*_rgb(colour))

    def _pen(self, colour: str, width: float = 0.5) -> None:
        if f"{colour}{width}" != self._stroke:
            self._stroke = f"{colour}{width}"
            self._canvas.setStrokeColorRGB(*_rgb(colour))
            self._canvas.setLineWidth(width)


#: marker of a paragraph of untagged text
_LOOSE: dict[str, Element] = {}


@lru_cache(maxsize=256)
def _rgb(colour: str) -> tuple[float, ...]:
    """Return the shares of red, green and blue in a colour such as #1b3a5c."""
    return tuple(int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))


@lru_cache(maxsize=64)
def _modules(payload: str) -> tuple[tuple[bool, ...], ...]:
    """Return the modules of a QR code, line by line."""
    # Imported on first use: it takes 0.2 seconds, and many documents have no code
    from reportlab.graphics.barcode.qrencoder import QR8bitByte, QRCode, QRErrorCorrectLevel

    code = QRCode(None, QRErrorCorrectLevel.M)
    code.addData(QR8bitByte(payload.encode()))
    code.make()
    return tuple(tuple(map(bool, line)) for line in code.modules)


def _dark(line: tuple[bool, ...]) -> Iterator[tuple[int, int]]:
    """Yield the dark parts of a line of modules: start and length."""
    start = 0
    for dark, part in groupby(line):
        count = len(list(part))
        if dark:
            yield start, count
        start += count
