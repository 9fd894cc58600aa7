"""Products over HTTP: creating, reading, changing, deleting, and bodies that are refused."""

import pytest

from core.common.clock import as_if
from core.storage.database import database, ensure_connected
from tests.modules.products.products import KEPT, make, wrong_fields
from tests.modules.stock.goods import warehouses
from tests.moments import LEAP_DAY_END

#: what the server alone writes, and a value that would change it
DROPPED = {
    "id": 77, "entity": 2, "pmp": 5, "import_key": "k", "date_creation": 1, "date_modification": 1,
    "fk_user_author": 99, "fk_user_modif": 99, "fk_parent": 3, "recuperableonly": 1, "onportal": 1, "batch_mask": "x",
    "partnumber": "x", "fifo": 1, "lifo": 1, "canvas": "x", "hidden": 1, "model_pdf": "x", "fk_price_expression": 1,
    "price_autogen": 1, "fk_project": 1, "fk_default_bom": 1, "country_code": "DE",
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _warehouses(admin):
    """Those that records name here."""
    warehouses(admin, 6)


# Create, read, change, delete -----------------------------------------------------------------------------------------


def test_a_new_product_has_the_documented_defaults(admin, server):
    with as_if(LEAP_DAY_END):
        record = admin.get(f"/products/{make(admin, 'Defaults')}")
    expected = {
        "ref": "Defaults", "label": "Something", "entity": 1, "type": 0, "status": 1, "status_buy": 0,
        "status_batch": 0, "price": "0.00000000", "price_ttc": "0.00000000", "price_min": "0.00000000",
        "price_min_ttc": "0.00000000", "price_base_type": "HT", "cost_price": None, "tva_tx": "0.0000",
        "localtax1_tx": "0.0000", "localtax2_tx": "0.0000", "localtax1_type": "0", "localtax2_type": "0",
        "barcode": None, "weight": None, "weight_units": None, "duration": "", "duration_value": None,
        "duration_unit": None, "seuil_stock_alerte": None, "desiredstock": "0.00000000", "fk_unit": None,
        "mandatory_period": 0, "pmp": "0.00000000", "array_options": {}, "country_id": None, "country_code": None,
        "stock_reel": None, "fk_user_author": server.administrator.id, "fk_user_modif": server.administrator.id,
    }  # fmt: skip
    assert {key: record[key] for key in expected} == expected
    assert record["date_creation"] == LEAP_DAY_END
    assert record["date_modification"] == record["date_creation"]


def test_every_field_is_kept_by_post(admin):
    body = {field: sent for field, (sent, _) in KEPT.items()}
    record = admin.get(f"/products/{make(admin, **body)}")
    assert {field: record[field] for field in KEPT} == {field: expected for field, (_, expected) in KEPT.items()}
    assert record["duration"] == "3m"
    assert record["country_code"] == "FR"
    admin.ask("DELETE", f"/products/{record['id']}")


def test_every_field_is_kept_by_put(admin):
    identifier = make(admin, duration_value=1, duration_unit="h")
    for field, (sent, expected) in KEPT.items():
        assert admin.ask("PUT", f"/products/{identifier}", {field: sent})[field] == expected, field
    changed = admin.ask("PATCH", f"/products/{identifier}", {"ref": "Renamed"})
    stored = admin.get("/products/ref/Renamed")
    assert changed == stored
    # The rate came behind the prices, and the basis is the price with VAT: 9.87654 stays there
    expected_record = {field: expected for field, (_, expected) in KEPT.items()} | {
        "price": "9.36165000", "price_ttc": "9.87654000", "price_min": "1.42180000", "price_min_ttc": "1.50000000",
    }  # fmt: skip
    assert {field: stored[field] for field in expected_record} == expected_record


def test_what_the_server_manages_is_dropped(admin):
    identifier = make(admin)
    before = admin.get(f"/products/{identifier}")
    answer = admin.simulate_put(f"/products/{identifier}", json=DROPPED | {"nonsense": 1})
    assert answer.status_code == 200
    assert answer.json | {"date_modification": 0} == before | {"date_modification": 0}
    # A name that stands for nothing comes first: the list has twenty names
    assert "ignored: nonsense, " in answer.headers["warning"]
    for field, value in DROPPED.items():
        answer = admin.simulate_put(f"/products/{identifier}", json={field: value})
        assert f"ignored: {field}" in answer.headers["warning"]


def test_put_merges(admin):
    identifier = make(admin, customcode="1", url="u")
    record = admin.ask("PUT", f"/products/{identifier}", {"url": "v"})
    assert (record["customcode"], record["url"]) == ("1", "v")
    assert admin.ask("PUT", f"/products/{identifier}")["url"] == "v"
    assert admin.ask("PUT", f"/products/{identifier}", {"url": None, "price": None})["url"] is None


def test_the_changing_user_is_noted(server, admin):
    identifier = make(admin)
    other = server.user("products.read", "products.write")
    record = other.ask("PUT", f"/products/{identifier}", {"url": "x"})
    assert record["fk_user_author"] == server.administrator.id
    assert record["fk_user_modif"] == other.user_id


def test_deleting(admin):
    identifier = make(admin, "Gone")
    assert admin.ask("DELETE", f"/products/{identifier}")["success"]["code"] == 200
    admin.refused("GET", f"/products/{identifier}", status=404)
    admin.refused("DELETE", f"/products/{identifier}", status=404)
    make(admin, "Gone")


@pytest.mark.parametrize("verb", ["GET", "PUT", "PATCH", "DELETE"])
def test_unknown_and_unusable_identifiers(admin, verb):
    body = {"label": "x"} if verb.startswith("P") else None
    for identifier in ("99999", "-5", "99999999999999"):
        assert (
            admin.refused(verb, f"/products/{identifier}", body, status=404)
            == f"Not Found: Product {identifier} not found"
        )
    for identifier in ("0", "abc", "1.5"):
        admin.refused(verb, f"/products/{identifier}", body, status=400)


def test_reading_by_other_names(admin):
    first = make(admin, "By name", ref_ext="same", barcode="BAR 1é")
    assert admin.get("/products/ref/By%20name")["id"] == first
    assert admin.get("/products/ref_ext/same")["id"] == first
    assert admin.get("/products/barcode/BAR%201%C3%A9")["id"] == first
    for name in ("ref", "ref_ext", "barcode"):
        assert "not found" in admin.refused("GET", f"/products/{name}/none", status=404)
        admin.refused("GET", f"/products/{name}/%20", status=400)
        admin.refused("GET", f"/products/{name}", status=400)


def test_a_row_needs_reference_and_label_alone(admin):
    """A narrower model of the table may write it, too."""
    ensure_connected()
    database.execute_sql("INSERT INTO llx_product (ref, label) VALUES ('Narrow', 'Narrow')")
    record = admin.get("/products/ref/Narrow")
    assert (record["status"], record["price_ttc"], record["price_base_type"]) == (1, "0.00000000", "HT")


# Bad input ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ref", "label"])
def test_reference_and_label_are_needed(admin, name):
    whole = {"ref": "Needed", "label": "Needed"}
    for body in ({}, {name: ""}, {name: None}, {name: "  "}):
        sent = {key: value for key, value in whole.items() if key != name} | body
        assert admin.refused("POST", "/products", sent, status=400) == f"Bad Request: `{name}` is required"
        if body:
            assert name in wrong_fields(admin, body, "PUT", f"/products/{make(admin)}")
    assert set(wrong_fields(admin, {})) == {"ref", "label"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("ref", "x" * 129), ("label", "x" * 256), ("label", ["x"]), ("type", 2), ("type", "x"), ("status", 2),
        ("status_buy", -1), ("status_batch", 3), ("price", "2,5"), ("price", "abc"), ("price", "1e40"),
        ("price", "NaN"), ("price", "92233720368.6"), ("price", True), ("price_base_type", "NET"), ("tva_tx", "1000"),
        ("tva_tx", -1), ("tva_tx", "20%"), ("cost_price", "1e12"), ("localtax1_tx", "x"), ("weight", "heavy"),
        ("weight", "1,5"), ("weight_units", 2**15), ("country_id", 2**31), ("fk_unit", "none"), ("barcode", "x" * 181),
        ("customcode", "x" * 33), ("mandatory_period", 2), ("lifetime", 1.5), ("description", "a\x00b"),
        ("array_options", "x"),
    ],
)  # fmt: skip
def test_values_that_do_not_fit(admin, field, value):
    assert field in wrong_fields(admin, {"ref": "Unfit", "label": "x", field: value})
    identifier = make(admin)
    for verb in ("PUT", "PATCH"):
        assert field in wrong_fields(admin, {field: value}, verb, f"/products/{identifier}")
