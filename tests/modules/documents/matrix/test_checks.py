"""The checks of the papers find what they are to find: pages on which each thing is wrong once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pymupdf_fonts
import pytest
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from tests.modules.documents.matrix.amounts import shown_amounts
from tests.modules.documents.matrix.cases import Case
from tests.modules.documents.matrix.checking import apart, downwards, in_order, in_rows, inside, without_markup

LINES = [
    {"label": "Desk of oak", "desc": "", "product_type": 0, "total_ht": "1920.5"},
    {"label": "Lamp of copper", "desc": "", "product_type": 0, "total_ht": "89.00"},
]


class Words(SimpleNamespace):
    """The language of a paper: English, as it is."""

    def say(self, text: str) -> str:
        return text

    def number(self, value: Any, least: int) -> str:
        return f"{value:,.{least}f}"


@cache
def font() -> str:
    """The name of a font that is embedded, so that its letters can be read and measured."""
    pdfmetrics.registerFont(TTFont("checks", BytesIO(pymupdf_fonts.fontbuffers["notos"]())))
    return "checks"


def paper(*texts: tuple[float, float, str]) -> Any:
    """A paper of a page with texts at places from the left and the bottom, in this order."""
    file = BytesIO()
    canvas = Canvas(file, pagesize=(595, 842))
    for x, y, text in texts:
        canvas.setFont(font(), 10)
        canvas.drawString(x, y, text)
    canvas.save()
    return SimpleNamespace(
        pdf=file.getvalue(), words=Words(), case=Case("paid", "one", "crabe", "US", "IE", "none"),
        recipient={"name": "Buyer Ltd"}, record={"ref": "IN-1", "lines": LINES, "total_ttc": "2009.50"},
    )  # fmt: skip


GOOD = (
    (50, 780, "Invoice"), (120, 780, "IN-1"), (50, 700, "Buyer Ltd"), (50, 600, "Desk of oak"), (500, 600, "1,920.50"),
    (50, 580, "Lamp of copper"), (500, 580, "89.00"), (400, 500, "Total"), (500, 500, "2,009.50"),
)  # fmt: skip


@pytest.mark.parametrize("check", [inside, apart, downwards, in_order, in_rows, without_markup])
def test_a_good_page(check: Callable[[Any], list[str]]) -> None:
    assert check(paper(*GOOD)) == []


@pytest.mark.parametrize(
    ("check", "place", "text"),
    [
        (inside, 8, (560, 500, "2,009.50")),
        (inside, 0, (50, 838, "Invoice")),
        (apart, 3, (470, 600, "Desk of oak")),
        (downwards, 5, (50, 640, "Lamp of copper")),
        (in_order, 2, (50, 700, "Nobody")),
        (in_order, 5, (50, 580, "Lamp of iron")),
        (in_order, 8, (500, 500, "2,009.51")),
        (in_rows, 6, (500, 570, "89.00")),
        (in_rows, 6, (500, 580, "98.00")),
        (without_markup, 3, (50, 600, "<b>Desk of oak")),
        (without_markup, 3, (50, 600, "Desk&nbsp;of oak")),
        (without_markup, 3, (50, 600, "Desk of oak � x")),
    ],
)
def test_what_is_wrong_is_found(check: Callable[[Any], list[str]], place: int, text: tuple[float, float, str]) -> None:
    texts = list(GOOD)
    texts[place] = text
    assert len(check(paper(*texts))) == 1


def test_lines_in_another_order() -> None:
    assert in_order(paper(*GOOD[:3], *GOOD[5:7], *GOOD[3:5], *GOOD[7:])) != []


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("CHF 1’920.50", ["192050"]), ("1\u202f920,50 €", ["192050"]), ("-45.25", ["4525"]), ("CHF5.00", ["500"]),
        ("21.11.2026", []), ("19,25 %", []), ("10.25%", []), ("APE 62.01Z", []), ("CHE-100.155.212", []),
        ("2026-11-21", []), ("from 12.50 to 1.000,00.", ["1250", "100000"]),
    ],
)  # fmt: skip
def test_amounts_in_a_text(text: str, amounts: list[str]) -> None:
    assert list(shown_amounts(text)) == amounts
