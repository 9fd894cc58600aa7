"""What a page costs: papers against the smallest reportlab program that draws the same strings with the same fonts."""

from __future__ import annotations

import time
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pymupdf_fonts
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from modules.documents.layout.pdf import render
from modules.documents.layout.sheet import HEIGHT, Sheets
from modules.documents.layout.style import Style
from modules.documents.papers.paper import Paper, PaperLine, Party
from tests.modules.documents.native_texts import native_language

Drawn = list[tuple[float, float, str, float, bool] | None]


def sample(lines: int) -> Paper:
    """A proposal of so many lines."""
    return Paper(
        language="fr_FR",
        title="Proposition commerciale",
        ref="PR2611-0001",
        window="right",
        sender=Party(["Comptoir des Exemples", "12 rue de la Démonstration", "69002 Lyon"], ["bonjour@example.org"]),
        recipient=Party(["Ateliers Réunis de la Côte", "8 quai des Brumes", "76600 Le Havre"]),
        facts=[("Date", "21 nov. 2026"), ("Valable jusqu’au", "21 déc. 2026"), ("Code client", "CU2611-00001")],
        lines=[
            PaperLine(
                ref=f"P-{number:04}",
                label="Bouilloire en cuivre, grande",
                text="Bouilloire étamée à la main.",
                vat="20 %",
                price="128,00",
                qty=f"{number} pce",
                total=f"{128 * number},00",
            )
            for number in range(1, lines + 1)
        ],
        taxes=[("20 %", "1 000,00", "200,00")],
        totals=[("Total HT", "1 000,00 €", False), ("Total TVA", "200,00 €", False), ("Total TTC", "1 200,00 €", True)],
        terms=[("Conditions de règlement", "À 30 jours"), ("IBAN", "FR76 3000 6000 0112 3456 7890 189")],
        note="Merci de votre confiance.",
        acceptance=True,
        legal=["Comptoir des Exemples · 12 rue de la Démonstration · 69002 Lyon", "SIREN 000000000"],
    )


def drawn(paper: Paper) -> Drawn:
    """The strings of a paper as they are drawn: place, text, size and weight; None ends a page."""
    found: Drawn = []
    text, end = Sheets.text, Sheets.end

    def note(self: Sheets, x: float, y: float, line: str, size: float, *, bold: bool = False, **options: Any) -> None:
        found.append((x, HEIGHT - y, line, size, bold))
        text(self, x, y, line, size, bold=bold, **options)

    def turn(self: Sheets) -> None:
        found.append(None)
        end(self)

    Sheets.text, Sheets.end = note, turn  # type: ignore[method-assign]
    try:
        render(paper, Style(), native_language(paper.language))
    finally:
        Sheets.text, Sheets.end = text, end  # type: ignore[method-assign]
    return found


def smallest(strings: Drawn) -> bytes:
    """The smallest program: nothing is measured, wrapped or counted."""
    file = BytesIO()
    canvas = Canvas(file, pagesize=A4)
    for each in strings:
        if each is None:
            canvas.showPage()
        else:
            x, y, text, size, bold = each
            canvas.setFont("bench-bold" if bold else "bench", size)
            canvas.drawString(x, y, text)
    canvas.save()
    return file.getvalue()


def measure(seconds: float = 1.0) -> dict[str, float]:
    """Ratios of the time of a document to that of the smallest program, and documents a second and core."""
    buffers = pymupdf_fonts.fontbuffers
    for name, buffer in (("bench", "notos"), ("bench-bold", "notosbo")):
        pdfmetrics.registerFont(TTFont(name, BytesIO(buffers[buffer]())))
    found = {}
    for lines in (2, 200):
        paper = sample(lines)
        strings = drawn(paper)
        ours: list[float] = []
        theirs: list[float] = []
        # In turns, so that what else the machine does burdens both alike
        end = time.perf_counter() + seconds
        while time.perf_counter() < end or len(ours) < 3:
            ours.append(_timed(lambda paper=paper: render(paper, Style(), native_language(paper.language))))  # type: ignore[misc]
            theirs.append(_timed(lambda strings=strings: smallest(strings)))  # type: ignore[misc]
        found[f"{lines} lines: time of the smallest program"] = (
            sorted(ours)[len(ours) // 2] / sorted(theirs)[len(theirs) // 2]
        )
        found[f"{lines} lines: documents a second and core"] = 1 / sorted(ours)[len(ours) // 2]
    return found


def _timed(make: Callable[[], object]) -> float:
    start = time.perf_counter()
    make()
    return time.perf_counter() - start


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:45} {value:10.2f}")
