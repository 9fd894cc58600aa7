"""The top of the first page: the logo or company name at the left, the title or sender at the right."""

from __future__ import annotations

from math import sqrt

from ..content.language import Language
from ..content.printed_document import PrintedDocument
from .colours import WHITE
from .images import Picture, picture_of
from .sheet import GREY, LEFT, MM, RIGHT, WIDTH, Sheets
from .style import Style
from .window import SECOND, ZONE_TOP, draw_lines, wrapped
from .wrapping import one_line, shortened, wrap

BAND = 34 * MM
TOP = 9 * MM
#: area of a logo within the bounds below; with equal areas a wide logo looks as large as a square one
AREA = 760 * MM * MM
WIDEST, HIGHEST = 62 * MM, 20 * MM
#: padding around a logo with its own background
AROUND = 2 * MM
#: background of a light logo if the accent colour is also light
DARK = "#333333"
NAME = 15.0
#: baseline of the title and the name, which are side by side
TITLE_LINE = 16 * MM
#: width available for the title and the reference
TITLE = 88 * MM
SMALL = 8.0


def draw_masthead(sheets: Sheets, document: PrintedDocument, style: Style, words: Language) -> None:
    """Draw the logo, or the name if the company has no logo, and the title or the sender at the right."""
    ink = style.ink
    if style.head == "band":
        sheets.box(0, 0, WIDTH, BAND, fill=style.accent)
        ink = style.on_accent
    if not _draw_logo(sheets, document, style):
        _draw_name(sheets, document.sender.name, ink, TOP + NAME if style.facts == "block" else TITLE_LINE)
    if style.facts == "block":
        sender = Sender(document, sheets, RIGHT - SECOND, ZONE_TOP - TOP - 6)
        sender.draw(sheets, SECOND, TOP, ink if style.head == "band" else "#333333")
        return
    faint = GREY if style.head == "plain" else ink
    size, title = style.title, one_line(document.title)
    # A long title is printed smaller before it is shortened
    while size > 10 and sheets.bold.width(title, size) > TITLE:
        size -= 0.5
    sheets.tag("H1")
    sheets.right(RIGHT, TITLE_LINE, shortened(document.title, sheets.bold, size, TITLE), size, bold=True, colour=ink)
    sheets.right(RIGHT, 22 * MM, shortened(document.ref, sheets.regular, 11, TITLE), 11, colour=faint)
    if document.standing:
        draw_stamp(sheets, document.standing, RIGHT, 24.5 * MM, 10.5, ink)
    elif document.draft:
        sheets.tag("P")
        sheets.right(RIGHT, 27.5 * MM, words.say("Draft"), 8.5, colour=faint)


class Sender:
    """The sender, in a small font.

    :param most: available height in points; a longer text is printed smaller
    :ivar height: required height in points
    """

    def __init__(self, document: PrintedDocument, sheets: Sheets, width: float, most: float) -> None:
        self.width = width
        self.lines = wrapped(document.sender.address, sheets, SMALL, width, bold_first=True)
        self.lines += wrapped(document.sender.details, sheets, SMALL, width)
        self.leading = min(SMALL * 1.25, most / max(1, len(self.lines)))
        self.height = len(self.lines) * self.leading

    def draw(self, sheets: Sheets, x: float, y: float, colour: str = "#333333") -> None:
        """Draw the sender below y."""
        sheets.tag("P")
        size = min(SMALL, self.leading / 1.15)
        draw_lines(sheets, self.lines, x, y + size, size, self.leading, self.width, colour=colour)


def draw_stamp(sheets: Sheets, standing: str, right: float, y: float, size: float, ink: str) -> float:
    """Draw the document's status as a framed stamp, right-aligned, below y; return its width."""
    sheets.tag("P")
    text = shortened(standing, sheets.bold, size, 70 * MM)
    width = sheets.bold.width(text, size) + size * 1.4
    for inset in (0, 0.6, 1.2):
        sheets.box(right - width + inset, y + inset, width - 2 * inset, size * 1.75 - 2 * inset, stroke=ink)
    sheets.right(right - size * 0.7, y + size * 1.24, text, size, bold=True, colour=ink)
    return width


def size_of(picture: Picture) -> tuple[float, float]:
    """Return the printed width and height of a logo."""
    aspect = picture.width / picture.height
    height = min(sqrt(AREA / aspect), HIGHEST, WIDEST / aspect)
    return height * aspect, height


def _draw_logo(sheets: Sheets, document: PrintedDocument, style: Style) -> bool:
    logo = picture_of(document.logo) if document.logo else None
    if logo is None or not logo.seen:
        return False
    width, height = size_of(logo)
    y = TOP + (HIGHEST - height) / 2
    x = LEFT
    # A light logo needs a dark background, any other a white one
    dark = style.accent if style.on_accent == WHITE else DARK
    ground = dark if logo.light else WHITE
    if ground != (style.accent if style.head == "band" else WHITE):
        sheets.box(x, y - AROUND, width + 2 * AROUND, height + 2 * AROUND, fill=ground)
        x += AROUND
    if logo.light:
        logo = picture_of(document.logo or b"", ground) or logo
    sheets.picture(logo, x, y, width, height, alt=document.sender.name or document.title)
    return True


def _draw_name(sheets: Sheets, name: str, ink: str, y: float) -> None:
    width, size, shown = SECOND - LEFT - 8 * MM, NAME, one_line(name)
    while size > 10 and sheets.bold.width(shown, size) > width:
        size -= 0.5
    lines = wrap(name, sheets.bold, size, width)[:2]
    for place, line in enumerate(lines):
        sheets.text(LEFT, y + place * size * 1.2, line.text, size, bold=True, colour=ink)
