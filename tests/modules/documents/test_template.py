"""What templates print of records: every figure, in every language, with what each kind of document says besides."""

import importlib
from decimal import Decimal

import pytest

from core import BadRequest
from core.testing import Served, make_settings
from modules.documents.template import Template
from tests.modules.documents.pdf_text import single_spaced, text_of

#: template → the service whose records it prints
SERVICES = {
    "azur": "proposals", "cyan": "proposals", "einstein": "orders", "eratosthene": "orders", "crabe": "invoices",
    "sponge": "invoices",
}  # fmt: skip
LANGUAGES = ("en_US", "fr_FR", "de_DE", "es_ES", "it_IT", "nl_NL", "pt_PT", "pl_PL")


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A server over SQLite with a company and its bank."""
    served = Served(make_settings(tmp_path_factory.mktemp("pages")))
    client = served.client()
    company = {
        "name": "Comptoir des Exemples", "address": "12 rue de la Démonstration", "zip": "69002", "town": "Lyon",
        "country_id": 1, "country_code": "FR", "idprof1": "123456782", "tva_intra": "FR32123456782", "capital": "10000",
        "currency_code": "EUR",
    }  # fmt: skip
    client.ask("PUT", "/setup/company", company)
    for name, value in (("MAIN_BANK_IBAN", "FR7630006000011234567890189"), ("MAIN_BANK_BIC", "AGRIFRPP")):
        constant(name, value)
    yield client
    served.close()


def constant(name, value):
    """Set a constant of the active server."""
    importlib.import_module("modules.setup.constants").set_constant(name, value)


def template(name):
    """A native template."""
    module = importlib.import_module(f"modules.{SERVICES[name]}.doctemplates.pdf_{name}")
    return getattr(module, name.title())


def text_by(made, record, language=""):
    """The text of the PDF that a template prints of a record."""
    printing = made(record, language)
    return text_of(printing.render(printing.document()))


def customer(shop, **fields):
    """A customer."""
    body = {"name": "Ateliers Réunis", "client": 1, "code_client": "auto", "address": "8 quai", "town": "Le Havre"}
    return shop.ask("POST", "/thirdparties", body | fields)


def document(shop, name, **fields):
    """The record of a new draft of the service that a template prints."""
    body = {"socid": fields.pop("socid", 0) or customer(shop), "date": "2026-11-21"} | fields
    identifier = shop.ask("POST", f"/{SERVICES[name]}", body)
    return template(name).documents.read(identifier)


@pytest.mark.parametrize("name", SERVICES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_template_speaks_every_language(shop, name, language):
    record = document(shop, name, lines=[{"desc": "Thing", "qty": 2, "subprice": "1234.5", "tva_tx": 20}])
    printing = template(name)(record, language)
    assert printing.words.language == language
    drawn = printing.document()
    text = text_of(printing.render(drawn))
    assert drawn.title in text
    assert all(label in text and amount in text for label, amount, _ in map(_spaced_row, drawn.totals))


def _spaced_row(row):
    return single_spaced(row[0]), single_spaced(row[1]), row[2]


def test_a_proposal_says_who_what_until_when_and_how_to_pay(shop):
    socid = customer(shop, tva_intra="FR40303265045", idprof1="303265045", country_id=1, zip="76600")
    record = document(
        shop, "azur", socid=socid, duree_validite=30, cond_reglement_id=2, mode_reglement_id=2,
        delivery_date="2026-12-04", lines=[{"desc": "Thing", "qty": 1, "subprice": 10, "tva_tx": 20}],
    )  # fmt: skip
    text = text_by(template("azur"), record, "fr_FR")
    for part in (
        "Proposition commerciale", "Comptoir des Exemples", "12 rue de la Démonstration", "69002 Lyon",
        "Ateliers Réunis", "76600 LE HAVRE", "Valable jusqu’au 21 déc. 2026", "Date de livraison 4 déc. 2026",
        "FR40303265045", "SIREN 303265045", "À 30 jours", "Virement bancaire", "FR76 3000 6000 0112 3456 7890 189",
        "AGRIFRPP", "Bon pour accord", "SIREN 123456782", "N° de TVA FR32123456782", "Page 1 sur 1", "BROUILLON",
        "Capital social : 10 000,00 €",
    ):  # fmt: skip
        assert part in text, part
    shop.ask("POST", f"/proposals/{record['id']}/validate", {})
    record = template("azur").documents.read(record["id"])
    assert "BROUILLON" not in text_by(template("azur"), record, "fr_FR")


def test_titles_head_their_lines_sum_them_and_options_count_nowhere(shop):
    lines = [
        {"desc": "Chapter one", "product_type": 9},
        {"desc": "First", "qty": 2, "subprice": "10.50", "tva_tx": 20},
        {"desc": "Second", "qty": 1, "subprice": "100.25", "tva_tx": 20},
        {"desc": "Chapter two", "product_type": 9},
        {"desc": "Perhaps", "qty": 0, "subprice": "77.70", "tva_tx": "5.5"},
        {"desc": "Third", "qty": 1, "subprice": "9.00", "tva_tx": 10},
    ]
    record = document(shop, "azur", lines=lines)
    printing = template("azur")(record, "en_US")
    drawn = printing.document()
    # 2 × 10.50 + 100.25 = 121.25
    assert [(line.kind, line.total) for line in drawn.lines if line.kind == "subtotal"] == [
        ("subtotal", "121.25"), ("subtotal", "9.00"),
    ]  # fmt: skip
    assert [rate for rate, _, _ in drawn.taxes] == ["10%", "20%"]
    text = text_of(printing.render(drawn))
    assert text.index("Chapter one") < text.index("First") < text.index("121.25") < text.index("Chapter two")
    assert "Option" in text and "77.70" in text


def test_units_products_and_periods_are_printed(shop):
    unit = next(row for row in shop.get("/setup/dictionary/units") if row["code"] == "P")
    product = shop.ask(
        "POST", "/products",
        {"ref": "KET-1", "label": "Kettle", "price": "12.34", "tva_tx": "20", "fk_unit": unit["rowid"] if "rowid" in unit else unit["id"]},
    )  # fmt: skip
    start, end = 1795219200, 1795305600  # 2026-11-21 and the day after
    lines = [{"fk_product": product, "qty": "1.5", "date_start": start, "date_end": end, "tva_tx": 20}]
    for name in SERVICES:
        text = text_by(template(name), document(shop, name, lines=lines), "de_DE")
        for part in ("KET-1", "Kettle", "1,5 Stk.", "Vom 21.11.2026 bis 22.11.2026"):
            assert part in text, (name, part)


def test_an_invoice_says_what_is_paid_and_what_remains(shop):
    record = document(shop, "crabe", lines=[{"desc": "Thing", "qty": 1, "subprice": 100, "tva_tx": 20}])
    shop.ask("POST", f"/invoices/{record['id']}/validate", {})
    record = template("crabe").documents.read(record["id"])
    assert "Remaining to pay" not in text_by(template("crabe"), record, "en_US")
    record |= {"totalpaid": "20.00000000", "totaldeposits": "30.00000000", "remaintopay": "70.00000000"}
    for name in ("crabe", "sponge"):
        text = text_by(template(name), record, "en_US")
        for part in ("Already paid €20.00", "Deposits €30.00", "Remaining to pay €70.00", "Due date"):
            assert part in text, part


@pytest.mark.parametrize("kind, title", [(0, "Rechnung"), (3, "Anzahlungsrechnung"), (4, "Proformarechnung")])
def test_an_invoice_is_called_what_it_is(shop, kind, title):
    record = document(shop, "crabe", type=kind, lines=[{"desc": "Thing", "qty": 1, "subprice": 100, "tva_tx": 20}])
    assert template("crabe")(record, "de_DE").document().title == title


def test_the_language_is_the_recipients_then_the_companys(shop):
    lines = [{"desc": "Thing", "qty": 1, "subprice": 100, "tva_tx": 20}]
    polish = document(shop, "azur", socid=customer(shop, default_lang="pl_PL"), lines=lines)
    none = document(shop, "azur", lines=lines)
    odd = document(shop, "azur", socid=customer(shop, default_lang="ja_JP"), lines=lines)
    assert template("azur")(polish).words.language == "pl_PL"
    assert template("azur")(polish, "it_IT").words.language == "it_IT"
    assert template("azur")(none).words.language == "en_US"
    constant("MAIN_LANG_DEFAULT", "nl_BE")
    try:
        assert template("azur")(none).words.language == "nl_BE"
        assert template("azur")(odd).words.language == "nl_BE"
    finally:
        constant("MAIN_LANG_DEFAULT", "")
    with pytest.raises(BadRequest, match="langcode"):
        template("azur")(none, "ja_JP")


def test_the_contact_with_the_role_is_addressed(shop):
    record = document(shop, "azur", lines=[{"desc": "Thing", "qty": 1, "subprice": 100, "tva_tx": 20}])
    contact = shop.ask("POST", "/contacts", {"lastname": "Nowak", "firstname": "Ada", "socid": record["socid"]})
    shop.ask("POST", f"/proposals/{record['id']}/contact/{contact}/CUSTOMER", {})
    drawn = template("azur")(template("azur").documents.read(record["id"]), "en_US").document()
    assert drawn.recipient.address[1] == "Attn. Ada Nowak"


def test_a_setting_carries_the_sum_of_what_counts_forward(shop):
    line = {"desc": "Thing", "qty": 1, "subprice": "99.99", "tva_tx": 20}
    option = line | {"special_code": 3}
    lines = [line, option, option | {"qty": 0}, {"desc": "Part two", "product_type": 9}]
    record = document(shop, "crabe", lines=lines)
    drawn = template("crabe")(record, "en_US").document()
    assert [each.amount for each in drawn.lines] == [Decimal("99.99"), Decimal("99.99"), None, None]
    assert not drawn.carried
    constant("DOCUMENT_CARRIED_FORWARD", "1")
    assert template("crabe")(record, "en_US").document().carried
    constant("DOCUMENT_CARRIED_FORWARD", "0")
    assert not template("crabe")(record, "en_US").document().carried


def test_an_outsiders_template_is_a_few_lines(shop):
    class Plain(Template):
        documents = template("einstein").documents
        title = "Waybill"

    record = document(shop, "einstein", lines=[{"desc": "Thing", "qty": 1, "subprice": 100, "tva_tx": 20}])
    text = text_by(Plain, record, "fr_FR")
    assert "Waybill" in text and "120,00 €" in text


def test_the_old_profile_prints_the_same(serve):
    client = serve(profile_name="dolibarr16").client()
    record = document(
        client, "azur", socid=customer(client), lines=[{"desc": "Thing", "qty": 2, "subprice": 100, "tva_tx": 20}]
    )
    text = text_by(template("azur"), record, "en_US")
    assert "€240.00" in text and "Nov 21, 2026" in text
