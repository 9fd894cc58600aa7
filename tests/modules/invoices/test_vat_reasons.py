"""Why lines bear no VAT: on the page and in the XML the same sentence, in the language of the PDF."""

import base64
import io

import pytest
from facturx import xml_check_xsd
from pypdf import PdfReader

from tests.modules.documents.pdf_text import single_spaced
from tests.modules.invoices.facturx.electronic import HEAD, Xml
from tests.modules.invoices.printed import printed

FRANCE, GERMANY, UNITED_STATES = 1, 5, 11
#: everything but a country that another test sets
COMPANY = {
    "name": "Seller", "zip": "69002", "town": "Lyon", "country_code": "FR", "tva_intra": "FR32123456789",
    "idprof1": "123456789",
}  # fmt: skip
SERVICE = {"desc": "Advice", "product_type": 1}
INTRA = "Livraison intracommunautaire exonérée de TVA (article 138 de la directive 2006/112/CE)"


@pytest.fixture(autouse=True)
def company(admin):
    admin.ask("PUT", "/setup/company", COMPANY)


@pytest.fixture
def make(admin):
    def make(country, vat, *lines, service="invoices"):
        body = {"name": "Buyer", "client": 1, "country_id": country, "tva_intra": vat, "town": "There"}
        body["socid"] = admin.ask("POST", "/thirdparties", body)
        every = [{"desc": "Desk", "qty": 1, "subprice": 10, "tva_tx": 0, **line} for line in lines]
        made = {"socid": body["socid"], "date": "2026-11-21", "lines": every}
        return int(admin.ask("POST", f"/{service}", made))

    return make


@pytest.mark.parametrize(
    ("country", "vat", "line", "language", "sentence"),
    [
        # Directive 2006/112/EC, article 226, 11 and 11a; the words of 11a in each language are the directive's own
        (GERMANY, "DE123456789", SERVICE, "en_US", "Reverse charge"),
        (GERMANY, "DE123456789", SERVICE, "fr_FR", "Autoliquidation"),
        (GERMANY, "DE123456789", SERVICE, "de_DE", "Steuerschuldnerschaft des Leistungsempfängers"),
        (GERMANY, "DE123456789", {}, "fr_FR", INTRA),
        (UNITED_STATES, "", {}, "en_US", "Export outside the European Union, exempt from VAT"),
        (FRANCE, "", {}, "es_ES", "Exento de IVA"),
        (FRANCE, "", {"tva_tx": "0 (O)"}, "en_US", "Not subject to VAT"),
    ],
)
def test_page_and_xml_say_the_same(
    admin, make, constant, country, vat, line,
    language, sentence
):  # fmt: skip
    constant("INVOICE_FACTURX", "1")
    identifier = make(country, vat, line)
    ref = admin.ask("POST", f"/invoices/{identifier}/validate", {})["ref"]
    body = {"modulepart": "invoice", "original_file": f"{ref}/{ref}.pdf", "langcode": language}
    file = PdfReader(io.BytesIO(base64.b64decode(admin.ask("PUT", "/documents/builddoc", body)["content"])))
    assert sentence in single_spaced(" ".join(page.extract_text() for page in file.pages))
    xml = file.attachments["factur-x.xml"][0]
    assert xml_check_xsd(xml, flavor="factur-x", level="en16931")
    assert Xml(xml).one(f"{HEAD}/ram:ApplicableTradeTax/ram:ExemptionReason") == sentence


def test_several_reasons_name_their_lines_and_a_taxed_pdf_has_none(admin, make):
    text = printed(admin, make(GERMANY, "DE123456789", {}, SERVICE, {"desc": "Taxed", "tva_tx": 20}), "fr_FR")
    assert f"{INTRA} (Desk)" in text
    assert "Autoliquidation (Advice)" in text
    taxed = printed(admin, make(GERMANY, "DE123456789", {"tva_tx": 20}), "fr_FR")
    assert not any(word in taxed for word in ("directive", "Autoliquidation", "Exon"))


@pytest.mark.parametrize("service", ["orders", "proposals"])
def test_orders_and_proposals_tell_it_too(admin, make, service):
    identifier = make(GERMANY, "DE123456789", SERVICE, service=service)
    assert "Btw verlegd" in printed(admin, identifier, "nl_NL", service)


def test_a_small_business(admin, make, constant):
    sentence = "TVA non applicable, art. 293 B du CGI"
    assert sentence not in printed(admin, make(FRANCE, "", {}), "fr_FR")
    # It may have a number for what it buys abroad
    constant("MAIN_INFO_SMALL_BUSINESS", "1")
    assert sentence in printed(admin, make(FRANCE, "", {}), "fr_FR")
    assert sentence not in printed(admin, make(FRANCE, "", {}, {"tva_tx": 20}), "fr_FR")
    admin.ask("PUT", "/setup/company", {"country_code": "DE", "tva_intra": ""})
    assert "§ 19 UStG" in printed(admin, make(GERMANY, "", {}), "de_DE")


def test_a_company_outside_the_union_and_one_that_is_nowhere(admin, make):
    admin.ask("PUT", "/setup/company", {"country_code": "CH", "tva_intra": "CHE-123.456.789 MWST"})
    text = printed(admin, make(UNITED_STATES, "", {}), "en_US")
    assert "Export, exempt from VAT" in text
    assert "European Union" not in text
    # A customer without a country is at home
    assert "Exempt from VAT" in printed(admin, make(0, "", {}), "en_US")
    admin.ask("PUT", "/setup/company", {"country": None})
    assert "exempt" not in printed(admin, make(UNITED_STATES, "", {}), "en_US").lower()
