"""The PDF that carries its XML."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from pypdf import PdfReader
from reportlab.pdfgen.canvas import Canvas

from core.storage.database import ensure_connected
from core.testing import Served
from modules.invoices.facturx.invoice import embed, invoice_xml, wants_facturx
from tests.modules.invoices.facturx.electronic import (
    Make,
    read,
)


def test_the_xml_lies_in_the_pdf(make: Make) -> None:
    page = BytesIO()
    canvas = Canvas(page)
    canvas.drawString(50, 50, "Invoice")
    canvas.save()
    record = read(make())
    content = invoice_xml(record)
    made = embed(page.getvalue(), content, record)
    # Nothing of the file before stands in front
    assert made.startswith(b"%PDF-") and made.count(b"%PDF-") == 1
    reader = PdfReader(BytesIO(made))
    assert dict(reader.attachments) == {"factur-x.xml": [content]}
    assert len(reader.pages) == 1 and "Invoice" in reader.pages[0].extract_text()
    assert reader.metadata is not None and reader.metadata.title == f"Comptoir & Fils: {record['ref']}"
    root: Any = reader.trailer["/Root"]
    said = root["/Metadata"].get_data().decode()
    for text in ("urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#", "EN 16931", "factur-x.xml", "pdfaid:part>3<"):
        assert text in said
    assert root["/AF"][0]["/AFRelationship"] == "/Data"


def test_it_is_wanted_where_the_constant_says_so(server: Served, constant: Any) -> None:
    ensure_connected()
    assert not wants_facturx()
    for value, wanted in (("1", True), ("0", False), ("", False)):
        constant("INVOICE_FACTURX", value)
        assert wants_facturx() is wanted
