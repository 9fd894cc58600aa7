"""Where pages break, and what stays together."""

from __future__ import annotations

import re
from io import BytesIO

import pytest
from pypdf import PdfReader

from modules.documents.layout.style import Style
from modules.documents.papers.paper import Paper, PaperLine
from tests.modules.documents.layout.drawing import STYLES, draw, paper
from tests.modules.documents.pdf_text import pages_of, text_of, without_spaces


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.table)
def test_the_totals_are_never_parted_from_the_last_line(style: Style) -> None:
    for count in range(1, 70):
        lines = [PaperLine(ref=f"R{n}", text=f"line number {n}.", total=f"{n}.00") for n in range(count)]
        pages = pages_of(draw(paper(*lines, taxes=[("20%", "1.00", "0.20")] * 4), style))
        page = next(page for page in pages if "€999.99" in page)
        assert f"line number {count - 1}." in page
        assert page.index(f"line number {count - 1}.") < page.index("€999.99")
        joined = " ".join(pages)
        assert [joined.count(f"line number {n}.") for n in range(count)] == [1] * count
        for number, text in enumerate(pages, 1):
            assert f"Page {number} of {len(pages)}" in text
            assert "FA2611-0001" in text and "Comptoir" in text
            if "line number" in text:
                assert "Description" in text


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.table)
@pytest.mark.parametrize("place", (0, 3))
@pytest.mark.parametrize("words", (300, 2000, 6000))
def test_a_description_longer_than_a_page_goes_on(style: Style, place: int, words: int) -> None:
    lines = [PaperLine(text=f"short {n}.", total="1.00") for n in range(4)]
    lines[place].text = " ".join(f"w{n}." for n in range(words))
    pages = pages_of(draw(paper(*lines), style))
    assert len(pages) >= words // 1000
    said = [word for page in pages for word in re.findall(r"\bw\d+\.", page)]
    assert said == [f"w{n}." for n in range(words)]
    last = next(page for page in pages if "€999.99" in page)
    assert (f"w{words - 1}." if place == 3 else "short 3.") in last


def test_a_title_stays_with_its_first_line() -> None:
    for count in range(20, 50):
        lines = [PaperLine(text=f"line {n}.", total="1.00") for n in range(count)]
        lines += [PaperLine(kind="title", label="Heading"), PaperLine(text="first below."), PaperLine(text="last.")]
        page = next(page for page in pages_of(draw(paper(*lines), Style())) if "Heading" in page)
        assert "first below." in page


def test_long_notes_many_rates_and_many_facts_find_their_place() -> None:
    drawn = paper(
        PaperLine(text="one"),
        taxes=[(f"{n}%", f"{n}.11", f"{n}.22") for n in range(200)],
        note="\n".join(f"note {n}." for n in range(300)),
        facts=[(f"Fact {n}", f"value {n} " * 20) for n in range(12)],
        terms=[("Payment terms", "soon " * 200)],
        legal=["small print " * 60],
        acceptance=True,
    )
    text = text_of(draw(drawn, Style()))
    assert all(f"note {n}." in text for n in range(300))
    assert all(f"{n}.11" in text and f"{n}.22" in text for n in range(200))


def test_numbers_of_any_length_are_printed_whole() -> None:
    long = "9,999,999,999,999,999.12345678"
    line = PaperLine(
        text="x", vat="99.9999% (ABCDEFGHIJ)", price=long, qty=f"{long} pcs", discount="33.333%", total=long
    )
    for style in STYLES:
        text = without_spaces(text_of(draw(paper(line, totals=[("Total", f"€{long}", True)]), style)))
        assert text.count(long) == 4
        assert "99.9999%(ABCDEFGHIJ)" in text


def test_line_feeds_stay_and_nothing_is_needed() -> None:
    text = PdfReader(BytesIO(draw(paper(PaperLine(text="a\nb"), note="c\nd"), Style()))).pages[0].extract_text()
    assert "a\nb" in text and "c\nd" in text
    assert len(PdfReader(BytesIO(draw(Paper("en_US", "", ""), Style()))).pages) == 1
