"""What cannot be an electronic invoice, and what of it is named."""

import pytest

from tests.modules.invoices.facturx.electronic import (
    GERMANY,
    LINE,
    refusal,
)


def test_all_that_is_missing_is_named(admin, make, constant):
    nobody = admin.ask("POST", "/thirdparties", {"name": "Nobody", "client": 1})
    identifier = make(LINE, {"qty": 1, "subprice": 1, "tva_tx": 20}, socid=nobody)
    for name in (
        "MAIN_INFO_SOCIETE_NOM", "MAIN_INFO_SOCIETE_COUNTRY", "MAIN_INFO_TVAINTRA", "MAIN_INFO_SIREN",
        "MAIN_INFO_SIRET", "MAIN_BANK_IBAN",
    ):  # fmt: skip
        constant(name, "")
    error = refusal(identifier)
    assert {field for field, _ in error.errors} == {
        "company.name", "company.country_code", "company.tva_intra", "thirdparty.country_id", "lines[1].desc",
        "MAIN_BANK_IBAN",
    }  # fmt: skip
    for word in ("company's name", "company's country", "VAT number", "third party's country", "line 2", "IBAN"):
        assert word in str(error)


@pytest.mark.parametrize(
    ("country", "number", "line", "field"),
    [
        (GERMANY, "", {"tva_tx": "0 (K)"}, "thirdparty.tva_intra"),
        (GERMANY, "", {"tva_tx": "0 (AE)"}, "thirdparty.idprof1"),
        (None, "", {"tva_tx": 20}, "thirdparty.country_id"),
    ],
)
def test_what_a_category_demands_of_the_buyer(admin, make, country, number, line, field):
    buyer = admin.ask("POST", "/thirdparties", {"name": "Buyer", "client": 1, "country_id": country})
    error = refusal(make({"desc": "x", "qty": 1, "subprice": 1, **line}, socid=buyer))
    assert [each for each, _ in error.errors] == [field]


def test_an_export_demands_the_own_vat_number(admin, make, constant):
    constant("MAIN_INFO_TVAINTRA", "")
    error = refusal(make({"desc": "x", "qty": 1, "subprice": 1, "tva_tx": "0 (G)"}))
    assert [each for each, _ in error.errors] == ["company.tva_intra"]


def test_what_the_norm_has_no_words_for(make, constant):
    mixed = make(LINE, {"desc": "x", "qty": 1, "subprice": 1, "tva_tx": "0 (O)"})
    assert "not subject" in str(refusal(mixed))
    constant("MAIN_MAX_DECIMALS_TOT", "3")
    assert "1.005" in str(refusal(make({"desc": "x", "qty": 1, "subprice": "1.005"})))
    constant("MAIN_MAX_DECIMALS_TOT", "2")
    # Spain, IRPF: 4:ES:Spain
    constant("MAIN_INFO_SOCIETE_COUNTRY", "4:ES:Spain")
    taxed = make({"desc": "x", "qty": 1, "subprice": 100, "tva_tx": 21, "localtax1_tx": "5.2"})
    assert "local taxes" in str(refusal(taxed))


def test_what_cannot_be_an_electronic_invoice_gets_no_number(admin, make, constant):
    constant("INVOICE_FACTURX", "1")
    constant("MAIN_BANK_IBAN", "")
    before = admin.get(f"/invoices/{make(LINE, mode_reglement_id=4)}")["ref"]
    countryless = admin.ask("POST", "/thirdparties", {"name": "Without a country", "client": 1})
    draft = make(LINE, {"desc": "x", "qty": 1, "subprice": 1, "tva_tx": "0 (O)"}, socid=countryless, draft=True)
    said = admin.refused("POST", f"/invoices/{draft}/validate", status=405)
    for reason in ("third party's country", "MAIN_BANK_IBAN", "can't be mixed"):
        assert reason in said
    assert admin.get(f"/invoices/{draft}")["ref"] == f"(PROV{draft})"
    # The next one has the next number
    after = admin.get(f"/invoices/{make(LINE, mode_reglement_id=4)}")["ref"]
    assert int(after[-4:]) == int(before[-4:]) + 1
