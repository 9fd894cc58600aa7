"""The pages of a PDF and the operators that draw on them. Positions are points from the left and top of a page."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import quote

from ..papers.paper import Enclosed
from .file import PdfFile, spelled
from .fonts import Font, UsedFonts, fonts, slanted
from .images import Picture
from .metadata import Metadata, enter_enclosed, enter_intent
from .outline import Outline, Place
from .scripts import cleaned
from .structure import Element, Structure, alternative

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
#: content without meaning for screen readers: rules, backgrounds, page numbers
ARTIFACT = Element("Artifact", None)


class Sheets:
    """The pages of one PDF file, written in PDF operators.

    Text belongs to the structure element that `tag` set last. Drawings are artifacts, except for pictures and codes.
    """

    def __init__(self, *, title: str, author: str, subject: str, language: str = "en_US") -> None:
        self.regular, self.bold = fonts()
        self._metadata = Metadata.of(title, author, subject, language)
        self._file = PdfFile()
        self._used = UsedFonts()
        #: the names that are written instead of characters that no font has
        self.unknown = self._used.unknown
        self._outline = Outline()
        self._structure = Structure()
        self._pictures: dict[str, int] = {}
        self._pages: list[int] = []
        self._tree, self._fonts = self._file.reserve(), self._file.reserve()
        self._begin()

    def _begin(self) -> None:
        self._words: list[str] = []
        self._links: list[str] = []
        self._shown: set[str] = set()
        self._font = self._fill = self._stroke = ""
        self._tag: Element | None = None
        self._marked: Element | None = None

    def end(self) -> None:
        """End the current page and begin the next one."""
        if self._marked is not None:
            self._words.append("EMC")
        content = self._file.packed("\n".join(self._words).encode("ascii"))
        shown = "".join(f"/{name} {self._pictures[name]} 0 R" for name in sorted(self._shown))
        self._pages.append(
            self._file.add(
                f"<</Type/Page/Parent {self._tree} 0 R/MediaBox[0 0 {WIDTH:.2f} {HEIGHT:.2f}]/Contents {content} 0 R"
                f"/Resources<</Font {self._fonts} 0 R{f'/XObject<<{shown}>>' if shown else ''}>>"
                f"/StructParents {len(self._pages)}/Tabs/S"
                f"{'/Annots[' + ' '.join(self._links) + ']' if self._links else ''}>>"
            )
        )
        self._structure.turn()
        self._begin()

    def finish(self, enclosed: Enclosed | None = None) -> bytes:
        """Return the bytes of the file.

        :param enclosed: another file to embed
        """
        file, pages = self._file, self._pages
        file.put(
            self._tree,
            f"<</Type/Pages/Count {len(pages)}/Kids[{' '.join(f'{page} 0 R' for page in pages)}]>>",
        )
        file.put(self._fonts, self._used.table(file))
        entries = enter_intent(file) + (enter_enclosed(file, enclosed, self._metadata.moment) if enclosed else "")
        packet = self._metadata.enter_packet(file, enclosed.metadata if enclosed else "")
        catalog = file.add(
            f"<</Type/Catalog/Pages {self._tree} 0 R/Lang{spelled(self._metadata.language)}/Metadata {packet} 0 R"
            f"/Outlines {self._outline.enter(file, pages)} 0 R/StructTreeRoot {self._structure.enter(file, pages)} 0 R"
            f"/MarkInfo<</Marked true>>/ViewerPreferences<</DisplayDocTitle true>>{entries}>>"
        )
        return file.written(catalog, self._metadata.enter_info(file))

    # Structure -------------------------------------------------------------------------------------------------------

    def tag(self, *path: str, more: str = "") -> None:
        """Set the structure element of the text written from here on.

        :param path: from the outermost element: ``"H1"``, or ``"Table:lines", "TR:5", "TD"``. A step with a key reuses
            the element with this key, even if it began on an earlier page. A step without a key adds an element.
            Empty: paragraphs
        :param more: entries of the element, see `structure.py`
        """
        self._tag = self._structure.at(path, more) if path else None

    def cells(self, *path: str, count: int, more: str = "") -> list[Element]:
        """Return the cells of a row; they are created at the first call for this row.

        :param path: path of the row, as for `tag`
        :param more: entries of the first cell
        """
        row = self._structure.at(path)
        if not row.kids:
            for place in range(count):
                Element("TD", row, "" if place else more)
        return [kid for kid in row.kids if isinstance(kid, Element)]

    def stand(self, element: Element) -> None:
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
            self._words.append("EMC")
        self._marked = element
        if element is ARTIFACT:
            self._words.append("/Artifact BMC")
        else:
            self._words.append(f"/{element.kind}<</MCID {self._structure.mark(element)}>>BDC")

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
        if colour != self._fill:
            self._ink(colour)
        font = self.font(bold, italic) if italic else self.bold if bold else self.regular
        words = ""
        for name, string in font.show(text, self._used):
            chosen = f"{name} {size:g} Tf"
            if chosen == self._font:
                words += f"{string} Tj "
            else:
                words += f"{chosen} {string} Tj "
                self._font = chosen
        self._words.append(f"BT 1 0 0 1 {x:.2f} {HEIGHT - y:.2f} Tm {words}ET")

    def right(self, x: float, y: float, text: str, size: float, *, bold: bool = False, colour: str = BLACK) -> None:
        """Write a line of text that ends at x, with its baseline at y."""
        width = (self.bold if bold else self.regular).width(text, size)
        self.text(x - width, y, text, size, bold=bold, colour=colour)

    def across(self, text: str) -> None:
        """Write a watermark diagonally across the page, from its lower left; call it before drawing anything else."""
        self._mark(ARTIFACT)
        self._ink(PALE)
        size = min(120.0, 640 / (self.bold.width(text, 1) or 1))
        half = self.bold.width(text, size) / 2 * 0.7071
        words = [f"BT 0.7071 0.7071 -0.7071 0.7071 {WIDTH / 2 - half + 20:.2f} {HEIGHT / 2 - half - 20:.2f} Tm"]
        words += [f"{name} {size:g} Tf {string} Tj" for name, string in self.bold.show(text, self._used)]
        self._words.append(" ".join([*words, "ET"]))
        self._font = ""

    def box(self, x: float, y: float, width: float, height: float, *, fill: str = "", stroke: str = "") -> None:
        """Draw a rectangle below y: filled, framed or both."""
        self._mark(ARTIFACT)
        if fill:
            self._ink(fill)
        if stroke:
            self._pen(stroke)
        paint = "B" if fill and stroke else "f" if fill else "S"
        self._words.append(f"{x:.2f} {HEIGHT - y - height:.2f} {width:.2f} {height:.2f} re {paint}")

    def boxes(
        self, boxes: Iterable[tuple[int, int, int, int]], x: float, y: float, unit: float, *, says: str = ""
    ) -> None:
        """Fill rectangles, each of x, y, width and height, as one shape without lines between adjacent ones.

        :param x: origin of the rectangles in points, together with `y`
        :param unit: points per unit of the rectangles, which are whole numbers
        :param says: alternative text, such as for a code
        """
        self._mark(self._figure(says))
        self._ink("#000000")
        drawn = " ".join(f"{left} {top} {wide} {tall} re" for left, top, wide, tall in boxes)
        self._words.append(f"q {unit:.4f} 0 0 {-unit:.4f} {x:.2f} {HEIGHT - y:.2f} cm {drawn} f Q")

    def line(self, x: float, y: float, x2: float, y2: float, *, colour: str = GREY, width: float = 0.5) -> None:
        """Draw a straight line."""
        self._mark(ARTIFACT)
        self._pen(colour, width)
        self._words.append(f"{x:.2f} {HEIGHT - y:.2f} m {x2:.2f} {HEIGHT - y2:.2f} l S")

    def picture(self, picture: Picture, x: float, y: float, width: float, height: float, *, says: str = "") -> None:
        """Draw a picture into a space below y, left-aligned, as large as fits.

        :param says: alternative text
        """
        self._mark(self._figure(says))
        scale = min(width / picture.width, height / picture.height)
        if picture.name not in self._pictures:
            self._pictures[picture.name] = picture.enter(self._file)
        self._shown.add(picture.name)
        wide, tall = picture.width * scale, picture.height * scale
        self._words.append(f"q {wide:.2f} 0 0 {tall:.2f} {x:.2f} {HEIGHT - y - tall:.2f} cm /{picture.name} Do Q")

    def _figure(self, says: str) -> Element:
        return self._structure.at(("Figure",), alternative(cleaned(says))) if says else ARTIFACT

    def link(self, address: str, x: float, y: float, width: float, height: float) -> None:
        """Link a rectangle below y to a URL."""
        box = f"{x:.2f} {HEIGHT - y - height:.2f} {x + width:.2f} {HEIGHT - y:.2f}"
        # F 4 sets the Print flag: the link is part of the printed page, as PDF/A requires
        number = self._file.add(
            f"<</Type/Annot/Subtype/Link/Rect[{box}]/Border[0 0 0]/F 4/Contents{spelled(cleaned(address))}"
            f"/A<</S/URI/URI{spelled(quote(address, safe=IN_ADDRESSES))}>>>>"
        )
        self._links.append(f"{number} 0 R")

    def bookmark(self, title: str, y: float, level: int = 0) -> None:
        """Add a position of this page to the outline."""
        self._outline.add(Place(cleaned(title), len(self._pages), HEIGHT - y), level)

    def font(self, bold: bool, italic: bool = False) -> Font:
        """Return the font of a weight, upright or italic."""
        if not italic:
            return self.bold if bold else self.regular
        return slanted()[bold]

    def _ink(self, colour: str) -> None:
        if colour != self._fill:
            self._fill = colour
            self._words.append(f"{_rgb(colour)} rg")

    def _pen(self, colour: str, width: float = 0.5) -> None:
        if f"{colour}{width}" != self._stroke:
            self._stroke = f"{colour}{width}"
            self._words.append(f"{_rgb(colour)} RG {width:g} w")


#: marker of a paragraph of untagged text
_LOOSE: dict[str, Element] = {}


@lru_cache(maxsize=256)
def _rgb(colour: str) -> str:
    """Return a colour such as #1b3a5c in PDF syntax."""
    return " ".join(f"{int(colour[place : place + 2], 16) / 255:.3g}" for place in (1, 3, 5))
