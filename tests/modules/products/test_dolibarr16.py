"""Products in the profile `dolibarr16`; expected values: what release 16.0.3 was seen to answer."""


def make(client, ref, /, **fields):
    identifier = client.ask("POST", "/products", {"ref": ref, "label": "Contract test product", **fields})
    # A created id is a bare integer in both profiles
    assert isinstance(identifier, int)
    return identifier


def test_a_new_product_that_names_no_status_is_not_for_sale(old):
    record = old.get(f"/products/{make(old, 'Closed')}")
    assert (record["status"], record["status_buy"]) == ("0", "0")


def test_a_new_product_without_a_price_base_has_an_empty_one_that_counts_as_ht(old):
    identifier = make(old, "Baseless", price="10", tva_tx="20")
    record = old.get(f"/products/{identifier}")
    assert (record["price_base_type"], record["price_ttc"]) == ("", "12.00000000")
    assert old.ask("PUT", f"/products/{identifier}", record) == record
    assert old.ask("PUT", f"/products/{identifier}", {"price_base_type": "HT"})["price_base_type"] == "HT"
    assert old.ask("PUT", f"/products/{identifier}", {"price_base_type": ""})["price_base_type"] == "HT"
