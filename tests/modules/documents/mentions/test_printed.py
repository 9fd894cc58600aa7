"""What the law of a country wants is read on the page of a company that has set everything."""

import pytest

from tests.modules.documents.mentions.opening import LINE, check, draft, keys, open_shop, words_of
from tests.modules.documents.mentions.shops import BELGIUM, BRITAIN, FRANCE, GERMANY, SHOPS, SWITZERLAND, Shop

UNTAXED = [LINE | {"tva_tx": 0}]
GERMAN = {"country_id": 5, "tva_intra": "DE123456789", "town": "Köln", "idprof1": None}
FRENCH = {"country_id": 1, "tva_intra": "FR32123456782", "town": "Lyon"}


@pytest.mark.parametrize("code", SHOPS)
def test_each_mention_is_read_on_an_invoice(admin, code):
    shop = SHOPS[code]
    with open_shop(admin, shop) as customer:
        identifier = draft(admin, customer)
        text = words_of(admin, identifier)
        checked = check(admin, identifier)
    assert [words for words in shop.wanted.values() if words not in text] == []
    assert [words for words in shop.absent if words in text] == []
    assert (checked["country"], checked["complete"], checked["missing"]) == (code, True, [])
    assert keys(checked["there"]) == shop.wanted.keys()


#: country, what is different → the rule, and what is read
SPECIAL = [
    (FRANCE, {"INVOICE_LATE_PAYMENT_RATE": "trois fois le taux d’intérêt légal"}, {}, "fr.late",
     "au taux de trois fois le taux d’intérêt légal sont"),
    # Code de commerce, art. L. 441-10, II: the rate where none was agreed
    (FRANCE, {"INVOICE_LATE_PAYMENT_RATE": ""}, {}, "fr.late",
     "à son opération de refinancement la plus récente, majoré de 10 points de pourcentage, sont exigibles"),
    (FRANCE, {"forme_juridique_code": "5710"}, {}, "fr.capital", "SAS au capital de 8 000,00 €"),
    (FRANCE, {"INVOICE_DISCOUNT_TERMS": "2 % sous 8 jours"}, {}, "fr.discount", "2 % sous 8 jours"),
    (FRANCE, {"forme_juridique_code": "13", "capital": None}, {}, "fr.form", "69002 Lyon · EI"),
    (FRANCE, {"forme_juridique_code": "13", "idprof4": "RM 69"}, {}, "fr.rm", "· RM 69 ·"),
    (FRANCE, {"MAIN_INFO_REGISTERED_OFFICE": "1 quai Nord, Lyon"}, {}, "fr.seat", "Siège social : 1 quai Nord, Lyon"),
    (FRANCE, {"tva_intra": None}, {"lines": UNTAXED}, "fr.franchise", "TVA non applicable, art. 293 B du CGI"),
    (FRANCE, {"customer": GERMAN}, {"lines": UNTAXED}, "fr.reverse", "Autoliquidation"),
    (FRANCE, {"customer": GERMAN}, {"lines": UNTAXED}, "fr.customer_vat", "DE123456789"),
    (GERMANY, {"MAIN_INFO_SMALL_BUSINESS": "1"}, {"lines": UNTAXED}, "de.small",
     "Steuerbefreiung für Kleinunternehmer gemäß § 19 UStG"),
    (GERMANY, {"MAIN_INFO_SMALL_BUSINESS": "1"}, {"lines": UNTAXED}, "de.exempt", "§ 19 UStG"),
    (GERMANY, {"customer": FRENCH}, {"lines": UNTAXED}, "de.reverse", "Steuerschuldnerschaft des Leistungsempfängers"),
    (GERMANY, {"customer": FRENCH}, {"lines": UNTAXED}, "de.customer_vat", "FR32123456782"),
    (GERMANY, {}, {"date_pointoftax": "2026-11-03"}, "de.supplied", "03.11.2026"),
    (GERMANY, {"forme_juridique_code": "501", "MAIN_INFO_SUPERVISORY_BOARD": "Eva Lund"}, {}, "de.board",
     "Vorstand: Anna Petersen, Jan Holm"),
    (GERMANY, {"forme_juridique_code": "501", "MAIN_INFO_SUPERVISORY_BOARD": "Eva Lund"}, {}, "de.supervisors",
     "Vorsitz des Aufsichtsrats: Eva Lund"),
    (GERMANY, {"tva_intra": None}, {}, "de.vat", "Steuernummer 27/123/00456"),
    (GERMANY, {"idprof3": "98765"}, {}, "de.register", "Amtsgericht Hamburg HRB 98765"),
    (BRITAIN, {}, {"date_pointoftax": "2026-11-03"}, "gb.tax_point", "3 Nov 2026"),
    (BELGIUM, {"customer": FRENCH}, {"lines": UNTAXED}, "be.reverse", "Btw verlegd"),
    (BELGIUM, {"customer": FRENCH}, {"lines": UNTAXED}, "be.customer_vat", "FR32123456782"),
    (BELGIUM, {"MAIN_INFO_SMALL_BUSINESS": "1"}, {"lines": UNTAXED}, "be.franchise",
     "Bijzondere vrijstellingsregeling kleine ondernemingen"),
    (BELGIUM, {"MAIN_INFO_REGISTERED_OFFICE": "Dok 3, Gent"}, {}, "be.seat", "Zetel: Dok 3, Gent"),
    (SWITZERLAND, {"MAIN_LANG_DEFAULT": "fr_CH"}, {}, "ch.vat", "IDE CHE-123.456.788 TVA"),
    (SWITZERLAND, {"tva_intra": None}, {"lines": UNTAXED}, "ch.uid", "UID CHE-123.456.788"),
    (SWITZERLAND, {"tva_intra": "CHE-123.456.788 IVA"}, {}, "ch.vat", "CHE-123.456.788 IVA"),
]  # fmt: skip


@pytest.mark.parametrize(
    "shop, settings, fields, key, words", SPECIAL, ids=lambda each: each if isinstance(each, str) else ""
)
def test_what_is_wanted_in_a_case(admin, shop, settings, fields, key, words):
    with open_shop(admin, shop, **settings) as customer:
        identifier = draft(admin, customer, **fields)
        assert key in keys(check(admin, identifier)["there"])
        assert words in words_of(admin, identifier)


def test_a_reverse_charge_within_britain_names_the_customers_number(admin):
    code = {"lines": [LINE | {"tva_tx": "0 (AE)"}]}
    with open_shop(admin, BRITAIN) as customer:
        identifier = draft(admin, customer, **code)
        checked = check(admin, identifier)
        assert keys(checked["missing"]) == {"gb.reverse_customer"}
        assert "Reverse charge" in words_of(admin, identifier)


def test_a_delivery_elsewhere_is_told(admin):
    with open_shop(admin, FRANCE) as customer:
        person = {"lastname": "Roy", "socid": customer, "address": "7 quai Sud", "zip": "13002", "town": "Marseille"}
        contact, identifier = admin.ask("POST", "/contacts", person), draft(admin, customer)
        assert "fr.delivery" not in keys(check(admin, identifier)["there"])
        admin.ask("POST", f"/invoices/{identifier}/contact/{contact}/SHIPPING", {})
        told = {each["key"]: each["sentence"] for each in check(admin, identifier)["there"]}
    assert "7 quai Sud, 13002 MARSEILLE" in told["fr.delivery"]


def test_private_customers_are_told_nothing_of_penalties(admin):
    with open_shop(admin, FRANCE, customer={"typent_id": 8}) as customer:
        text = words_of(admin, draft(admin, customer))
    assert "pénalités" not in text
    assert "40,00 €" not in text
    assert "escompte" not in text
    assert "Nature des opérations" in text


def test_a_credit_note_names_its_invoice_and_asks_for_no_penalties(admin):
    with open_shop(admin, FRANCE) as customer:
        first = draft(admin, customer)
        words_of(admin, first)
        lone, other = draft(admin, customer, type=2), draft(admin, customer, type=2, fk_facture_source=first)
        assert keys(check(admin, lone)["missing"]) == {"fr.corrected"}
        checked = check(admin, other)
        assert (checked["kind"], checked["complete"]) == ("credit note", True)
        assert not {"fr.late", "fr.indemnity", "fr.due", "fr.discount"} & keys(checked["there"])
        assert "pénalités" not in words_of(admin, other)


@pytest.mark.parametrize("kind", ("proposal", "order"))
def test_letters_say_who_the_company_is(admin, kind):
    with open_shop(admin, GERMANY) as customer:
        identifier = draft(admin, customer, f"{kind}s")
        text, checked = words_of(admin, identifier, kind), check(admin, identifier, kind)
    for words in ("Amtsgericht Hamburg HRB 98765", "Geschäftsführer: Anna Petersen, Jan Holm", "Sitz: Hamburg"):
        assert words in text
    assert {"de.form", "de.register", "de.directors", "de.seat"} <= keys(checked["there"])
    assert not {"de.vat", "de.customer", "de.supplied_today"} & keys(checked["there"])


def test_a_registration_number_that_is_the_vat_number_stands_once(admin):
    with open_shop(admin, GERMANY, idprof1="DE 123456789") as customer:
        text = words_of(admin, draft(admin, customer))
    assert text.count("USt-IdNr. DE") == 1
    with open_shop(admin, GERMANY, idprof1="DE987654321") as customer:
        assert words_of(admin, draft(admin, customer)).count("USt-IdNr. DE") == 2


def test_an_exemption_without_a_ground_is_told_by_the_check(admin):
    with open_shop(admin, GERMANY) as customer:
        checked = check(admin, draft(admin, customer, lines=UNTAXED))
        assert "de.exempt" not in keys(check(admin, draft(admin, customer))["there"])
    # Which is customary: the law is content with the notice that there is none
    assert checked["complete"]
    assert [(each["key"], each["missing"][0]["field"]) for each in checked["missing"]] == [
        ("de.exempt", "record.vat_reason")
    ]


def test_a_registered_office_tells_the_address(admin):
    # The line above the window names both in either case, the small print where no office is told
    for form, times in (("702", 1), ("706", 2)):
        with open_shop(admin, BRITAIN, forme_juridique_code=form) as customer:
            text = words_of(admin, draft(admin, customer))
        assert text.count("Harbour Tools Ltd · 8 Quay Street") == times


def test_nothing_of_a_long_small_print_is_cut_off(admin):
    managers = ", ".join(f"Anna Magdalena Petersen-Holm {number}" for number in range(20))
    with open_shop(admin, GERMANY, managers=managers) as customer:
        text = words_of(admin, draft(admin, customer))
    assert managers in text
    assert "Steuernummer 27/123/00456" in text


def test_a_country_without_rules_is_as_it_was(admin):
    poland = Shop("PL", "pl_PL", {"name": "Dom", "idprof1": "525", "capital": "100"}, {}, {"name": "A"}, {})
    with open_shop(admin, poland) as customer:
        identifier = draft(admin, customer)
        assert check(admin, identifier) == {
            "country": "PL", "kind": "invoice", "complete": True, "summary": "nothing is missing", "missing": [],
            "there": [],
        }  # fmt: skip
        assert "NIP 525" in words_of(admin, identifier)
