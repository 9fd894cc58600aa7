"""Small PDFs, and drawing them without a server."""

from __future__ import annotations

from importlib import import_module
from itertools import count
from typing import NamedTuple

import pytest

from modules.documents.content.printed_document import Party, PrintedDocument
from modules.documents.layout.pdf import render
from modules.documents.layout.sheet import MM, Sheets
from modules.documents.layout.style import Style
from tests.modules.documents.native_texts import native_language

STYLES = (
    Style(),
    Style(table="striped", head="band", columns=("number", "ref", "text", "qty", "price", "discount", "vat", "total")),
    Style(table="ruled", columns=("ref", "text", "vat", "price", "qty", "discount", "total"), size=9),
)
#: template → the module that it lies in
NATIVE = {
    "azur": "proposals", "cyan": "proposals", "einstein": "orders", "eratosthene": "orders", "crabe": "invoices",
    "sponge": "invoices",
}  # fmt: skip
#: those that differ in more than colours and headings
DIFFERENT = ("azur", "cyan", "einstein", "eratosthene")


def printed(*lines, **options):
    """A small PDF."""
    return PrintedDocument(
        **{
            "language": "en_US",
            "title": "Invoice",
            "ref": "FA2611-0001",
            "sender": Party(["Comptoir", "Lyon"]),
            "recipient": Party(["Customer", "Paris"]),
            "lines": list(lines),
            "totals": [("Total incl. VAT", "€999.99", True)],
            **options,
        }
    )


def draw(drawn, style):
    """The PDF file of a printed document, with the native texts of its language."""
    return render(drawn, style, native_language(drawn.language))


class Placed(NamedTuple):
    """A string as it is drawn, in millimetres from the left and the top of its page."""

    page: int
    left: float
    top: float
    right: float
    bottom: float
    text: str
    size: float


def placed(drawn, style):
    """Every string of a PDF with the place where it is seen."""
    found = []
    text, end = Sheets.text, Sheets.end
    pages = count(1)
    page = next(pages)

    def note(self, x, y, line, size, **options):
        width = self.font(bool(options.get("bold"))).width(line, size)
        # A capital rises by about three quarters of the size, a tail hangs by a quarter
        where = (x / MM, (y - 0.75 * size) / MM, (x + width) / MM, (y + 0.25 * size) / MM)
        if line.strip():
            found.append(Placed(page, *where, line, size))
        text(self, x, y, line, size, **options)

    def turn(self):
        nonlocal page
        page = next(pages)
        end(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sheets, "text", note)
        patch.setattr(Sheets, "end", turn)
        draw(drawn, style)
    return found


def native_style(name):
    """The style of a native template."""
    return getattr(import_module(f"modules.{NATIVE[name]}.doctemplates.pdf_{name}"), name.title()).style
