"""Fonts as PDFs have them: without hinting, and cut to what a page writes."""

import re
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from time import sleep

import pymupdf_fonts
import pytest
from fontTools.ttLib import TTFont
from pypdf import PdfReader
from reportlab.pdfbase.ttfonts import TTFontFace

from modules.documents.content.printed_document import PrintedLine
from modules.documents.content.rich_text import rich_text
from modules.documents.layout.fonts import FOLDER
from modules.documents.layout.style import Style
from tests.modules.documents.layout.drawing import draw, printed
from tests.modules.documents.layout.plain_fonts import FONTS
from tests.modules.documents.pdf_text import text_of

#: bytes of a PDF of one page with two lines, at most
MAX_PAGE_BYTES = 14_000
#: tables with instructions for grids of pixels
HINTING = {"cvt ", "fpgm", "prep", "gasp", "hdmx", "VDMX", "LTSH", "TTFA"}


def embedded(pdf):
    """The fonts of a PDF's first page, by name."""
    fonts = [font.get_object() for font in PdfReader(BytesIO(pdf)).pages[0]["/Resources"]["/Font"].values()]
    return {str(font["/BaseFont"])[8:]: font for font in fonts}


def file_of(font):
    """The font file that is embedded."""
    return TTFont(BytesIO(font["/FontDescriptor"]["/FontFile2"].get_data()))


@pytest.mark.thorough
@pytest.mark.parametrize("file", sorted(FONTS))
def test_a_font_of_the_module_has_all_letters_of_its_source_and_no_hinting(file):
    """`make fonts` writes the files."""
    plain, source = TTFont(FOLDER / file), TTFont(BytesIO(pymupdf_fonts.fontbuffers[FONTS[file]]()))
    assert HINTING.isdisjoint(plain.keys())
    assert plain.getBestCmap().keys() == source.getBestCmap().keys()
    shapes, shapes_before = plain["glyf"], source["glyf"]
    for code, before in source.getBestCmap().items():
        name = plain.getBestCmap()[code]
        assert plain["hmtx"][name] == source["hmtx"][before]
        glyph = shapes[name]
        assert list(glyph.getCoordinates(shapes)[0]) == list(shapes_before[before].getCoordinates(shapes_before)[0])
        assert not getattr(glyph, "program", None)


def test_a_page_of_two_lines_is_small():
    lines = [PrintedLine(label="Bouilloire", text="Étamée à la main", total="128,00 €") for _ in range(2)]
    pdf = draw(printed(*lines, language="fr_FR", legal=["SARL Comptoir, 12 rue des Forges, 69001 Lyon"]), Style())
    assert len(pdf) < MAX_PAGE_BYTES
    assert "Étamée à la main" in text_of(pdf)


def test_a_file_has_only_the_letters_that_it_writes():
    pdf = draw(printed(PrintedLine(text="Łódź")), Style())
    regular = embedded(pdf)["NotoSans-Regular"]
    assert HINTING.isdisjoint(file_of(regular).keys())
    letters = re.findall(rb"<[0-9A-F]{2}> <([0-9A-F]{4})>", regular["/ToUnicode"].get_data())
    assert {chr(int(each, 16)) for each in letters} - {"\0"} <= {" ", *text_of(pdf)}


def test_slanted_fonts_are_in_a_file_only_if_it_writes_with_them():
    upright = {"NotoSans-Regular", "NotoSans-Bold"}
    assert embedded(draw(printed(PrintedLine(text="plain")), Style())).keys() == upright
    slanted = draw(printed(PrintedLine(text=rich_text("<i>slanted</i>"))), Style())
    assert embedded(slanted).keys() == {*upright, "NotoSans-Italic"}


def test_subsets_that_differ_have_different_names():
    """Programs that merge files, and printers, tell fonts apart by their names."""
    files = [embedded(draw(printed(PrintedLine(text=text)), Style())) for text in ("ä", "ö", "ö")]
    first, second, third = (str(each["NotoSans-Regular"]["/BaseFont"]) for each in files)
    assert first != second == third
    assert all(str(font["/FontDescriptor"]["/FontName"]) == font["/BaseFont"] for font in files[0].values())


def test_two_threads_never_cut_a_font_at_once(monkeypatch):
    """`makeSubset` moves the one position at which reportlab reads the file."""
    cut, inside, most = TTFontFace.makeSubset, [], []

    def watched(self, subset):
        inside.append(self)
        most.append(len(inside))
        # The other thread has time to begin
        sleep(0.01)
        made = cut(self, subset)
        inside.pop()
        return made

    monkeypatch.setattr(TTFontFace, "makeSubset", watched)
    with ThreadPoolExecutor(2) as pool:
        files = list(pool.map(lambda text: draw(printed(PrintedLine(text=text)), Style()), ("é", "ü", "ñ", "ç")))
    assert [text in text_of(file) for text, file in zip("éüñç", files, strict=True)] == [True] * 4
    assert set(most) == {1}
