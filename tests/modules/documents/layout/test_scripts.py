"""Letters of every script, and hostile texts."""

import builtins
import socket
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import pytest
from pypdf import PdfReader

from modules.documents.content.printed_document import Party, PrintedLine
from modules.documents.layout.style import Style
from tests.modules.documents.layout.drawing import STYLES, draw, printed
from tests.modules.documents.pdf_text import text_of, without_spaces

#: together they take ten seconds of a processor and more
pytestmark = pytest.mark.slow

HOSTILE = (
    "<img src='http://127.0.0.1:9/'/>", "<img src='/etc/hostname'/>", "a <b>x", "&", "&amp;", "<para>", "</font>",
    "<font color=\"[[[getattr(pow,Word('__globals__'))['os'].system('touch /tmp/owned') for Word in [1]]]]\">x</font>",
    "{{7*7}} ${7*7} %(title)s {page}", "(un)balanced ( \\ \\) \\n \\101", "W" * 10_000, "q Q BT ET Tj <41> [(",
    "\x00\x07\x1b[31m", "\ufeff\u200b\u202e\u2066x", "\ud83d\ude00", "😀 👩‍👩‍👧 \ufe0f", "\U0010ffff\ue000", "é" * 500,
    "e\u0301" * 200, "\n" * 50, " " * 5000, "\u2028\u2029\r\n\t", "%PDF-1.4\nendstream endobj", "שלום <b> (שלום) 123", "ﷺ ﷽",
    "\u0627\u0644\u0644\u0647 " * 300, "漢字" * 500, "ไทย हिन्दी ქართული ՀԱՅ አማርኛ",
)  # fmt: skip


def test_letters_of_other_scripts_are_printed():
    words = ("Zażółć", "Straße", "Ελληνικά", "Русский", "漢字", "かな", "한국어", "ไทย", "Việt", "Türkçe", "Ő")
    text = text_of(draw(printed(*(PrintedLine(label=word, text=word) for word in words)), Style()))
    for word in words:
        assert word in text, word


@pytest.mark.parametrize("word", ("שלום", "العربية", "فارسی"))
def test_words_from_right_to_left_are_printed_in_the_order_of_the_page(word):
    text = unicodedata.normalize("NFKC", text_of(draw(printed(PrintedLine(text=word)), Style())))
    # pypdf puts each such letter before the one it has read, so what is drawn from the last letter on is read as a word
    assert word in text


def test_a_line_from_right_to_left_stands_at_the_right():
    places = {}

    def note(text, _, matrix, *__):
        places.setdefault("right" if "א" in text else "left" if "abc" in text else "", matrix[4])

    page = PdfReader(BytesIO(draw(printed(PrintedLine(text="abc"), PrintedLine(text="א")), Style()))).pages[0]
    page.extract_text(visitor_text=note)
    assert places["right"] > places["left"] + 100


def test_a_character_that_no_font_has_is_printed_as_its_name():
    text = text_of(draw(printed(PrintedLine(text="before 😀 after 👩‍👧")), Style()))
    assert "before [grinning face] after [woman][girl]" in text.replace("\u200d", "")


def test_the_names_are_in_the_warning_once(admin):
    socid = admin.ask("POST", "/thirdparties", {"name": "Smiles", "client": 1})
    lines = [{"desc": text, "qty": 1, "subprice": 1} for text in ("😀", "😀 and 🚀")]
    identifier = admin.ask("POST", "/proposals", {"socid": socid, "date": "2026-11-21", "lines": lines})
    answer = admin.simulate_post(f"/proposals/{identifier}/validate", json={})
    assert answer.headers["warning"].count("so the PDF has their names: grinning face, rocket") == 1


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda text: ascii(text)[:24])
def test_texts_are_printed_literally_and_touch_nothing(hostile, monkeypatch):
    draw(printed(PrintedLine(text="漢 א"), logo=None), Style())

    def forbidden(*_, **__):
        raise AssertionError("a file or the network was touched")

    drawn = printed(
        PrintedLine(kind="title", label=hostile),
        PrintedLine(ref=hostile[:50], label=hostile, text=hostile, qty=hostile[:50]),
        ref=hostile[:30],
        title=hostile,
        note=hostile,
        draft=True,
        sender=Party([hostile, hostile], [hostile]),
        recipient=Party([hostile, hostile]),
        facts=[(hostile, hostile)],
        terms=[(hostile, hostile)],
        totals=[(hostile, "€999.99", True)],
        legal=[hostile],
        acceptance=True,
    )
    with monkeypatch.context() as patch:
        patch.setattr(socket.socket, "connect", forbidden)
        patch.setattr(builtins, "open", forbidden)
        files = [draw(drawn, style) for style in STYLES]
    for file in files:
        text = without_spaces(text_of(file))
        if hostile.isascii() and hostile.isprintable():
            assert without_spaces(hostile) in text
        assert "€999.99" in text


def test_ten_thousand_letters_wrap_inside_their_column():
    reader = PdfReader(BytesIO(draw(printed(PrintedLine(text="m" * 10_000)), Style())))
    assert sum(page.extract_text().count("m") for page in reader.pages) >= 10_000
    assert max(len(line) for page in reader.pages for line in page.extract_text().splitlines()) < 120


def test_threads_do_not_disturb_each_other():
    def make(number):
        line = PrintedLine(text=f"Ελληνικά 漢字 שלום {chr(0x4E00 + number)} {number}")
        return text_of(draw(printed(*[line] * 20), Style()))

    with ThreadPoolExecutor(8) as threads:
        for number, text in enumerate(threads.map(make, range(80))):
            assert f"{chr(0x4E00 + number)} {number}" in text
