"""How invoices say that they are to be paid: sentence, codes, the Swiss slip, the link; over HTTP, read from the page."""

import base64
from collections.abc import Callable
from io import BytesIO

import pytest
from pypdf import PdfReader

from modules.invoices.doctemplates.pdf_crabe import Crabe
from modules.invoices.facturx.invoice import invoice_xml
from modules.invoices.invoices import invoices
from tests.modules.documents.codes import drawn_codes
from tests.modules.documents.pdf_text import pages_of, single_spaced, text_of
from tests.modules.invoices.invoices import DAY, DAYS, act

Constant = Callable[[str, str], None]
#: 1000 with 20 % VAT: 1200.00
LINE = {"desc": "Desk", "qty": 1, "subprice": "1000", "tva_tx": 20}
IBAN, SWISS, QR_IBAN = "FR7630006000011234567890189", "CH5204835012345671000", "CH4431999123000889012"
FRENCH = {"name": "Comptoir", "address": "12 rue Haute", "zip": "69002", "town": "Lyon", "country_code": "FR"}
VIR, PRE, LIQ, CB, CHQ = 2, 3, 4, 6, 7


@pytest.fixture(scope="module", autouse=True)
def company(admin):
    admin.ask("PUT", "/setup/company", FRENCH)


@pytest.fixture
def swiss(admin):
    """The company is in Switzerland; a customer there."""
    own = {
        "name": "Robert Schneider AG",
        "address": "Rue du Lac 1268",
        "zip": "2501",
        "town": "Biel",
        "tva_intra": "CHE116281710",
    }
    admin.ask("PUT", "/setup/company", own | {"country_code": "CH", "currency_code": "CHF"})
    country = next(row["id"] for row in admin.get("/setup/dictionary/countries", limit=500) if row["code"] == "CH")
    body = {"name": "Pia Rutschmann", "address": "Marktgasse 28", "zip": "9400", "town": "Rorschach", "client": 1}
    yield admin.ask("POST", "/thirdparties", body | {"country_id": country})
    admin.ask("PUT", "/setup/company", FRENCH | {"currency_code": "EUR"})


def build(admin, identifier, language="en_US"):
    """The PDF of an invoice."""
    ref = admin.get(f"/invoices/{identifier}")["ref"]
    body = {"modulepart": "invoice", "original_file": f"{ref}/{ref}.pdf", "langcode": language}
    return base64.b64decode(admin.ask("PUT", "/documents/builddoc", body)["content"])


@pytest.fixture
def document(admin, validated):
    """A validated invoice, due in twelve days, and its PDF."""

    def make(language="en_US", **fields):
        identifier = validated(LINE, **{"date_lim_reglement": DAY + 12 * DAYS, **fields})
        return admin.get(f"/invoices/{identifier}"), build(admin, identifier, language)

    return make


def links(pdf):
    """Where the first page leads to; each place is printed with it."""
    found = [each.get_object() for each in PdfReader(BytesIO(pdf)).pages[0].get("/Annots", [])]
    assert all(each["/F"] == 4 for each in found)
    return [each["/A"]["/URI"] for each in found]


@pytest.mark.parametrize(
    "language, mode, said",
    [
        ("en_US", 0, "To pay: €1,200.00 by Dec 3, 2026"),
        ("en_US", PRE, "€1,200.00 will be debited from your account on Dec 3, 2026"),
        ("fr_FR", VIR, "À payer : 1 200,00 € au plus tard le 3 déc. 2026"),
        ("de_DE", LIQ, "Bar zu zahlen: 1.200,00 € bis zum 03.12.2026"),
        ("nl_NL", CB, "Met kaart te betalen: € 1.200,00 uiterlijk op 3 dec 2026"),
        ("es_ES", CHQ, "A pagar con cheque: 1.200,00 € a más tardar el 3 dic 2026"),
    ],
)
def test_what_is_to_be_paid_is_said_before_the_lines(document, language, mode, said):
    text = text_of(document(language, mode_reglement_id=mode)[1])
    assert said in text, text
    assert text.index(said) < text.index("Desk")


def test_only_what_remains_is_asked_for_and_only_of_who_owes_it(admin, make, validated):
    owing = validated(LINE)
    credit = validated(LINE, type=2, fk_facture_source=owing)
    body = {"datepaye": DAY, "paymentid": 2, "closepaidinvoices": "no", "arrayofamounts": {str(owing): {"amount": 700}}}
    admin.ask("POST", "/invoices/paymentsdistributed", body | {"accountid": 1})
    assert "To pay: €500.00" in text_of(build(admin, owing))
    for identifier in (make(LINE), credit):
        assert "To pay" not in text_of(build(admin, identifier))
    act(admin, owing, "settopaid")
    assert "To pay" not in text_of(build(admin, owing))


def test_a_transfer_has_its_code(document, constant):
    assert drawn_codes(document()[1]) == []
    constant("MAIN_BANK_IBAN", IBAN)
    constant("MAIN_BANK_BIC", "AGRIFRPP")
    record, pdf = document()
    assert len(pages_of(pdf)) == 1 and "Scan to pay" in text_of(pdf)
    (code,) = drawn_codes(pdf)
    told = ["BCD", "002", "1", "SCT", "AGRIFRPP", "Comptoir", IBAN, "EUR1200.00", "", "", record["ref"]]
    assert code.text == "\n".join(told)
    # With the four light modules around it, which lie on the sheet, it is 25 mm or more
    assert code.side * (1 + 8 / code.size) >= 25
    assert 20 < code.left < 195 - code.side and 90 < code.top < 270 - code.side
    for mode in (PRE, LIQ, CB, CHQ):
        assert drawn_codes(document(mode_reglement_id=mode)[1]) == []


def test_a_wrong_iban_that_was_stored_is_read_but_has_no_code(document, constant, monkeypatch):
    constant("MAIN_BANK_IBAN", IBAN)
    monkeypatch.setattr("modules.documents.payment.account.is_iban", lambda text: False)
    pdf = document()[1]
    assert "FR76 3000 6000 0112 3456 7890 189" in text_of(pdf)
    assert drawn_codes(pdf) == []


def test_the_link_is_read_clicked_and_scanned(admin, document, constant):
    constant("INVOICE_PAYMENT_LINK", "https://pay.example/{ref}?amount={remaintopay}&by={due_date}&for={ref_client}")
    record, pdf = document(ref_client="A&B/ü")
    address = f"https://pay.example/{record['ref']}?amount=1200.00&by=2026-12-03&for=A%26B%2F%C3%BC"
    assert links(pdf) == [address]
    assert address in text_of(pdf)
    (code,) = drawn_codes(pdf)
    assert code.text == address
    # Where there is an account the code is that of the transfer, and debits are not to be paid twice
    constant("MAIN_BANK_IBAN", IBAN)
    (code,) = drawn_codes(document()[1])
    assert code.text != address
    assert links(document(mode_reglement_id=PRE)[1]) == []


@pytest.mark.parametrize("iban, reference_kind", [(SWISS, "SCOR"), (QR_IBAN, "QRR")])
def test_a_swiss_slip_stands_at_the_foot_of_the_last_page(document, constant, swiss, iban, reference_kind):
    constant("MAIN_BANK_IBAN", iban)
    record, pdf = document("de_CH", socid=swiss, cond_reglement_id=2, mode_reglement_id=VIR)
    assert len(pages_of(pdf)) == 1
    (code,) = drawn_codes(pdf)
    # 67 mm from the left, 17 mm below the slip's edge, which is 105 mm above the sheet's
    assert (code.left, code.top, code.side) == (
        pytest.approx(67, abs=0.05),
        pytest.approx(209, abs=0.05),
        pytest.approx(46, abs=0.05),
    )
    number = "".join(filter(str.isdigit, record["ref"]))
    text = pages_of(pdf)[-1]
    for said in ("Empfangsschein", "Zahlteil", "Konto / Zahlbar an", "Vor der Einzahlung abzutrennen", "1 200.00"):
        assert said in text, text
    reference = invoice_reference(record["id"])
    assert reference in text.replace(" ", "")
    assert reference[:2] == "RF" if reference_kind == "SCOR" else reference[:14] == f"{number:0>14}"
    payload = [
        "SPC", "0200", "1", iban, "S", "Robert Schneider AG", "Rue du Lac", "1268", "2501", "Biel", "CH",
        "", "", "", "", "", "", "", "1200.00", "CHF",
        "S", "Pia Rutschmann", "Marktgasse", "28", "9400", "Rorschach", "CH", reference_kind, reference, record["ref"], "EPD",
    ]  # fmt: skip
    assert code.text == "\n".join(payload)


def test_a_swiss_slip_has_the_total_that_is_rounded_to_the_coin(admin, constant, swiss, validated):
    """33.35 + 17.15 + 8.80 = 59.30, VAT 2.70 + 0.67 per rate: 62.67, so 62.65."""
    constant("MAIN_BANK_IBAN", SWISS)
    constant("MAIN_ROUNDING_RULE_TOT", "0.05")
    constant("MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND", "1")
    lines = [("33.35", "8.1", 1), ("17.15", "2.6", 1), ("4.40", "2.6", 2)]
    bodies = [{"desc": "x", "subprice": price, "tva_tx": rate, "qty": qty} for price, rate, qty in lines]
    identifier = validated(*bodies, socid=swiss, mode_reglement_id=VIR)
    pdf = build(admin, identifier, "de_CH")
    record = admin.get(f"/invoices/{identifier}")
    text = text_of(pdf)
    assert "Rundung" in text and "-0.02" in text.replace("−", "-").replace("‑", "-"), text
    assert text.count("62.65") >= 2 and "62.67" not in text, text
    (code,) = drawn_codes(pdf)
    payload = [
        "SPC", "0200", "1", SWISS, "S", "Robert Schneider AG", "Rue du Lac", "1268", "2501", "Biel", "CH",
        "", "", "", "", "", "", "", "62.65", "CHF",
        "S", "Pia Rutschmann", "Marktgasse", "28", "9400", "Rorschach", "CH", "SCOR", invoice_reference(identifier),
        record["ref"], "EPD",
    ]  # fmt: skip
    assert code.text == "\n".join(payload)


def invoice_reference(identifier):
    """The payment reference (BT-83) of an invoice's XML."""
    xml = invoice_xml(invoices.read(int(identifier))).decode()
    return xml.partition("<ram:PaymentReference>")[2].partition("<")[0]


def test_pdfs_say_what_the_company_wants(admin, validated, constant):
    identifier = validated(LINE, date_lim_reglement=DAY + 12 * DAYS)
    record = invoices.read(identifier)

    # What the law wants stands there whatever the company says
    law = {language: Crabe(record, language).document().mentions for language in ("en_US", "fr_FR", "fr_CH")}

    def said(language):
        mentions = Crabe(record, language).document().mentions
        return [single_spaced(each) for each in mentions if each not in law[language]]

    constant("INVOICE_FREE_TEXT", "Ours: {ref}, {thirdparty.name}, {total_ttc} within {days} days. {company.name}")
    assert said("en_US") == [f"Ours: {record['ref']}, Customer Ltd, €1,200.00 within 12 days. Comptoir"]
    constant("INVOICE_FREE_TEXT_FR", "Le nôtre, {due_date}")
    constant("INVOICE_FREE_TEXT_FR_CH", "none")
    assert (said("fr_FR"), said("fr_CH")) == (["Le nôtre, 3 déc. 2026"], [])


def test_a_free_text_stands_on_the_page(admin, make, constant):
    invoice = make(LINE, ref_client="<b>PO</b> &amp; {date}")
    constant("INVOICE_FREE_TEXT", "Questions on {ref_client}? Ask & we answer.")
    assert "Questions on <b>PO</b> &amp; {date}? Ask & we answer." in text_of(build(admin, invoice))
    constant("INVOICE_FREE_TEXT", "<p>Our <b>terms</b>:</p><ul><li>{ref_client}</li></ul>")
    text = text_of(build(admin, invoice))
    assert "Our terms:" in text and "<b>PO</b> &amp; {date}" in text and "<li>" not in text


def test_drafts_bear_the_companys_word(admin, make, constant):
    draft = make(LINE)
    constant("INVOICE_DRAFT_WATERMARK", "SPECIMEN")
    text = text_of(build(admin, draft))
    assert "SPECIMEN" in text and "DRAFT" not in text
    constant("INVOICE_DRAFT_WATERMARK_DE", "none")
    text = text_of(build(admin, draft, "de_DE"))
    assert "SPECIMEN" not in text and "ENTWURF" not in text


def test_the_colour_is_the_companys(document, constant):
    def drawn(pdf):
        content = PdfReader(BytesIO(pdf)).pages[0].get_contents()
        assert content is not None
        return content.get_data().decode("latin-1")

    # 51, 102 and 153 of 255: 0.2, 0.4, 0.6
    assert ".2 .4 .6 rg" not in drawn(document()[1])
    constant("DOCUMENT_ACCENT_COLOUR", "#336699")
    assert ".2 .4 .6 rg" in drawn(document()[1])


@pytest.mark.parametrize(
    "name, value, said",
    [
        ("INVOICE_FREE_TEXT", "{ref.__class__}", "{ref.__class__}"),
        ("ORDER_FREE_TEXT_DE", "{total:>10}", "{total:>10}"),
        ("CONTRACT_FREE_TEXT", "{0}", "{0}"),
        ("INVOICE_DRAFT_WATERMARK", "x" * 61, "60 characters"),
        ("PROPOSAL_DRAFT_WATERMARK_FR", "a\nb", "one line"),
        ("DOCUMENT_ACCENT_COLOUR", "blue", "#1b3a5c"),
        ("INVOICE_PAYMENT_LINK", "javascript:alert(1)", "https://"),
        ("INVOICE_PAYMENT_LINK", "ftp://pay.example/{ref}", "https://"),
        ("INVOICE_PAYMENT_LINK", "https://{ref}.example/", "https://"),
        ("INVOICE_PAYMENT_LINK", "https://pay.example@evil.example/", "https://"),
        ("INVOICE_PAYMENT_LINK", "https://pay.example/ {ref}", "https://"),
        ("INVOICE_PAYMENT_LINK", "https://pay.example:99999/", "https://"),
        ("INVOICE_PAYMENT_LINK", "https://pay.example/{ref", "https://"),
        ("INVOICE_PAYMENT_LINK", "https://pay.example/{note_private}", "{note_private}"),
        ("INVOICE_PAYMENT_LINK", "https://pay.example/" + "x" * 500, "500"),
        ("MAIN_BANK_IBAN", "FR7630006000011234567890188", "IBAN"),
        ("MAIN_BANK_BIC", "AGRIFRP", "BIC"),
    ],
)
def test_what_no_pdf_could_use_is_refused(admin, name, value, said):
    message = admin.refused("PUT", f"/setup/conf/{name}", {"value": value}, status=400)
    assert name in message and said in message
    admin.get(f"/setup/conf/{name}", status=404)
