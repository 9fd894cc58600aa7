"""Prices of a third party stand in its history, not in that of the product, which others may read."""

from core.audit.forms import _leads
from core.contract.catalogue import catalogue
from modules.thirdparties.models import Thirdparty


def test_what_another_supplier_asks_for_is_in_no_history_of_the_product(server, admin):
    own, other = (
        admin.ask("POST", "/thirdparties", {"name": name, "fournisseur": 1, "client": 1}) for name in ("Own", "Other")
    )
    product = admin.ask("POST", "/products", {"ref": "HISTORY", "label": "Lamp", "price": 10})
    price = {
        "qty": 1, "buyprice": "7.77", "price_base_type": "HT", "fourn_id": other, "availability": 0,
        "ref_fourn": "secret-ref", "tva_tx": 20,
    }  # fmt: skip
    admin.ask("POST", f"/products/{product}/purchase_prices", price)
    path = f"/products/{product}/history"
    for caller in (server.user("products.read", socid=own), server.user("products.read", represents=[own])):
        assert "secret-ref" not in caller.simulate_get(path, params={"limit": 100}).text
    assert "secret-ref" in admin.simulate_get(f"/thirdparties/{other}/history", params={"limit": 100}).text


def test_what_belongs_to_a_third_party_stands_in_a_history_that_others_cannot_read(admin):
    guarded = {model._meta.table_name for model in catalogue().models if model._meta.thirdparty}
    guarded.add(Thirdparty._meta.table_name)
    open_to_others = {
        model.__name__: table
        for model in catalogue().models
        if model._meta.thirdparty
        for _, table in _leads(model)[:1]
        if table not in guarded
    }
    assert open_to_others == {}
