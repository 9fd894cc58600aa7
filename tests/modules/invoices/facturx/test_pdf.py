"""The PDF that carries its XML."""

from base64 import b64decode
from io import BytesIO

import pytest
from facturx import xml_check_xsd
from pypdf import PdfReader
from reportlab.pdfgen.canvas import Canvas

from core.storage.database import backend, database, ensure_connected
from modules.invoices.facturx.enclosing import embed, enclosed_invoice
from modules.invoices.facturx.invoice import invoice_xml, wants_facturx
from tests.modules.documents.pdfa.checker import check
from tests.modules.invoices.facturx.electronic import LINE, read


def test_the_xml_lies_in_the_pdf(make):
    page = BytesIO()
    canvas = Canvas(page)
    canvas.drawString(50, 50, "Invoice")
    canvas.save()
    record = read(make())
    content = invoice_xml(record)
    made = embed(page.getvalue(), content, record, "fr_FR")
    # Nothing of the file before stands in front
    assert made.startswith(b"%PDF-") and made.count(b"%PDF-") == 1
    reader = PdfReader(BytesIO(made))
    assert dict(reader.attachments) == {"factur-x.xml": [content]}
    assert len(reader.pages) == 1 and "Invoice" in reader.pages[0].extract_text()
    assert reader.metadata is not None and reader.metadata.title == f"Comptoir & Fils: {record['ref']}"
    root = reader.trailer["/Root"]
    said = root["/Metadata"].get_data().decode()
    for text in ("urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#", "EN 16931", "factur-x.xml"):
        assert text in said
    # Nobody knows what was drawn: it claims nothing
    assert "pdfaid:part>" not in said
    assert [each["/AFRelationship"] for each in root["/AF"]] == ["/Alternative"]


@pytest.mark.parametrize("character", ["\x01", "\x1f", "\x0b", "\ufffe", "\uffff"])
def test_what_no_file_can_hold_and_was_stored_all_the_same_is_left_out(admin, make, constant, character):
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
        mark = backend().placeholder
        database.execute_sql(f"UPDATE {table} SET {column} = {mark} WHERE {key} = {mark}", (marked, value))
    answer = admin.simulate_post(f"/invoices/{invoice}/validate")
    assert (answer.status_code, answer.headers.get("warning")) == (200, None), answer.text
    file, _issued = admin.get("/documents", modulepart="invoice", id=invoice)
    path = f"{file['level1name']}/{file['name']}"
    content = admin.simulate_get("/documents/raw", params={"modulepart": "invoice", "original_file": path}).content
    reader = PdfReader(BytesIO(content))
    (xml,) = reader.attachments["factur-x.xml"]
    assert b"<ram:Content>Marked</ram:Content>" in xml
    assert b"<ram:IssuerAssignedID>Marked</ram:IssuerAssignedID>" in xml
    assert reader.metadata is not None and reader.metadata.author == "Comptoir & Fils"
    assert "Marked" in reader.pages[0].extract_text().replace("\ufffd", "")


@pytest.mark.parametrize("template", ["crabe", "sponge"])
@pytest.mark.parametrize("more", [{}, {"type": 2}, {"type": 3}, {"note_public": "漢字 שלום <b>é</b>"}], ids=str)
def test_a_factur_x_is_pdf_a(admin, make, constant, template, more):
    constant("INVOICE_FACTURX", "1")
    line = LINE | ({"subprice": "-20"} if more.get("type") == 2 else {})
    ref = admin.get(f"/invoices/{make(line, **more)}")["ref"]
    body = {"modulepart": "invoice", "original_file": f"{ref}/{ref}.pdf", "doctemplate": template, "langcode": "fr_FR"}
    content = b64decode(admin.ask("PUT", "/documents/builddoc", body)["content"])
    assert check(content) == []
    reader = PdfReader(BytesIO(content))
    (xml,) = reader.attachments["factur-x.xml"]
    assert xml_check_xsd(xml, flavor="factur-x", level="en16931")
    assert f"<ram:ID>{ref}</ram:ID>".encode() in xml
    root = reader.trailer["/Root"]
    assert (root["/Lang"], root["/AF"][0]["/AFRelationship"]) == ("fr-FR", "/Alternative")
    assert b"<fx:ConformanceLevel>EN 16931<" in root["/Metadata"].get_data()


def test_an_xml_that_the_schema_refuses_goes_into_no_pdf():
    with pytest.raises(ValueError, match="not valid"):
        enclosed_invoice(b"<Invoice/>")


def test_it_is_wanted_where_the_constant_says_so(server, constant):
    ensure_connected()
    assert not wants_facturx()
    for value, wanted in (("1", True), ("0", False), ("", False)):
        constant("INVOICE_FACTURX", value)
        assert wants_facturx() is wanted
