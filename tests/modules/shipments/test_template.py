"""The PDF of a shipment."""

import base64
from decimal import Decimal

import pytest

from modules.documents.content.language import choose_language
from modules.shipments.template import weight_of
from tests.modules.documents.pdf_text import text_of

TITLES = {
    "en_US": "Delivery note", "fr_FR": "Bon de livraison", "de_DE": "Lieferschein", "es_ES": "Albarán",
    "it_IT": "Documento di trasporto", "nl_NL": "Pakbon", "pt_PT": "Guia de remessa", "pl_PL": "Dowód dostawy",
}  # fmt: skip


@pytest.fixture(scope="module")
def shipped(yard):
    """A shipment of five lamps of 1.25 kg, and its reference."""
    yard.client.ask("PATCH", f"/products/{yard.lamp}", {"weight": "1250", "weight_units": -3})
    order = yard.order(
        {"fk_product": yard.lamp, "qty": 5, "subprice": "77.77"}, {"desc": "Fitting", "product_type": 1, "qty": 1}
    )
    made = yard.client.ask("POST", f"/orders/{order}/shipment/{yard.place}")
    yard.client.ask("PATCH", f"/shipments/{made}", {"tracking_number": "T-4711"})
    return yard.act(made, "validate")


def test_validating_prints_it(yard, shipped):
    ref = shipped["ref"]
    assert shipped["last_main_doc"] == f"expedition/{ref}/{ref}.pdf"
    for modulepart in ("shipping", "expedition", "shipment", "shipments"):
        (file,) = yard.client.get("/documents", modulepart=modulepart, id=shipped["id"])
        assert file["name"] == f"{ref}.pdf"


@pytest.mark.parametrize("template", ["rouget", "espadon"])
@pytest.mark.parametrize("language", TITLES)
def test_what_stands_on_it(yard, shipped, language, template):
    ref = shipped["ref"]
    body = {
        "modulepart": "shipping", "original_file": f"{ref}/{ref}.pdf", "langcode": language, "doctemplate": template,
    }  # fmt: skip
    text = text_of(base64.b64decode(yard.client.ask("PUT", "/documents/builddoc", body)["content"]))
    assert TITLES[language] in text and ref in text
    assert "Lamp, copper" in text and "Fitting" in text and "T-4711" in text
    # 5 × 1250 g
    assert ("6.25 kg" if language.startswith("en") else "6,25 kg") in text
    assert "77" not in text.replace(ref, "")


def test_weights():
    words = choose_language("en_US")
    assert weight_of({"weight": "2.50000000", "weight_units": None, "lines": []}, words) == "2.5 kg"
    assert weight_of({"weight": Decimal(300), "weight_units": -3, "lines": []}, words) == "300 g"
    # Of what has no goods, nothing is known
    assert weight_of({"weight": None, "weight_units": None, "lines": [{"fk_product": None, "qty": 1}]}, words) == ""
