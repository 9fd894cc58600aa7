"""Small papers, and drawing them without a server."""

from __future__ import annotations

from typing import Any

from modules.documents.layout.pdf import render
from modules.documents.layout.style import Style
from modules.documents.papers.paper import Paper, PaperLine, Party
from tests.modules.documents.native_texts import native_language

STYLES = (
    Style(),
    Style(table="striped", head="band", columns=("number", "ref", "text", "qty", "price", "discount", "vat", "total")),
    Style(table="ruled", columns=("ref", "text", "vat", "price", "qty", "discount", "total"), size=9),
)


def paper(*lines: PaperLine, **options: Any) -> Paper:
    """A small paper."""
    return Paper(
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


def draw(drawn: Paper, style: Style) -> bytes:
    """The PDF file of a paper, with the native texts of its language."""
    return render(drawn, style, native_language(drawn.language))
