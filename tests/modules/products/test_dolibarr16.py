"""Products in the profile `dolibarr16`; expected values: what release 16.0.3 was seen to answer."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from core.testing import Client, Served


@pytest.fixture(scope="module")
def old(old_server: Served) -> Client:
    return old_server.client()


def make(client: Client, ref: str, /, **fields: Any) -> int:
    identifier = client.ask("POST", "/products", {"ref": ref, "label": "Contract test product", **fields})
    # A created id is a bare integer in both profiles
    assert isinstance(identifier, int)
    return identifier


def test_the_recorded_product(old: Client) -> None:
    identifier = make(old, "PROD-226844", type=0, price=100, price_base_type="HT", tva_tx=20, status=1, status_buy=1)
    record = old.get(f"/products/{identifier}")
    # Of the recorded answer what every record has
    recorded = {
        "id": str(identifier), "entity": "1", "import_key": None, "array_options": [], "ref": "PROD-226844",
        "ref_ext": None, "status": "1", "country_id": None, "country_code": "", "state_id": None,
        "barcode_type": None, "note_public": None, "note_private": None, "label": "Contract test product",
        "type": "0", "price": "100.00000000", "price_ttc": "120.00000000", "price_min": "0.00000000",
        "price_min_ttc": "0.00000000", "price_base_type": "HT", "default_vat_code": None, "tva_tx": "20.0000",
        "localtax1_tx": "0.0000", "localtax2_tx": "0.0000", "localtax1_type": "0", "localtax2_type": "0",
        "lifetime": None, "qc_frequency": None, "cost_price": None, "pmp": "0.00000000", "desiredstock": "0",
        "duration_value": "", "duration_unit": "", "status_buy": "1", "finished": None, "fk_default_bom": None,
        "status_batch": "0", "url": None, "weight": None, "weight_units": None, "length": None, "barcode": None,
        "fk_default_warehouse": None, "fk_price_expression": None, "fk_unit": None, "price_autogen": "0",
        "mandatory_period": "0", "duration": "",
    }  # fmt: skip
    assert {key: record[key] for key in recorded} == recorded
    for name in ("date_creation", "date_modification"):
        moment = datetime.datetime.strptime(record[name], "%Y-%m-%d %H:%M:%S").replace(tzinfo=datetime.UTC)
        assert abs((datetime.datetime.now(datetime.UTC) - moment).total_seconds()) < 60
    changed = old.ask("PUT", f"/products/{identifier}", {"description": "a description", "price": 120})
    assert (changed["price"], changed["price_ttc"]) == ("120.00000000", "144.00000000")


def test_measures_and_durations_are_text(old: Client) -> None:
    identifier = make(
        old, "Measured", weight=2, length="1.50", length_units="-2", duration_value="1", duration_unit="m"
    )
    record = old.get(f"/products/{identifier}")
    assert (record["weight"], record["length"], record["width_units"]) == ("2", "1.5", "-2")
    assert (record["duration_value"], record["duration_unit"], record["duration"]) == ("1", "m", "1m")


def test_what_was_read_can_be_sent_back(old: Client) -> None:
    identifier = make(old, "Round trip", price="9.99", tva_tx="5.5", weight="1.5", fk_unit="2", duration="3d")
    for path in (f"/products/{identifier}", f"/products/{make(old, 'Bare')}"):
        record = old.get(path)
        after = old.ask("PUT", path, record)
        assert after | {"date_modification": 0} == record | {"date_modification": 0}


def test_a_new_product_that_names_no_status_is_not_for_sale(old: Client) -> None:
    record = old.get(f"/products/{make(old, 'Closed')}")
    assert (record["status"], record["status_buy"]) == ("0", "0")


def test_lists(old: Client) -> None:
    one, two = make(old, "Y-2", type=1, ref_ext="y"), make(old, "Y-1", type="1", ref_ext="y")
    ours = "(t.ref_ext:=:'y')"
    assert old.get("/products", sqlfilters=ours, mode=2, ids_only="true") == [str(two), str(one)]
    wrapped = old.get("/products", sqlfilters=ours, limit=1, pagination_data=1, ids_only=1)
    assert wrapped == {"data": [str(two)], "pagination": {"total": 2, "page": 0, "page_count": 2, "limit": 1}}
    for params in ({"sqlfilters": "(t.ref:=:'nosuch')"}, {"page": "99"}, {"sqlfilters": ours, "mode": "1"}):
        for more in ({}, {"ids_only": "1"}):
            message = old.refused("GET", "/products", status=404, params=params | more)
            assert message == "Not Found: No product found"


def test_refusals(old: Client) -> None:
    make(old, "Twice")
    assert old.refused("POST", "/products", {"label": "x"}, status=400) == "Bad Request: ref field missing"
    old.refused("POST", "/products", {"ref": "Twice", "label": "x"}, status=405)
    assert old.refused("GET", "/products/999999", status=404) == "Not Found: Product not found"
    old.refused("GET", "/products/0", status=400)
    old.refused("PUT", f"/products/{make(old, 'Stocked')}", {"stock_reel": 4}, status=400)
