"""The PDF of an invoice as it was issued, and the one that says what is owed now; each with its XML."""

import errno
import os
import re
from base64 import b64decode, b64encode
from decimal import Decimal
from io import BytesIO
from urllib.parse import urljoin

import pytest
from facturx import xml_check_xsd
from pypdf import PdfReader

from tests.modules.documents.pdf_text import text_of
from tests.modules.invoices.facturx.electronic import HEAD, MEANS, SUMS, Xml
from tests.modules.invoices.invoices import act, pay, read

#: 100.00 and 19 % are 119.00
LINE = {"desc": "Desk", "qty": 1, "subprice": "100", "tva_tx": 19}


def stored(admin, identifier, suffix=""):
    """The bytes of a PDF in the store."""
    ref = read(admin, identifier)["ref"]
    path = {"modulepart": "invoice", "original_file": f"{ref}/{ref}{suffix}.pdf"}
    return b64decode(admin.get("/documents/download", **path)["content"])


def owed(pdf):
    """The amount that the XML in a PDF asks for."""
    ((xml,),) = PdfReader(BytesIO(pdf)).attachments.values()
    return Xml(xml).one(f"{SUMS}/ram:DuePayableAmount")


@pytest.fixture
def issued(admin, make, constant):
    """A validated invoice over 119.00 with its e-invoice."""
    constant("INVOICE_FACTURX", "1")
    return make(LINE)


def names(admin, identifier):
    return [each["name"] for each in admin.get("/documents", modulepart="invoice", id=identifier)]


def credit(admin, make, issued, socid):
    note = make({**LINE, "subprice": "-25.966"}, type=2, fk_facture_source=issued)
    act(admin, note, "markAsCreditAvailable")
    discount = admin.get(f"/invoices/{note}/discount")["id"]
    act(admin, issued, f"usecreditnote/{discount}")


def test_the_issued_pdf_stays_and_the_present_one_says_what_is_left(admin, issued):
    first = stored(admin, issued)
    assert stored(admin, issued, "-issued") == first
    assert owed(first) == "119.00"
    pay(admin, issued, {"amount": "19"})
    assert owed(stored(admin, issued)) == "100.00"
    assert "Remaining to pay €100.00" in text_of(stored(admin, issued))
    pay(admin, issued, {"amount": "100"})
    assert owed(stored(admin, issued)) == "0.00"
    assert admin.simulate_get(f"/invoices/{issued}/pdf").content == stored(admin, issued)
    assert stored(admin, issued, "-issued") == first


def test_the_link_of_each_answer_with_the_pdf_leads_to_the_issued_one(admin, make, issued):
    draft = make(LINE, draft=True)
    assert "link" not in admin.simulate_get(f"/invoices/{draft}/pdf").headers
    admin.refused("GET", f"/invoices/{draft}/pdf/issued", status=404)
    links = {f"/invoices/{draft}/validate": admin.simulate_post(f"/invoices/{draft}/validate", json={})}
    pay(admin, draft, {"amount": "19"})
    links[f"/invoices/{draft}/pdf"] = admin.simulate_get(f"/invoices/{draft}/pdf")
    ref = read(admin, draft)["ref"]
    body = {"modulepart": "invoice", "original_file": f"{ref}/{ref}.pdf"}
    links["/documents/builddoc"] = admin.simulate_put("/documents/builddoc", json=body)
    for path, answer in links.items():
        target = re.fullmatch(r'<(.+)>; rel="alternate"; type="application/pdf"', answer.headers["link"])[1]
        found = admin.simulate_get(urljoin(path, target))
        assert found.content == stored(admin, draft, "-issued")
        assert (found.headers["content-type"], owed(found.content)) == ("application/pdf", "119.00")
    act(admin, issued, "settodraft")
    act(admin, issued, "validate")
    assert admin.simulate_get(f"/invoices/{issued}/pdf/issued").content == stored(admin, issued, "-issued-2")


def test_a_used_credit_note_is_deducted(admin, make, issued):
    credit(admin, make, issued, read(admin, issued)["socid"])
    # 119.00 - 30.90
    assert Decimal(read(admin, issued)["remaintopay"]) == Decimal("88.10")
    assert owed(stored(admin, issued)) == "88.10"
    assert owed(stored(admin, issued, "-issued")) == "119.00"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"date_lim_reglement": "2027-03-09"}, "Mar 9, 2027"),
        ({"note_public": "Ring twice"}, "Ring twice"),
        ({"mode_reglement_id": 4}, "Payment method Cash"),
    ],
    ids=["due date", "note", "payment mode"],
)
def test_a_change_after_validation_is_printed(admin, issued, body, text):
    assert text not in text_of(stored(admin, issued))
    admin.ask("PUT", f"/invoices/{issued}", body)
    assert text in text_of(stored(admin, issued))
    assert text not in text_of(stored(admin, issued, "-issued"))


def test_a_pdf_that_could_not_be_stored_is_made_for_the_response(server, admin, issued, monkeypatch):
    def fail(handle):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as failing:
        failing.setattr(os, "fsync", fail)
        pay(admin, issued, {"amount": "19"})
    assert owed(stored(admin, issued)) == "119.00"
    assert owed(admin.simulate_get(f"/invoices/{issued}/pdf").content) == "100.00"
    assert owed(stored(admin, issued)) == "119.00"
    server.run_jobs()
    assert owed(stored(admin, issued)) == "100.00"


def test_a_failure_of_the_xml_leaves_a_pdf_and_a_job(server, admin, make, constant, monkeypatch):
    constant("INVOICE_FACTURX", "1")
    draft = make(LINE, draft=True)
    with monkeypatch.context() as failing:
        failing.setattr("modules.invoices.template.invoice_xml", lambda *_: 1 / 0)
        answer = admin.simulate_post(f"/invoices/{draft}/validate", json={})
        assert (answer.status_code, "the template crabe failed" in answer.headers["warning"]) == (200, True)
        assert "Invoice" in text_of(stored(admin, draft))
        assert PdfReader(BytesIO(stored(admin, draft))).attachments == {}
        assert admin.simulate_get(f"/invoices/{draft}/pdf").content[:5] == b"%PDF-"
    server.run_jobs()
    assert owed(stored(admin, draft)) == owed(stored(admin, draft, "-issued")) == "119.00"


def test_a_draft_is_never_kept_as_issued(server, admin, make, constant, monkeypatch):
    constant("INVOICE_FACTURX", "1")
    draft = make(LINE, draft=True)
    with monkeypatch.context() as failing:
        failing.setattr("modules.invoices.template.invoice_xml", lambda *_: 1 / 0)
        act(admin, draft, "validate")
    act(admin, draft, "settodraft")
    server.run_jobs()
    ref = read(admin, draft)["ref"]
    assert names(admin, draft) == [f"{ref}.pdf"]
    act(admin, draft, "validate")
    server.run_jobs()
    assert names(admin, draft) == [f"{ref}.pdf", f"{ref}-issued.pdf"]


def test_the_name_of_an_issued_pdf_is_reserved(admin, make):
    ref = read(admin, make(LINE))["ref"]
    for name in (f"{ref}-issued-2.pdf", f"{ref}-ISSUED-3.PDF"):
        body = {"filename": name, "modulepart": "invoice", "ref": ref, "filecontent": "x"}
        admin.refused("POST", "/documents/upload", {**body, "filecontent": "%PDF-1.4"}, status=405)


def test_an_issued_pdf_is_neither_deleted_nor_replaced(admin, issued):
    ref = read(admin, issued)["ref"]
    name = f"{ref}-issued.pdf"
    path = f"/documents?modulepart=invoice&original_file={ref}/{name}"
    assert "is the invoice as it was issued" in admin.refused("DELETE", path, status=405)
    body = {
        "filename": name, "modulepart": "invoice", "ref": ref, "overwriteifexists": 1, "fileencoding": "base64",
        "filecontent": b64encode(b"%PDF-1.4 of theirs").decode(),
    }  # fmt: skip
    admin.refused("POST", "/documents/upload", body, status=405)
    assert owed(stored(admin, issued, "-issued")) == "119.00"


def test_each_validation_has_its_pdf(admin, issued):
    ref, first = read(admin, issued)["ref"], stored(admin, issued, "-issued")
    act(admin, issued, "settodraft")
    admin.ask("POST", f"/invoices/{issued}/lines", {**LINE, "subprice": "10"})
    act(admin, issued, "validate")
    assert read(admin, issued)["ref"] == ref
    assert sorted(names(admin, issued)) == [f"{ref}-issued-2.pdf", f"{ref}-issued.pdf", f"{ref}.pdf"]
    assert stored(admin, issued, "-issued") == first
    # 130.90 = 119.00 + 11.90
    assert owed(stored(admin, issued, "-issued-2")) == owed(stored(admin, issued)) == "130.90"


def test_a_direct_debit_names_mandate_creditor_and_account(admin, make, constant, customer):
    constant("INVOICE_FACTURX", "1")
    constant("PRELEVEMENT_ICS", "FR72ZZZ123456")
    account = {"iban": "DE89 3704 0044 0532 0130 00", "rum": "M-2611", "label": "Bank"}
    admin.ask("POST", f"/thirdparties/{customer}/bankaccounts", account)
    invoice = make(LINE, mode_reglement_id=3)
    text = text_of(stored(admin, invoice))
    assert "Mandate reference M-2611 Creditor identifier FR72ZZZ123456" in text
    assert "Debited account DE89 3704 0044 0532 0130 00" in text
    # The account of the seller is for transfers
    assert "FR76 3000" not in text
    ((xml,),) = PdfReader(BytesIO(stored(admin, invoice))).attachments.values()
    assert xml_check_xsd(xml, flavor="factur-x", level="en16931")
    found = Xml(xml)
    assert found.one(f"{HEAD}/ram:CreditorReferenceID") == "FR72ZZZ123456"
    assert found.one(f"{HEAD}/ram:SpecifiedTradePaymentTerms/ram:DirectDebitMandateID") == "M-2611"
    assert found.one(f"{MEANS}/ram:TypeCode") == "59"
    assert found.one(f"{MEANS}/ram:PayerPartyDebtorFinancialAccount/ram:IBANID") == "DE89370400440532013000"


@pytest.mark.parametrize(("mode", "printed"), [(0, True), (2, True), (4, False), (6, False), (7, False), (3, False)])
def test_the_account_of_the_seller_is_printed_for_transfers_only(admin, make, mode, printed):
    text = text_of(stored(admin, make(LINE, mode_reglement_id=mode)))
    assert ("IBAN FR76 3000 6000 0112 3456 7890 189" in text) == printed
