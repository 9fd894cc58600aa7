"""What a PDF tells those who do not see it: language, title, headings, tables, pictures."""

from io import BytesIO

import pikepdf
from PIL import Image

from modules.documents.content.printed_document import PrintedLine
from modules.documents.layout.style import Style
from tests.modules.documents.layout.drawing import STYLES, draw, printed


def elements(element):
    """An element and those in it, in the order they are read."""
    yield element
    kids = element.get("/K", pikepdf.Array())
    for kid in kids if isinstance(kids, pikepdf.Array) else [kids]:
        if isinstance(kid, pikepdf.Dictionary) and "/S" in kid:
            yield from elements(kid)


def kinds(element):
    """The kinds of the elements right in an element."""
    return [str(kid["/S"]) for kid in element["/K"] if isinstance(kid, pikepdf.Dictionary)]


def test_a_pdf_says_its_language_and_title():
    with pikepdf.open(BytesIO(draw(printed(language="pt_PT"), Style()))) as pdf:
        assert str(pdf.Root.Lang) == "pt-PT"
        assert bool(pdf.Root.ViewerPreferences.DisplayDocTitle)
        assert str(pdf.docinfo["/Title"]) == "Invoice FA2611-0001"


def test_a_table_is_one_over_all_its_pages():
    """Three pages; each row has a cell for each heading, whether there is something in it or not."""
    lines = [PrintedLine(label=f"Line {number}", text="long " * 60, total="1.00", qty="2") for number in range(60)]
    for style in STYLES:
        with pikepdf.open(BytesIO(draw(printed(*lines), style))) as pdf:
            assert len(pdf.pages) > 2
            document = pdf.Root.StructTreeRoot.K
            tables = [each for each in elements(document) if each["/S"] == "/Table"]
            headings, *rows = tables[0]["/K"]
            assert set(kinds(headings)) == {"/TH"}
            assert len(rows) == len(lines)
            for row in rows:
                assert kinds(row) == ["/TD"] * len(kinds(headings))
            assert [str(each["/S"]) for each in elements(document)].count("/H1") == 1


def test_titles_and_sums_go_over_the_columns():
    lines = [
        PrintedLine(kind="title", label="A"),
        PrintedLine(text="b"),
        PrintedLine(kind="subtotal", label="S", total="1"),
    ]
    with pikepdf.open(BytesIO(draw(printed(*lines), Style()))) as pdf:
        table = next(each for each in elements(pdf.Root.StructTreeRoot.K) if each["/S"] == "/Table")
        headings, title, line, sum_ = table["/K"]
        count = len(headings["/K"])
        assert len(line["/K"]) == count
        assert int(title["/K"][0]["/A"]["/ColSpan"]) == count
        assert (len(sum_["/K"]), int(sum_["/K"][0]["/A"]["/ColSpan"])) == (2, count - 1)


def test_a_logo_has_the_name_of_the_company():
    file = BytesIO()
    Image.new("RGB", (60, 30), "red").save(file, "PNG")
    with pikepdf.open(BytesIO(draw(printed(logo=file.getvalue()), Style()))) as pdf:
        figures = [each for each in elements(pdf.Root.StructTreeRoot.K) if each["/S"] == "/Figure"]
        assert [str(each["/Alt"]) for each in figures] == ["Comptoir"]
