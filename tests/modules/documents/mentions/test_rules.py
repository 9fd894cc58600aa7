"""Each rule by itself: it applies, it is complete, and it misses each of its fields when nobody has set it."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from modules.documents.mentions import case as case_file
from modules.documents.mentions import company_values
from modules.documents.mentions import constants as constants_file
from modules.documents.mentions.case import Case
from modules.documents.mentions.countries import NATIVE
from modules.documents.mentions.legal_forms import legal_form
from modules.documents.mentions.rule import CREDIT_NOTE, FIELD, INVOICE, INVOICES, ORDER, PROFORMA, PROPOSAL, Rule
from modules.documents.papers import vat_reasons as vat_reasons_file
from modules.documents.papers.paper import Party
from tests.modules.documents.mentions.opening import FIELDS
from tests.modules.documents.native_texts import LANGUAGES, native_language, native_texts

RULES = [pytest.param(country, rule, id=rule.key) for country, rules in NATIVE.items() for rule in rules]
#: 2026-11-21, in seconds
DAY = 1795219200
#: where a customer of a third country lives, in the dictionary
COUNTRIES = {1: "FR", 5: "DE"}
OWN = {name: f"Our {name}" for name in (*FIELDS, "country_code")}
LINE = {"label": "A", "product_type": 1, "tva_tx": "20", "vat_src_code": "", "special_code": 0, "total_ht": "1000"}
RECORD = {
    "id": 7, "type": 0, "date": DAY, "date_lim_reglement": DAY, "date_pointoftax": None, "total_ht": "1000",
    "total_tva": "200", "total_ttc": "1200", "fk_facture_source": 3, "lines": [LINE],
}  # fmt: skip
CUSTOMER = {
    "name": "A", "address": "B", "town": "C", "country_id": None, "tva_intra": "FR1", "idprof1": "1", "idprof2": "2",
    "typent_id": 3,
}  # fmt: skip
CONSTANTS = {
    "INVOICE_LATE_PAYMENT_RATE": "10", "MAIN_INFO_REGISTER_PLACE": "Here", "MAIN_BANK_IBAN": "BE71096123456769",
    "MAIN_INFO_SUPERVISORY_BOARD": "Eva Lund", "MAIN_INFO_REGISTERED_OFFICE": "There", "INVOICE_VAT_ON_DEBITS": "1",
}  # fmt: skip
UNTAXED = {"lines": [LINE | {"tva_tx": "0"}], "total_tva": "0"}
CODED = {"lines": [LINE | {"tva_tx": "0", "vat_src_code": "AE"}], "total_tva": "0"}

#: the legal form of each country's company
FORMS = {"FR": "54", "DE": "500", "GB": "702", "CH": "604", "BE": "221", "US": "LLC"}
#: rule → how its case differs: fields of company, record, customer, and constants
CASES: dict[str, dict[str, dict[str, Any]]] = {
    "fr.form": {"own": {"forme_juridique_code": "13"}},
    "fr.rm": {"own": {"forme_juridique_code": "13"}},
    "fr.franchise": {"own": {"tva_intra": ""}, "record": UNTAXED},
    "fr.reverse": {"record": CODED}, "de.reverse": {"record": CODED}, "gb.reverse": {"record": CODED},
    "be.reverse": {"record": CODED}, "gb.reverse_customer": {"record": CODED},
    "fr.customer_vat": {"record": UNTAXED, "customer": {"country_id": 5}},
    "de.customer_vat": {"record": UNTAXED, "customer": {"country_id": 1}},
    "be.customer_vat": {"record": UNTAXED, "customer": {"country_id": 1}},
    "de.board": {"own": {"forme_juridique_code": "501"}}, "de.supervisors": {"own": {"forme_juridique_code": "501"}},
    "de.supplied": {"record": {"date_pointoftax": DAY}},
    "de.small": {"record": UNTAXED, "constants": {"MAIN_INFO_SMALL_BUSINESS": "1"}},
    "be.franchise": {"record": UNTAXED, "constants": {"MAIN_INFO_SMALL_BUSINESS": "1"}},
    "ch.uid": {"own": {"tva_intra": ""}},
    "de.exempt": {"record": UNTAXED, "constants": {"MAIN_INFO_SMALL_BUSINESS": "1"}},
}  # fmt: skip
#: rules whose own field decides whether they apply: without it nothing is missing, or another rule says so
DECIDES = {"fr.form", "fr.seat", "be.seat", "fr.rm", "de.tax_number", "ch.register", "fr.delivery", "de.supplied"}
#: fields without which a rule has nothing to look at
NEVER_EMPTY = {"record.tax", "law.indemnity", "record.vat_reason"}


@pytest.fixture
def constants(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """The constants that are set, without a server."""
    known = dict(CONSTANTS)
    for file in (case_file, constants_file, vat_reasons_file):
        monkeypatch.setattr(file, "constant", lambda name, default="": known.get(name, default))
    for file in (case_file, company_values):
        monkeypatch.setattr(file, "currency", lambda: "EUR")
    monkeypatch.setattr(case_file, "country_code", COUNTRIES.get)
    yield known


def make_case(country: str, rule: Rule, constants: dict[str, str], missing: tuple[str, ...] = ()) -> Case:
    """A case that the rule is about.

    :param missing: the fields that nobody has set
    """
    differs = CASES.get(rule.key, {})
    constants.clear()
    constants.update({**CONSTANTS, **differs.get("constants", {})})
    own = {**OWN, "country_code": country, "forme_juridique_code": FORMS[country], **differs.get("own", {})}
    record: dict[str, Any] = {**RECORD, **differs.get("record", {})}
    customer = {**CUSTOMER, **differs.get("customer", {})}
    address = ["Elsewhere"]
    for name in missing:
        group, _, field = name.rpartition(".")
        if not group:
            constants.pop(name, None)
        elif name == "record.delivery":
            address = []
        elif group == "record":
            made_of = {"nature": "lines", "rates": "lines", "supply": "date_pointoftax"}
            record[made_of.get(field, field)] = None
        else:
            {"company": own, "thirdparty": customer}[group][field] = None
    kind = rule.kinds[0] if rule.kinds else INVOICE
    delivery = Party(address) if address else None
    return Case(own, native_language("en_US"), kind, record, SimpleNamespace(**customer), lambda: delivery)


@pytest.mark.parametrize("country, rule", RULES)
def test_a_rule_misses_each_field_that_is_not_set(country: str, rule: Rule, constants: dict[str, str]) -> None:
    case = make_case(country, rule, constants)
    assert rule.applies(case)
    assert rule.missing(case) == []
    assert bool(rule.printed(case)) is (rule.place != "page")
    for need in rule.wanted:
        names = tuple(need.split("|"))
        if NEVER_EMPTY & set(names):
            continue
        lacking = make_case(country, rule, constants, names)
        assert rule.applies(lacking) is (rule.key not in DECIDES)
        assert names[0] in rule.missing(lacking)


@pytest.mark.parametrize("country, rule", RULES)
def test_a_rule_names_its_source(country: str, rule: Rule) -> None:
    assert rule.key.startswith(f"{country.lower()}.")
    # What is mandatory stands in a statute, with the number of its article
    assert (any(letter.isdigit() for letter in rule.source)) if rule.must else rule.source.startswith("custom")
    assert set(rule.kinds) <= {*INVOICES, PROFORMA, PROPOSAL, ORDER}


def test_keys_exist_once_and_nothing_is_tested_of_rules_that_are_gone() -> None:
    keys = [rule.key for rules in NATIVE.values() for rule in rules]
    assert len(keys) == len(set(keys))
    assert {*CASES, *DECIDES} <= set(keys)


def test_sentences_are_translated_with_their_fields() -> None:
    said = {
        sentence
        for rules in NATIVE.values()
        for rule in rules
        if not rule.verbatim
        for sentence in rule.sentences
        # The company's own words
        if FIELD.sub("", sentence).strip()
    }
    assert {sentence for sentence in said if ("", sentence) not in native_texts("en")} == set()
    for language in LANGUAGES:
        texts = native_texts(language)
        for sentence in said:
            assert sorted(FIELD.findall(texts["", sentence])) == sorted(FIELD.findall(sentence)), language


@pytest.mark.parametrize(
    "value, printed",
    [
        ("RCS Lyon 123 456 782", "RCS Lyon 123 456 782"), ("Lyon 123 123 456", "RCS Lyon 123 123 456"),
        ("R.C.S. Lyon", "RCS Lyon 123 456 782"), ("rcs Lyon", "RCS Lyon 123 456 782"), ("RM 69", "RM 69"), ("", ""),
    ],
)  # fmt: skip
def test_the_register_is_named_once(value: str, printed: str, constants: dict[str, str]) -> None:
    own = {"country_code": "FR", "idprof1": "123 456 782", "idprof4": value}
    assert Case(own, native_language("fr_FR")).text("company.idprof4") == printed


@pytest.mark.parametrize(
    "country, fields, name",
    [
        ("FR", {"forme_juridique_code": "54"}, "SARL"), ("FR", {"forme_juridique_code": "S.A.R.L."}, "SARL"),
        ("FR", {"forme_juridique_code": "Coopérative libre"}, "Coopérative libre"), ("FR", {"forme_juridique_code": "99999"}, None),
        ("DE", {"name": "Nord GmbH & Co. KG"}, "GmbH & Co. KG"), ("DE", {"name": "Nord GmbH"}, "GmbH"),
        ("DE", {"name": "GmbH"}, None), ("GB", {"name": "Harbour Tools Limited"}, "Limited"), ("FR", {}, None),
        # The codes of the statistics office
        ("FR", {"forme_juridique_code": "5710"}, "SAS"), ("FR", {"forme_juridique_code": "5720"}, "SASU"),
        ("FR", {"forme_juridique_code": "5499"}, "SARL"), ("FR", {"forme_juridique_code": "5599"}, "SA"),
        ("FR", {"forme_juridique_code": "1000"}, "EI"), ("FR", {"forme_juridique_code": "6540"}, "SCI"),
        ("XX", {"forme_juridique_code": "54"}, None),
    ],
)  # fmt: skip
def test_legal_forms(country: str, fields: dict[str, str], name: str | None) -> None:
    form = legal_form({"country_code": country, **fields})
    assert (form.name if form else None) == name


def test_a_form_in_words_of_ones_own_is_what_it_says() -> None:
    form = legal_form({"country_code": "FR", "forme_juridique_code": "SARL unipersonnelle"})
    assert form is not None
    assert (form.name, form.capital, form.registered) == ("SARL unipersonnelle", True, True)


def test_a_credit_note_is_a_paper_of_its_own() -> None:
    assert case_file.kind_of("Invoice", {"type": "2"}) == CREDIT_NOTE
    assert case_file.kind_of("Invoice", {"type": 4}) == "proforma"
    assert case_file.kind_of("Invoice", {}) == INVOICE
    assert case_file.kind_of("Order", {"type": 2}) == ORDER
