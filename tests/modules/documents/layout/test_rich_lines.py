"""Rich text on the page: its fonts, rules and bullets, where its lines and pages break."""

import re
from io import BytesIO

import pytest
from pypdf import PdfReader

from modules.documents.content.printed_document import PrintedLine
from modules.documents.content.rich_text import inline_text, rich_text
from modules.documents.layout.fonts import fonts
from modules.documents.layout.style import Style
from modules.documents.layout.wrapping import face, wrap
from tests.modules.documents.layout.drawing import STYLES, draw, printed
from tests.modules.documents.pdf_text import pages_of, text_of, without_spaces


def pieces(file):
    """The pieces of text of the first page: the name of their font, and where they begin."""
    found = {}

    def note(text, _, matrix, font, __):
        if text.strip():
            found[text.strip()] = (str(font["/BaseFont"]).split("+")[-1], matrix[4])

    PdfReader(BytesIO(file)).pages[0].extract_text(visitor_text=note)
    return found


def test_each_way_of_writing_has_its_font_and_only_used_ones_are_embedded():
    text = rich_text("plain <b>heavy</b> <i>slanted</i> <b><i>both</i></b>")
    found = pieces(draw(printed(PrintedLine(text=text, label=inline_text("head <i>line</i>"))), Style()))
    assert {name: found[name][0] for name in ("plain", "heavy", "slanted", "both", "head", "line")} == {
        "plain": "NotoSans-Regular", "heavy": "NotoSans-Bold", "slanted": "NotoSans-Italic",
        "both": "NotoSans-BoldItalic", "head": "NotoSans-Bold", "line": "NotoSans-BoldItalic",
    }  # fmt: skip
    for text, slanted in (("<b>a</b>", 0), ("<i>a</i>", 1), ("a", 0)):
        file = draw(printed(PrintedLine(text=rich_text(text))), Style())
        fonts = PdfReader(BytesIO(file)).pages[0]["/Resources"]["/Font"].values()
        assert sum("Italic" in each.get_object()["/BaseFont"] for each in fonts) == slanted


def test_what_is_underlined_or_struck_out_has_its_rule():
    def rules(text):
        content = PdfReader(BytesIO(draw(printed(PrintedLine(text=rich_text(text))), Style()))).pages[0].get_contents()
        assert content is not None
        return len(re.findall(rb" l S", content.get_data()))

    without = rules("a b")
    assert rules("<u>a</u> <b>b</b>") == rules("a <s>b</s>") == without + 1
    assert rules("<u><s>a</s></u>") == without + 2


def test_items_are_indented_below_their_bullets():
    html = "<ul><li>outer<ol><li>inner</li></ol></li></ul>last<blockquote>quoted</blockquote>"
    found = pieces(draw(printed(PrintedLine(text=rich_text(html))), Style()))
    places = [found[each][1] for each in ("last", "•", "outer", "inner", "quoted")]
    assert places[0] == places[1] < places[2] == places[4] < places[3]
    assert found["1."][1] == pytest.approx(places[2], abs=0.02)


@pytest.mark.parametrize("width", (30.0, 120.0, 300.0))
def test_no_line_is_wider_than_its_column(width):
    regular, bold = fonts()
    html = (
        "some <b>words and <i>more</i></b> wo<b>rd</b>s " * 5
        + "<ul><li>"
        + "M<u>w</u>" * 90
        + "</ul><b>漢字</b>漢字" * 9
    )
    html += f"<br>a <i>{'Wlong' * 99}</i>"
    for font in (regular, bold):
        lines = wrap(rich_text(html), font, 9, width)
        for line in lines:
            used = sum(face(font, style).width(text, 9) for text, style in line.runs) or font.width(line.text, 9)
            assert line.indent + used <= width + 0.01
        # Nothing is lost, and no word is cut that a line has room for
        assert without_spaces("".join(line.marker + line.text for line in lines)) == without_spaces(rich_text(html))
        if width > 100:
            assert "words" in " ".join(line.text for line in lines).split()


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.table)
def test_a_list_longer_than_a_page_goes_on(style):
    items = "".join(f"<li>item <b>w{number}.</b></li>" for number in range(150))
    drawn = printed(PrintedLine(text="first"), PrintedLine(text=rich_text(f"<ol>{items}</ol>"), total="1.00"))
    pages = pages_of(draw(drawn, style))
    assert len(pages) > 2
    assert re.findall(r"(\d+)\. item w(\d+)\.", " ".join(pages)) == [(str(n + 1), str(n)) for n in range(150)]


def test_words_from_right_to_left_keep_their_order_and_their_weight():
    found = pieces(draw(printed(PrintedLine(text=rich_text("<b>אב</b><br>abc <i>x</i>"))), Style()))
    place = next(place for text, (_, place) in found.items() if "א" in text)
    assert place > found["abc"][1] + 100
    assert "אב" in text_of(draw(printed(PrintedLine(text=rich_text("<u>אב</u> <i>גד</i>"))), Style()))


def test_mentions_stand_between_terms_and_note_over_as_many_pages_as_they_need():
    mentions = [rich_text("Late: <b>40 €</b>"), "", *(f"mention {number}. " * 30 for number in range(60))]
    pages = pages_of(
        draw(printed(PrintedLine(text="x"), mentions=mentions, terms=[("Terms", "soon")], note="bye"), Style())
    )
    text = " ".join(pages)
    assert len(pages) > 2
    assert (
        text.index("soon")
        < text.index("Late: 40 €")
        < text.index("mention 0.")
        < text.index("Note")
        < text.index("bye")
    )
    assert [text.count(f"mention {number}.") for number in range(60)] == [30] * 60
