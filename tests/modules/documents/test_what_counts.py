"""Options and VAT that isn't charged: record and PDF have the same sums, in every kind of document and both profiles."""

from decimal import Decimal
from importlib import import_module

import pytest

from core.testing import constant, serving
from tests.modules.documents.pdf_text import text_of

TEMPLATES = {"proposals": "azur", "orders": "einstein", "invoices": "sponge"}
LINE = {"desc": "Desk", "qty": 1, "subprice": 100, "tva_tx": 20}
OPTION = {"desc": "Lamp", "qty": 2, "subprice": 50, "tva_tx": 20, "special_code": 3}
NOT_CHARGED = {"desc": "Rum", "qty": 1, "subprice": 100, "tva_tx": 20, "info_bits": 1}
HALF = {"desc": "Desk", "qty": 1, "subprice": 50, "tva_tx": 20}


@pytest.fixture(scope="module", params=["specification", "dolibarr16"])
def shop(request, tmp_path_factory):
    with serving(tmp_path_factory.mktemp("counts"), profile_name=request.param) as served:
        client = served.client()
        client.ask("PUT", "/setup/company", {"name": "Comptoir", "country_code": "FR", "tva_intra": "FR32123456782"})
        yield client


@pytest.fixture(params=TEMPLATES)
def made(request, shop):
    """``made(lines)``: totals of a new draft, its printed content, and the text of its PDF."""
    service = request.param
    name = TEMPLATES[service]
    template = getattr(import_module(f"modules.{service}.doctemplates.pdf_{name}"), name.title())

    def make(*lines):
        customer = shop.ask("POST", "/thirdparties", {"name": "Customer", "client": 1, "country_id": 1})
        number = shop.ask("POST", f"/{service}", {"socid": customer, "date": "2026-11-21", "lines": [*lines]})
        record = shop.get(f"/{service}/{number}")
        printing = template(template.documents.read(number), "en_US")
        document = printing.document()
        sums = tuple(Decimal(str(record[each])) for each in ("total_ht", "total_tva", "total_ttc"))
        return sums, document, text_of(printing.render(document))

    return make


def test_an_option_counts_as_any_other_line(made):
    sums, document, text = made(LINE, OPTION)
    assert sums == (200, 40, 240)
    assert document.taxes == [("20%", "200.00", "40.00")]
    assert [(each.kind, each.amount) for each in document.lines] == [("line", 100), ("line", 100)]
    assert "€240.00" in text and "Option" not in text
    # Without a quantity there is nothing to count
    sums, document, text = made(LINE, OPTION | {"qty": 0})
    assert sums == (100, 20, 120)
    assert document.taxes == [("20%", "100.00", "20.00")]
    assert [each.kind for each in document.lines] == ["line", "option"]
    assert "Option" in text


def test_vat_that_is_not_charged(made, shop):
    for per_rate in ("0", "1"):
        with constant(shop, "MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND", per_rate):
            sums, document, text = made(NOT_CHARGED, HALF)
            assert sums == (150, 10, 160)
            assert document.taxes == [("20%", "50.00", "10.00"), ("20% (VAT not charged)", "100.00", "0.00")]
            assert [text for _, text, _ in document.totals] == ["€150.00", "€10.00", "€160.00"]
            assert "VAT not charged" in document.lines[0].text and "VAT not charged" not in document.lines[1].text
            assert text.count("VAT not charged") == 2
            # 110.00 is agreed, and no VAT is in it
            sums, _, _ = made(NOT_CHARGED | {"subprice": 110, "price_base_type": "TTC"})
            assert sums == (110, 0, 110)
