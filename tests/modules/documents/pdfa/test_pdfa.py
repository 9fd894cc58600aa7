"""PDFs are PDF/A-3B, as far as the checker looks."""

from io import BytesIO

import pytest
from PIL import Image

from modules.documents.content.printed_document import Enclosed, Party, PrintedLine
from modules.documents.layout.style import Style
from modules.invoices.facturx.enclosing import METADATA
from tests.modules.documents.layout.drawing import STYLES, draw, printed
from tests.modules.documents.pdfa.checker import check

XML = Enclosed("factur-x.xml", b"<Invoice/>", "text/xml", "The invoice as data", metadata=METADATA)


def logo(kind, mode="RGB"):
    """A picture; one with opacity is half transparent."""
    file = BytesIO()
    colour = {"RGB": (200, 30, 60), "RGBA": (200, 30, 60, 90), "LA": (30, 90), "L": 30, "P": 3, "CMYK": (9, 9, 9, 9)}
    Image.new(mode, (60, 30), colour[mode]).save(file, kind)
    return file.getvalue()


def full():
    """A PDF with everything that a file can hold."""
    lines = [PrintedLine(kind="title", label="Chapter"), PrintedLine(label="Desk", text="Oak", total="1.00")]
    return printed(*lines, logo=logo("PNG", "RGBA"), draft=True, watermark="DRAFT", enclosed=XML)


def pdfs():
    """PDFs that differ in what goes into the file."""
    kettle = PrintedLine(label="Bouilloire", text="Étamée à la main.", vat="20 %", price="128,00", total="128,00")
    found = {
        "latin": printed(*[kettle] * 40, language="fr_FR", note="Merci de votre confiance.", acceptance=True),
        "right to left": printed(PrintedLine(text="שלום עולם (123) العربية"), sender=Party(["שלום", "חיפה"])),
        "chinese": printed(PrintedLine(text="漢字 かな 한국어 " * 40), recipient=Party(["株式会社", "東京"])),
        "many letters": printed(PrintedLine(text="".join(map(chr, range(0x4E00, 0x5000))))),
        "greek": printed(PrintedLine(text="Ελληνικά Русский ไทย ქართული Việt 😀 \u200b\ufeff\x07")),
        "hostile": printed(title="() \\ <é> \ud800\ufffe" * 900, ref="\n\r", recipient=Party(["\U0001f600" * 9000])),
        "everything": full(),
        "credit note": printed(title="Avoir", language="fr_FR", totals=[("Total", "-1,00 €", True)], enclosed=XML),
        "empty": printed(),
    }
    for kind, mode in (("PNG", "RGB"), ("PNG", "LA"), ("PNG", "P"), ("JPEG", "RGB"), ("JPEG", "L"), ("JPEG", "CMYK")):
        found[f"{kind} {mode}"] = printed(logo=logo(kind, mode))
    return found


def test_a_pdf_with_everything_is_pdf_a():
    assert check(draw(full(), Style())) == []


@pytest.mark.lasting
def test_pdfs_are_pdf_a():
    found = {name: check(draw(each, style)) for name, each in pdfs().items() for style in STYLES}
    assert not any(found.values()), found
