"""The file that is drawn: its title, outline and fonts, the logo, the place of the address."""

from io import BytesIO

from PIL import Image
from pypdf import PdfReader

from modules.documents.content.printed_document import Party, PrintedLine
from modules.documents.layout.images import picture_of
from modules.documents.layout.style import Style
from tests.modules.documents.layout.drawing import draw, printed


def test_the_file_names_itself_and_has_bookmarks_and_only_embedded_fonts():
    lines = [PrintedLine(kind="title", label="Chapter"), PrintedLine(text="Γειά, привет", total="1.00")]
    reader = PdfReader(BytesIO(draw(printed(*lines), Style())))
    assert reader.metadata is not None
    assert reader.metadata.title == "Invoice FA2611-0001"
    assert reader.metadata.author == "Comptoir"
    assert reader.metadata.subject == "Customer"
    assert [each.title for each in reader.outline if not isinstance(each, list)] == ["Invoice FA2611-0001", "Total"]
    assert any(isinstance(each, list) and each[0].title == "Chapter" for each in reader.outline)
    box = reader.pages[0].mediabox
    assert (round(box.width), round(box.height)) == (595, 842)
    for font in reader.pages[0]["/Resources"]["/Font"].values():
        assert "/FontFile2" in font.get_object()["/FontDescriptor"]


def test_the_logo_is_a_picture_of_bytes_and_nothing_else():
    files = {}
    for kind in ("PNG", "JPEG", "GIF", "BMP"):
        file = BytesIO()
        Image.new("RGB", (60, 30), "red").save(file, kind)
        files[kind] = file.getvalue()
    for kind in ("PNG", "JPEG"):
        reader = PdfReader(BytesIO(draw(printed(logo=files[kind]), Style(head="band"))))
        assert len(reader.pages[0].images) == 1
    for other in (files["GIF"], files["BMP"], b"http://127.0.0.1/logo.png", b"/etc/passwd", b"", files["PNG"][:40]):
        assert picture_of(other) is None
        reader = PdfReader(BytesIO(draw(printed(logo=other), Style())))
        assert len(reader.pages[0].images) == 0
    large = BytesIO()
    Image.new("1", (8000, 5001)).save(large, "PNG")
    assert picture_of(large.getvalue()) is None


def test_the_address_stands_where_the_window_is():
    for side, left in (("left", 19.9), ("right", 110)):
        found = []

        def note(text, _, matrix, *__, found=found):
            if "WindowStreet" in text:
                found.append((matrix[4] / 72 * 25.4, 297 - matrix[5] / 72 * 25.4))

        drawn = printed(recipient=Party(["Customer", "WindowStreet 7", "Paris"]), window=side)
        PdfReader(BytesIO(draw(drawn, Style()))).pages[0].extract_text(visitor_text=note)
        x, y = found[-1] if side == "left" else found[0]
        assert left <= x <= 200 and 45 <= y <= 85
