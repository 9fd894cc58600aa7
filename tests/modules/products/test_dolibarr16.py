"""Products in the profile `dolibarr16`; expected values: what release 16.0.3 was seen to answer."""

import pytest


@pytest.fixture(scope="module")
def old(old_server):
    return old_server.client()


def make(client, ref, /, **fields):
    identifier = client.ask("POST", "/products", {"ref": ref, "label": "Contract test product", **fields})
    # A created id is a bare integer in both profiles
    assert isinstance(identifier, int)
    return identifier


def test_measures_and_durations_are_text(old):
    identifier = make(
        old, "Measured", weight=2, length="1.50", length_units="-2", duration_value="1", duration_unit="m"
    )
    record = old.get(f"/products/{identifier}")
    assert (record["weight"], record["length"], record["width_units"]) == ("2", "1.5", "-2")
    assert (record["duration_value"], record["duration_unit"], record["duration"]) == ("1", "m", "1m")


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


def test_refusals(old):
    make(old, "Twice")
    old.refused("POST", "/products", {"ref": "Twice", "label": "x"}, status=405)
    old.refused("PUT", f"/products/{make(old, 'Stocked')}", {"stock_reel": 4}, status=400)
