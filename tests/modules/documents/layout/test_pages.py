"""Where pages break, and what stays together."""

import re
from decimal import Decimal
from io import BytesIO

import pytest
from pypdf import PdfReader

from modules.documents.content.printed_document import PrintedDocument, PrintedLine
from modules.documents.layout.style import Style
from tests.modules.documents.layout.drawing import DIFFERENT, STYLES, draw, native_style, placed, printed
from tests.modules.documents.pdf_text import pages_of, text_of, without_spaces


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.table)
def test_the_totals_are_never_parted_from_the_last_line(style):
    for count in range(1, 70):
        lines = [PrintedLine(ref=f"R{n}", text=f"line number {n}.", total=f"{n}.00") for n in range(count)]
        pages = pages_of(draw(printed(*lines, taxes=[("20%", "1.00", "0.20")] * 4), style))
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
def test_a_description_longer_than_a_page_goes_on(style, place, words):
    lines = [PrintedLine(text=f"short {n}.", total="1.00") for n in range(4)]
    lines[place].text = " ".join(f"w{n}." for n in range(words))
    pages = pages_of(draw(printed(*lines), style))
    assert len(pages) >= words // 1000
    said = [word for page in pages for word in re.findall(r"\bw\d+\.", page)]
    assert said == [f"w{n}." for n in range(words)]
    last = next(page for page in pages if "€999.99" in page)
    assert (f"w{words - 1}." if place == 3 else "short 3.") in last


def test_a_title_stays_with_its_first_line():
    for count in range(20, 50):
        lines = [PrintedLine(text=f"line {n}.", total="1.00") for n in range(count)]
        lines += [
            PrintedLine(kind="title", label="Heading"),
            PrintedLine(text="first below."),
            PrintedLine(text="last."),
        ]
        page = next(page for page in pages_of(draw(printed(*lines), Style())) if "Heading" in page)
        assert "first below." in page


def test_long_notes_many_rates_and_many_facts_find_their_place():
    drawn = printed(
        PrintedLine(text="one"),
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


def test_numbers_of_any_length_are_printed_whole():
    long = "9,999,999,999,999,999.12345678"
    line = PrintedLine(
        text="x", vat="99.9999% (ABCDEFGHIJ)", price=long, qty=f"{long} pcs", discount="33.333%", total=long
    )
    for style in STYLES:
        text = without_spaces(text_of(draw(printed(line, totals=[("Total", f"€{long}", True)]), style)))
        assert text.count(long) == 4
        assert "99.9999%(ABCDEFGHIJ)" in text


def test_line_feeds_stay_and_nothing_is_needed():
    text = PdfReader(BytesIO(draw(printed(PrintedLine(text="a\nb"), note="c\nd"), Style()))).pages[0].extract_text()
    assert "a\nb" in text and "c\nd" in text
    assert len(PdfReader(BytesIO(draw(PrintedDocument("en_US", "", ""), Style()))).pages) == 1


@pytest.mark.parametrize("name", DIFFERENT)
def test_terms_and_signature_stand_with_the_last_lines(name):
    style = native_style(name)
    terms = [(f"Term {number}", "soon") for number in range(8)]
    for count in range(2, 75):
        lines = [PrintedLine(text=f"line number {n}.", total="1.00") for n in range(count)]
        found = placed(printed(*lines, terms=terms, acceptance=True), style)
        place = {
            text: next(each.page for each in found if each.text == text) for text in ("€999.99", "Term 0", "Term 7")
        }
        last = next(each.page for each in found if f"line number {count - 1}." in each.text)
        assert set(place.values()) == {last}


@pytest.mark.parametrize("style", [*STYLES, native_style("crabe"), native_style("cyan")])
def test_the_sum_of_what_counts_is_carried_from_page_to_page(style):
    for length in range(85, 91):
        lines = []
        for number in range(length):
            amount = Decimal(number) / 100 + Decimal("1000.005") * (number % 3)
            kind = "title" if number % 20 == 5 else "option" if number % 7 == 3 else "line"
            counts = None if kind != "line" else amount
            said = "no" if kind == "title" else f"{kind} {number}."
            lines.append(
                PrintedLine(
                    kind=kind, text=said, label="T" if kind == "title" else "", total=f"{amount}", amount=counts
                )
            )
        lines[40].text += "\nmore" * 90
        found = placed(printed(*lines, carried=True), style)
        carried = {"Carried forward": {}, "Brought forward": {}}  # type: dict[str, dict[int, str]]
        for label, amounts in carried.items():
            for each in found:
                if each.text == label:
                    beside = [other for other in found if other.page == each.page and abs(other.top - each.top) < 0.5]
                    amounts[each.page] = max(beside, key=lambda other: other.right).text
        last = next(each.page for each in found if each.text == "€999.99")
        assert {page: Decimal(text.replace(",", "")) for page, text in carried["Carried forward"].items()} == {
            page: sum(
                (line.amount for line in lines if line.amount is not None and first_page(found, line) <= page),
                Decimal(0),
            )
            for page in range(1, last)
        }
        assert carried["Brought forward"] == {page + 1: text for page, text in carried["Carried forward"].items()}
        # Nothing stands below the frame of the pages
        assert all(each.bottom < 285 for each in found if "Page" not in each.text)


def test_nothing_is_carried_where_nobody_asked_or_nothing_goes_on():
    lines = [PrintedLine(text="x", total="1.00", amount=Decimal(1))] * 80
    assert "forward" not in text_of(draw(printed(*lines), Style()))
    assert "forward" not in text_of(draw(printed(lines[0], carried=True), Style()))


def first_page(found, line):
    """The page on which a line begins, where its total stands."""
    return next(each.page for each in found if each.text == line.text.split("\n")[0])


@pytest.mark.parametrize("name", ("crabe", "sponge"))
def test_a_note_never_stands_alone_on_the_last_page(name):
    style = native_style(name)
    for count in range(2, 50):
        lines = [PrintedLine(text=f"line number {n}.", total="1.00") for n in range(count)]
        found = placed(printed(*lines, note="a short note", terms=[("Term", "soon")] * 4), style)
        # The lines stand closer together, or the last of them with it
        assert len({each.page for each in found for text in ("€999.99", "a short note") if text in each.text}) == 1
