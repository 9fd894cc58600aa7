"""The PDF of a document: all blocks are placed first, then the pages are drawn, because each shows their number."""

from __future__ import annotations

from core import warn

from ..content.language import Language
from ..content.printed_document import PrintedDocument
from .foot import Foot
from .head import draw_short_head, place_head
from .pages import Pages
from .payment_part import place_sentence
from .payment_slip import foot_above, place_slip, slip_of
from .sheet import GREY, LEFT, RIGHT, Sheets
from .style import Style
from .table import Table
from .tail import Terms, place_rest
from .totals import totals_block

#: page height for measuring: everything fits on one page
ENDLESS = 1e9
#: maximum number of names in a warning
MAX_LISTED_NAMES = 20


def render(document: PrintedDocument, style: Style, words: Language) -> bytes:
    """Return a document as a PDF file.

    :param words: the language of headings and page numbers
    """
    sheets = Sheets(
        title=f"{document.title} {document.ref}", author=document.sender.name, subject=document.recipient.name,
        language=words.language,
    )  # fmt: skip
    foot = Foot(document, sheets, LEFT, RIGHT)
    terms = Terms(document, sheets)
    pages, end = _placed(document, style, sheets, words, foot, terms, terms.height)
    if len(pages.pages) > end:
        # Only the part after the totals is on the last page. A tighter style may make it fit on the page before;
        # otherwise the last lines are moved to the last page
        tight, end = _placed(document, style.tight(), sheets, words, foot, terms, terms.height)
        if len(tight.pages) > end:
            endless = Pages(ENDLESS)
            place_rest(endless, document, style, sheets, words, terms)
            tight, _ = _placed(document, style, sheets, words, foot, terms, endless.y)
        pages = tight if len(tight.pages) <= len(pages.pages) else pages
    _draw(pages, document, style, sheets, words, foot)
    if sheets.unknown:
        names = ", ".join(sorted(sheets.unknown)[:MAX_LISTED_NAMES])
        warn(f"no font has some characters, so the PDF has their names: {names}")
    return sheets.finish(document.enclosed)


def _placed(
    document: PrintedDocument, style: Style, sheets: Sheets, words: Language, foot: Foot, terms: Terms, rest: float
) -> tuple[Pages, int]:
    """Return the pages with all blocks placed, and the number of the page with the totals.

    :param rest: height to keep free on that page for the blocks after the totals, if possible
    """
    pages = Pages(foot.top)
    place_head(pages, document, style, sheets, words)
    place_sentence(pages, document, style, sheets)
    # A letter without lines, such as a mandate, has neither table nor totals
    if document.lines or document.totals:
        totals = totals_block(document, style, sheets, words)
        Table(document, style, sheets, words).place(pages, totals, rest)
    end = len(pages.pages)
    place_rest(pages, document, style, sheets, words, terms)
    place_slip(pages, document)
    return pages, end


def _draw(pages: Pages, document: PrintedDocument, style: Style, sheets: Sheets, words: Language, foot: Foot) -> None:
    count = len(pages.pages)
    for number, placed in enumerate(pages.pages, 1):
        # The watermark is drawn first, under everything else
        if document.watermark:
            sheets.across(document.watermark)
        if number > 1:
            sheets.artifact()
            draw_short_head(sheets, document, style)
        for y, draw in placed:
            sheets.tag()
            draw(sheets, y)
        said = words.say("Page {page} of {pages}").replace("{page}", str(number)).replace("{pages}", str(count))
        # Screen readers read the small print on the first page only
        sheets.tag() if number == 1 else sheets.artifact()
        (foot_above(foot) if number == count and slip_of(document) else foot).draw(sheets, said, GREY)
        sheets.end()
