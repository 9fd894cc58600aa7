"""The PDF that carries its XML."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader
from reportlab.pdfgen.canvas import Canvas

from core.storage.database import database, dialect, ensure_connected
from core.testing import Client, Served
from modules.invoices.facturx.enclosing import embed
from modules.invoices.facturx.invoice import invoice_xml, wants_facturx
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
    for text in ("urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#", "EN 16931", "factur-x.xml"):
        assert text in said
    # Nobody knows what was drawn: it claims nothing
    assert "pdfaid:part>" not in said
    assert root["/AF"][0]["/AFRelationship"] == "/Alternative"


@pytest.mark.parametrize("character", ["\x01", "\x1f", "\x0b", "\ufffe", "\uffff"])
def test_what_no_file_can_hold_and_was_stored_all_the_same_is_left_out(
    admin: Client, make: Make, constant: Any, character: str
) -> None:
    """Stored before it was refused; the number is taken by the time the file is made."""
    invoice = make(draft=True)
    record = admin.get(f"/invoices/{invoice}")
    marked = f"{character}Mark{character}ed{character}"
    constant("INVOICE_FACTURX", "1")
    constant("MAIN_INFO_SOCIETE_NOM", f"Comptoir{character} & Fils")
    ensure_connected()
    for table, column, key, value in (
        ("llx_facture", "note_public", "rowid", invoice), ("llx_facture", "ref_client", "rowid", invoice),
        ("llx_facturedet", "description", "fk_facture", invoice), ("llx_societe", "address", "rowid", record["socid"]),
    ):  # fmt: skip
        mark = dialect().placeholder
        database.execute_sql(f"UPDATE {table} SET {column} = {mark} WHERE {key} = {mark}", (marked, value))
    answer = admin.simulate_post(f"/invoices/{invoice}/validate")
    assert (answer.status_code, answer.headers.get("warning")) == (200, None), answer.text
    (file,) = admin.get("/documents", modulepart="invoice", id=invoice)
    path = f"{file['level1name']}/{file['name']}"
    content = admin.simulate_get("/documents/raw", params={"modulepart": "invoice", "original_file": path}).content
    reader = PdfReader(BytesIO(content))
    (xml,) = reader.attachments["factur-x.xml"]
    assert b"<ram:Content>Marked</ram:Content>" in xml
    assert b"<ram:IssuerAssignedID>Marked</ram:IssuerAssignedID>" in xml
    assert reader.metadata is not None and reader.metadata.author == "Comptoir & Fils"
    assert "Marked" in reader.pages[0].extract_text().replace("\ufffd", "")


def test_it_is_wanted_where_the_constant_says_so(server: Served, constant: Any) -> None:
    ensure_connected()
    assert not wants_facturx()
    for value, wanted in (("1", True), ("0", False), ("", False)):
        constant("INVOICE_FACTURX", value)
        assert wants_facturx() is wanted
