"""Documents of invoices that carry their data as Factur-X, by the setting."""

import base64
import io
import re
from xml.etree import ElementTree

import pytest
from facturx import xml_check_xsd
from pypdf import PdfReader

from tests.modules.documents.pdf_text import single_spaced, text_of

COMPANY = {
    "name": "Seller",
    "country_code": "FR",
    "idprof1": "000000000",
    "tva_intra": "FR00000000000",
    "zip": "69002",
    "town": "Lyon",
}
LINES = [{"desc": "Desk", "qty": 3, "subprice": "19.99", "tva_tx": 20, "remise_percent": 10}]


@pytest.fixture
def invoice(admin):
    admin.ask("PUT", "/setup/company", COMPANY)
    buyer = {"name": "Buyer", "country_id": 1, "zip": "76600", "town": "Le Havre", "address": "8 quai des Brumes"}
    socid = admin.ask("POST", "/thirdparties", buyer | {"client": 1})
    return int(admin.ask("POST", "/invoices", {"socid": socid, "date": "2026-11-21", "lines": LINES}))


def attached(admin, ref):
    body = {"modulepart": "invoice", "original_file": f"{ref}/{ref}.pdf"}
    content = base64.b64decode(admin.ask("PUT", "/documents/builddoc", body)["content"])
    found = PdfReader(io.BytesIO(content)).attachments
    return {name: files[0] for name, files in found.items()}


def test_the_setting_decides(admin, invoice, constant):
    assert attached(admin, f"(PROV{invoice})") == {}
    ref = admin.ask("POST", f"/invoices/{invoice}/validate", {})["ref"]
    assert attached(admin, ref) == {}
    constant("INVOICE_FACTURX", "1")
    xml = attached(admin, ref)["factur-x.xml"].decode()
    # 3 × 19.99 − 10 % = 53.97; with 20 % VAT 64.77
    assert ref in xml
    assert ">53.97<" in xml
    assert ">64.77<" in xml


def test_what_is_missing_for_an_electronic_invoice_is_named(admin, invoice, constant):
    admin.ask("PATCH", f"/invoices/{invoice}", {"mode_reglement_id": 2})
    ref = admin.ask("POST", f"/invoices/{invoice}/validate", {})["ref"]
    # The invoice was validated before the company wanted them
    constant("INVOICE_FACTURX", "1")
    body = {"modulepart": "invoice", "original_file": f"{ref}/{ref}.pdf"}
    assert "MAIN_BANK_IBAN" in admin.refused("PUT", "/documents/builddoc", body, status=405)


def test_html_is_printed_as_text_and_stands_as_text_in_the_xml(admin, invoice, constant):
    constant("INVOICE_FACTURX", "1")
    html = "<p>Table <b>ronde</b> en ch&ecirc;ne</p><ul><li>R&amp;D</li><li>a &lt; b</li></ul><script>x()</script>"
    # Progress of work is no part of the HTML that it stands below, whatever that leaves open
    line = {"desc": f"{html}<i>open", "qty": 1, "subprice": "10", "tva_tx": 20, "date_start": "2026-11-02"}
    plain = {"desc": "5 < 6, x<y>z", "qty": 1, "subprice": "10", "tva_tx": 20}
    socid = admin.ask(
        "POST", "/thirdparties",
        {"name": "Meubles &amp; Fils", "client": 1, "country_id": 1, "zip": "76600", "town": "Le Havre", "address": "8 quai<br>Hall"},
    )  # fmt: skip
    body = {
        "socid": socid,
        "date": "2026-11-21",
        "lines": [line, plain],
        "note_public": "Merci <em>bien</em><br/>&eacute;",
    }
    identifier = admin.ask("POST", "/invoices", body | {"ref_client": "A&amp;B"})
    ref = admin.ask("POST", f"/invoices/{identifier}/validate", {})["ref"]
    asked = {"modulepart": "invoice", "original_file": f"{ref}/{ref}.pdf", "langcode": "en_US"}
    content = base64.b64decode(admin.ask("PUT", "/documents/builddoc", asked)["content"])
    text = text_of(content)
    for said in (
        "Table ronde en chêne • R&D • a < b open From", "5 < 6, x<y>z", "Merci bien é", "Meubles & Fils", "8 quai Hall", "A&B",
    ):  # fmt: skip
        assert said in text, said
    assert not re.search(r"</?(?:p|b|ul|li|script|i|em|br)\b|&\w+;|x\(\)", text)
    xml = PdfReader(io.BytesIO(content)).attachments["factur-x.xml"][0]
    assert xml_check_xsd(xml, flavor="factur-x", level="en16931")
    told = [single_spaced("".join(each.itertext())) for each in ElementTree.fromstring(xml).iter()]
    for said in (
        "Table ronde en chêne • R&D • a < b open",
        "5 < 6, x<y>z",
        "Merci bien é",
        "Meubles & Fils",
        "Hall",
        "A&B",
    ):
        assert said in told, said
