"""Fonts as PDFs have them: read as another library reads them, and cut to what a page writes."""

from io import BytesIO

import pymupdf_fonts
import pytest
from PIL import Image, ImageChops, ImageDraw, ImageFont
from pypdf import PdfReader
from reportlab.pdfbase.ttfonts import TTFontFace

from modules.documents.layout import fonts
from modules.documents.layout.style import Style
from modules.documents.layout.truetype import TrueType
from modules.documents.papers.paper import PaperLine
from modules.documents.papers.rich_text import rich_text
from tests.modules.documents.layout.drawing import draw, paper
from tests.modules.documents.pdf_text import text_of
from tests.modules.documents.pdfa.font_file import FontFile

#: bytes of a PDF of one page with two lines, at most
MAX_PAGE_BYTES = 20_000
#: tables that a cut has, and no others: none with instructions for grids of pixels
TABLES = {"cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp"}
SIZE = 300


def files():
    """The font files that documents are printed with."""
    found = {name: pymupdf_fonts.fontbuffers[name]() for name in ("notos", "notosbi", "figo")}
    return found | {"chinese": fonts.CJK_FILE.read_bytes()}


def embedded(pdf):
    """The fonts of a PDF's first page, by the names that they have there."""
    found = PdfReader(BytesIO(pdf)).pages[0]["/Resources"]
    return {name: font.get_object() for name, font in found["/Font"].items()}


def drawn(data, text, encoding):
    """A picture of a text in large letters."""
    picture = Image.new("L", (2 * SIZE, 2 * SIZE))
    font = ImageFont.truetype(BytesIO(data), SIZE, encoding=encoding, layout_engine=ImageFont.Layout.BASIC)
    ImageDraw.Draw(picture).text((SIZE / 2, SIZE / 2), text, 255, font)
    return picture


@pytest.mark.parametrize("name", ("notos", "notosbi", "figo", "chinese"))
def test_characters_have_the_glyphs_and_widths_that_reportlab_finds(name):
    data = files()[name]
    font, other = TrueType(data), TTFontFace(BytesIO(data))
    assert {code: font.glyph(code) for code in other.charToGlyph if code < 0xFFFF} == {
        code: glyph for code, glyph in other.charToGlyph.items() if code < 0xFFFF
    }
    assert all(font.width(code) == width for code, width in other.charWidths.items())
    assert not any(font.glyph(code) for code in range(0x3000) if code not in other.charToGlyph)
    assert f"/Ascent {other.ascent:g}/Descent {other.descent:g}/CapHeight {other.capHeight:g}" in font.descriptor
    assert font.name == other.name.decode()


@pytest.mark.parametrize(
    ("name", "letters"), (("notos", "aé"), ("notosbi", "ŹŐß"), ("figo", "אش"), ("chinese", "漢한"))
)
def test_a_cut_draws_the_same_letters(name, letters):
    data = files()[name]
    font = TrueType(data)
    cut = font.cut(bytes(range(65, 65 + len(letters))), [font.glyph(ord(letter)) for letter in letters])
    assert set(FontFile(cut).tables) == TABLES
    for code, letter in enumerate(letters, 65):
        whole, part = drawn(data, letter, "unic"), drawn(cut, chr(code), "armn")
        ink = sum(whole.histogram()[128:])
        differing = sum(ImageChops.difference(whole, part).histogram()[128:])
        assert ink > SIZE and differing < ink / 20, letter


def test_a_page_of_two_lines_is_small():
    lines = [PaperLine(label="Bouilloire", text="Étamée à la main", total="128,00 €") for _ in range(2)]
    pdf = draw(paper(*lines, language="fr_FR", legal=["SARL Comptoir, 12 rue des Forges, 69001 Lyon"]), Style())
    assert len(pdf) < MAX_PAGE_BYTES
    assert "Étamée à la main" in text_of(pdf)


def test_a_file_has_the_letters_that_it_writes_and_the_usual_ones():
    regular = embedded(draw(paper(PaperLine(text="Łódź")), Style()))["/R0"]
    codes = FontFile(regular["/FontDescriptor"]["/FontFile2"].get_data()).codes
    shown = {fonts.MEANING[code] for code, glyph in codes.items() if glyph}
    assert shown >= {*"Łódź", "a", "Z", "9"}
    assert shown.isdisjoint("ÄßñĄ§")


def test_slanted_fonts_are_in_a_file_only_if_it_writes_with_them():
    assert embedded(draw(paper(PaperLine(text="plain")), Style())).keys() == {"/R0", "/B0"}
    slanted = draw(paper(PaperLine(text=rich_text("<i>slanted</i>"))), Style())
    assert embedded(slanted).keys() == {"/R0", "/B0", "/I0"}


def test_subsets_that_differ_have_different_names():
    names = {str(embedded(draw(paper(PaperLine(text=text)), Style()))["/R0"]["/BaseFont"]) for text in ("ä", "ö")}
    assert len(names) == 2
