"""PDFs are PDF/A-3B, as far as the checker looks."""

from io import BytesIO

import pytest
from PIL import Image

from modules.documents.layout.style import Style
from modules.documents.papers.paper import Enclosed, PaperLine, Party
from modules.invoices.facturx.enclosing import METADATA
from tests.modules.documents.layout.drawing import STYLES, draw, paper
from tests.modules.documents.pdfa.checker import check

XML = Enclosed("factur-x.xml", b"<Invoice/>", "text/xml", "The invoice as data", metadata=METADATA)


def logo(kind, mode="RGB"):
    """A picture; one with opacity is half transparent."""
    file = BytesIO()
    colour = {"RGB": (200, 30, 60), "RGBA": (200, 30, 60, 90), "LA": (30, 90), "L": 30, "P": 3, "CMYK": (9, 9, 9, 9)}
    Image.new(mode, (60, 30), colour[mode]).save(file, kind)
    return file.getvalue()


def full():
    """A paper with everything that a file can hold."""
    lines = [PaperLine(kind="title", label="Chapter"), PaperLine(label="Desk", text="Oak", total="1.00")]
    return paper(*lines, logo=logo("PNG", "RGBA"), draft=True, watermark="DRAFT", enclosed=XML)


def papers():
    """Papers that differ in what goes into the file."""
    kettle = PaperLine(label="Bouilloire", text="Étamée à la main.", vat="20 %", price="128,00", total="128,00")
    found = {
        "latin": paper(*[kettle] * 40, language="fr_FR", note="Merci de votre confiance.", acceptance=True),
        "right to left": paper(PaperLine(text="שלום עולם (123) العربية"), sender=Party(["שלום", "חיפה"])),
        "chinese": paper(PaperLine(text="漢字 かな 한국어 " * 40), recipient=Party(["株式会社", "東京"])),
        "many letters": paper(PaperLine(text="".join(map(chr, range(0x4E00, 0x5000))))),
        "greek": paper(PaperLine(text="Ελληνικά Русский ไทย ქართული Việt 😀 \u200b\ufeff\x07")),
        "hostile": paper(title="() \\ <é> \ud800\ufffe" * 900, ref="\n\r", recipient=Party(["\U0001f600" * 9000])),
        "everything": full(),
        "credit note": paper(title="Avoir", language="fr_FR", totals=[("Total", "-1,00 €", True)], enclosed=XML),
        "empty": paper(),
    }
    for kind, mode in (("PNG", "RGB"), ("PNG", "LA"), ("PNG", "P"), ("JPEG", "RGB"), ("JPEG", "L"), ("JPEG", "CMYK")):
        found[f"{kind} {mode}"] = paper(logo=logo(kind, mode))
    return found


def test_a_pdf_with_everything_is_pdf_a():
    assert check(draw(full(), Style())) == []


@pytest.mark.lasting
def test_pdfs_are_pdf_a():
    found = {name: check(draw(each, style)) for name, each in papers().items() for style in STYLES}
    assert not any(found.values()), found
