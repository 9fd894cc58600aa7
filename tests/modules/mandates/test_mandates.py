"""Mandates to debit a third party's account: PDFs among its documents."""

import base64

import pytest

from core.testing import constant
from tests.modules.banks.banks import add, new_debtor
from tests.modules.documents.pdf_text import text_of, without_spaces

CREDITOR = "FR72ZZZ123456"


@pytest.fixture
def debtor(admin):
    return new_debtor(admin)


@pytest.fixture(scope="module")
def creditor(admin):
    """The company, with its identifier."""
    admin.ask("PUT", "/setup/company", {"name": "Creditor & Sons", "country_code": "FR", "town": "Paris"})
    with constant(admin, "PRELEVEMENT_ICS", "FR72 ZZZ 123456"):
        yield


def mandate(admin, debtor, name):
    """What a mandate that was made says."""
    fetched = admin.get("/documents/download", modulepart="thirdparty", original_file=f"{debtor}/{name}")
    return " ".join(text_of(base64.b64decode(fetched["content"])).split())


@pytest.mark.usefixtures("creditor")
def test_a_mandate_is_a_pdf_of_the_third_party(admin, debtor):
    account = add(admin, debtor, bic="COBADEFF", frstrecur="RCUR", rum=f"MANDATE-{debtor}")
    path = f"/thirdparties/{debtor}/generateBankAccountDocument"
    assert admin.get(f"{path}/{account['id']}/sepamandate") == {"success": 1}
    (file,) = admin.get("/documents", modulepart="thirdparty", id=debtor)
    assert file["name"] == f"sepamandate-MANDATE-{debtor}.pdf"
    said = mandate(admin, debtor, file["name"])
    for text in (
        "SEPA direct debit mandate", f"MANDATE-{debtor}", CREDITOR, "Creditor & Sons", "Debtor ", "1 rue Longue",
        "DE89 3704 0044 0532 0130 00", "COBADEFF", "Recurrent payments", "Place, date and signature", "eight weeks",
    ):  # fmt: skip
        assert text in said
    (noted,) = admin.get(f"/thirdparties/{debtor}/bankaccounts")
    assert noted["last_main_doc"] == f"societe/{debtor}/{file['name']}"
    # Again, of the default account, by POST: it takes the place of the first
    assert admin.ask("POST", path) == {"success": 1}
    assert admin.ask("POST", f"{path}/{account['id']}") == {"success": 1}
    assert len(admin.get("/documents", modulepart="thirdparty", id=debtor)) == 1


@pytest.mark.usefixtures("creditor")
@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("de_DE", "SEPA-Lastschriftmandat"), ("fr_FR", "Mandat de prélèvement SEPA"), ("nl_NL", "SEPA-incassomachtiging"),
        ("es_ES", "Orden de domiciliación de adeudo directo SEPA"), ("it_IT", "Mandato per addebito diretto SEPA"),
        ("pl_PL", "Zgoda na polecenie zapłaty SEPA"), ("pt_PT", "Autorização de débito direto SEPA"),
    ],
)  # fmt: skip
def test_a_mandate_speaks_the_third_party_s_language(admin, debtor, language, title):
    admin.ask("PUT", f"/thirdparties/{debtor}", {"default_lang": language})
    # The scheme permits 35 characters
    reference = f"{debtor:035}"
    add(admin, debtor, rum=reference)
    admin.get(f"/thirdparties/{debtor}/generateBankAccountDocument")
    said = mandate(admin, debtor, f"sepamandate-{reference}.pdf")
    assert title in said and reference in without_spaces(said)
    assert "account" not in said
    # No label is cut
    assert "…" not in said


@pytest.mark.usefixtures("creditor")
def test_mandates_that_are_refused(admin, debtor):
    path = f"/thirdparties/{debtor}/generateBankAccountDocument"
    admin.refused("GET", path, status=404)
    add(admin, debtor)
    admin.refused("POST", path, {"langcode": "xx_XX"}, status=400)
    empty = add(admin, debtor, iban="")["id"]
    assert "IBAN" in admin.refused("GET", f"{path}/{empty}/sepamandate", status=405)
    assert admin.get("/documents", modulepart="thirdparty", id=debtor) == []


def test_a_mandate_needs_the_creditor_s_identifier(admin, debtor):
    add(admin, debtor)
    body = {"value": "FR73ZZZ123456"}
    assert "check digits" in admin.refused("PUT", "/setup/conf/PRELEVEMENT_ICS", body, status=400)
    with constant(admin, "PRELEVEMENT_ICS", ""):
        said = admin.refused("GET", f"/thirdparties/{debtor}/generateBankAccountDocument", status=405)
    assert "PRELEVEMENT_ICS" in said
