"""Prices as release 16 answers them: columns as text, an empty list is 404."""

from core.testing import constant
from tests.modules.products.products import make


def test_prices_travel_as_text_and_none_is_404(old_server):
    old = old_server.client()
    product = make(old, price=100, tva_tx=20)
    seller = old.ask("POST", "/thirdparties", {"name": "Seller", "fournisseur": 1, "code_fournisseur": "auto"})
    assert old.refused("GET", "/products/purchase_prices", status=404).endswith("No product found")
    assert old.get(f"/products/{product}/purchase_prices") == []
    body = {
        "qty": 2, "buyprice": "9", "price_base_type": "HT", "fourn_id": seller, "availability": 0, "ref_fourn": "S",
        "tva_tx": 20,
    }  # fmt: skip
    price = old.ask("POST", f"/products/{product}/purchase_prices", body)
    (record,) = old.get("/products/purchase_prices")[str(product)]
    assert (record["id"], record["product_fourn_price_id"]) == (str(product), str(price))
    assert (record["fourn_qty"], record["fourn_unitprice"], record["fourn_remise_percent"]) == ("2", "4.50000000", "0")
    with constant(old, "PRODUIT_MULTIPRICES", "1"):
        where = f"/products/{product}/selling_multiprices/per_segment"
        old.ask("POST", where, {"price_level": 1, "price": 80})
        assert old.get(where)["multiprices_inc_tax"] == {"1": "96.00000000", **dict.fromkeys("2345")}
        assert old.get(f"/products/{product}")["multiprices"]["1"] == "80.00000000"
        assert old.get(f"{where}/1")[0]["price_level"] == "1"
        assert old.ask("PUT", f"/thirdparties/{seller}/setpricelevel", {"priceLevel": 1})["price_level"] == "1"
    with constant(old, "PRODUIT_CUSTOMER_PRICES", "1"):
        where = f"/products/{product}/selling_multiprices/per_customer"
        assert old.refused("GET", where, status=404).endswith("Prices not found")
        old.ask("POST", where, {"fk_soc": seller, "price": 70})
        assert old.get(where)[0]["fk_soc"] == str(seller)
    with constant(old, "PRODUIT_CUSTOMER_PRICES_BY_QTY", "1"):
        where = f"/products/{product}/selling_multiprices/per_quantity"
        old.ask("POST", where, {"quantity": 5, "unitprice": 60})
        (row,) = old.get(where)["prices_by_qty_list"]
        assert (row["rowid"], row["quantity"], row["price"]) == (row["id"], "5", "300.00000000")
