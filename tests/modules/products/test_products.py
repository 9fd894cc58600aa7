"""Products over HTTP, on each kind of database; expected values: fields.md, rules.md, differences.md."""

from __future__ import annotations

import datetime
import itertools
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from core.records.extra_field_definitions import define, undefine
from core.storage.database import close, database, ensure_connected
from core.testing import Client, Served, statements
from modules.setup.constants import set_constant, unset_constant

#: fields.md: every field that POST and PUT keep, a value to send and what is read back
KEPT: dict[str, tuple[Any, Any]] = {
    "ref_ext": ("EXT-1", "EXT-1"),
    "label": ("Näme & <b>Co</b> 'x'", "Näme & <b>Co</b> 'x'"),
    "description": ("line 1\nline <i>2</i>", "line 1\nline <i>2</i>"),
    "type": ("1", 1),
    "status": (0, 0),
    "status_buy": (1, 1),
    "status_batch": (2, 2),
    "price": ("9.87654321", "9.87654000"),
    "price_min": (1.5, "1.50000000"),
    "price_base_type": ("TTC", "TTC"),
    "cost_price": ("9999999999.12345678", "9999999999.12345678"),
    "tva_tx": ("5.5", "5.5000"),
    "default_vat_code": ("ABC", "ABC"),
    "localtax1_tx": (5.2, "5.2000"),
    "localtax2_tx": ("-15", "-15.0000"),
    "localtax1_type": ("1", "1"),
    "localtax2_type": (5, "5"),
    "barcode": (" 4006381333931 ", "4006381333931"),
    "barcode_type": (2, 2),
    "weight": ("0.1", "0.10000000"),
    "weight_units": (-3, -3),
    "length": (2, "2.00000000"),
    "length_units": (-2, -2),
    "width": ("3.25", "3.25000000"),
    "width_units": (-1, -1),
    "height": ("", None),
    "height_units": (0, 0),
    "surface": (4, "4.00000000"),
    "surface_units": (-4, -4),
    "volume": (5, "5.00000000"),
    "volume_units": (-6, -6),
    "net_measure": (6, "6.00000000"),
    "net_measure_units": (99, 99),
    "customcode": ("8306", "8306"),
    "country_id": (1, 1),
    "state_id": (12, 12),
    "duration_value": ("3", 3),
    "duration_unit": ("m", "m"),
    "url": ("https://example.com/?a=1&b=2", "https://example.com/?a=1&b=2"),
    "seuil_stock_alerte": ("2.5", "2.50000000"),
    "desiredstock": (10, "10.00000000"),
    "fk_default_warehouse": (3, 3),
    "finished": (1, 1),
    "lifetime": (365, 365),
    "qc_frequency": (30, 30),
    "fk_unit": (2, 2),
    "accountancy_code_sell": ("701", "701"),
    "accountancy_code_sell_intra": ("702", "702"),
    "accountancy_code_sell_export": ("703", "703"),
    "accountancy_code_buy": ("601", "601"),
    "accountancy_code_buy_intra": ("602", "602"),
    "accountancy_code_buy_export": ("603", "603"),
    "note_public": ("public", "public"),
    "note_private": ("private", "private"),
    "mandatory_period": (1, 1),
}
#: fields.md: what the server alone writes, and a value that would change it
DROPPED: dict[str, Any] = {
    "id": 77, "entity": 2, "pmp": 5, "import_key": "k", "date_creation": 1, "date_modification": 1,
    "fk_user_author": 99, "fk_user_modif": 99, "fk_parent": 3, "recuperableonly": 1, "onportal": 1, "batch_mask": "x",
    "partnumber": "x", "fifo": 1, "lifo": 1, "canvas": "x", "hidden": 1, "model_pdf": "x", "fk_price_expression": 1,
    "price_autogen": 1, "fk_project": 1, "fk_default_bom": 1, "country_code": "DE",
}  # fmt: skip
#: fields.md: columns of llx_product by the name of their field, where they differ
COLUMNS = {
    "id": "rowid", "type": "fk_product_type", "status": "tosell", "status_buy": "tobuy", "status_batch": "tobatch",
    "barcode_type": "fk_barcode_type", "country_id": "fk_country", "state_id": "fk_state", "note_private": "note",
    "stock_reel": "stock", "date_creation": "datec", "date_modification": "tms",
}  # fmt: skip
#: columns with no field of their own
BARE = (
    "fk_parent", "recuperableonly", "fk_user_author", "fk_user_modif", "onportal", "batch_mask", "partnumber", "fifo",
    "lifo", "canvas", "hidden", "model_pdf", "fk_price_expression", "price_autogen", "fk_project", "fk_default_bom",
)  # fmt: skip

numbers = itertools.count(1)


def make(client: Client, ref: str = "", /, **fields: Any) -> int:
    body = {"ref": ref or f"R{next(numbers)}", "label": "Something", **fields}
    identifier = client.ask("POST", "/products", body)
    assert isinstance(identifier, int)
    return identifier


def refs(rows: list[dict[str, Any]]) -> list[str]:
    return [row["ref"] for row in rows]


def prices(record: dict[str, Any]) -> tuple[str, ...]:
    names = ("price", "price_ttc", "price_min", "price_min_ttc")
    return tuple(record[name].removesuffix("000") for name in names)


def wrong_fields(client: Client, body: Any, verb: str = "POST", path: str = "/products") -> dict[str, str]:
    error = client.ask(verb, path, body, status=400)["error"]
    return {each["field"]: each["message"] for each in error["errors"]}


# Create, read, change, delete ----------------------------------------------------------------------------------------


def test_a_new_product_has_the_documented_defaults(admin: Client, server: Served) -> None:
    before = int(time.time())
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
    assert before <= record["date_creation"] <= time.time() + 1
    assert record["date_modification"] == record["date_creation"]


def test_the_recorded_exchanges(admin: Client) -> None:
    """observed/01, and the price rounded to five places, as differences.md decides."""
    body = {
        "ref": "PROD-226844", "label": "Contract test product", "type": 0, "price": 100, "price_base_type": "HT",
        "tva_tx": 20, "status": 1, "status_buy": 1,
    }  # fmt: skip
    identifier = admin.ask("POST", "/products", body)
    record = admin.get("/products/ref/PROD-226844")
    assert record == admin.get(f"/products/{identifier}")
    assert (record["price"], record["price_ttc"], record["tva_tx"]) == ("100.00000000", "120.00000000", "20.0000")
    changed = admin.ask("PUT", f"/products/{identifier}", {"description": "a description", "price": 120})
    assert (changed["description"], changed["price"], changed["price_ttc"]) == (
        "a description", "120.00000000", "144.00000000",
    )  # fmt: skip
    service = admin.get(f"/products/{make(admin, type=1, price='33.33333', tva_tx='5.5')}")
    # 33.33333 × 1.055 = 35.16666315
    assert (service["price"], service["price_ttc"]) == ("33.33333000", "35.16666000")


def test_every_field_is_kept_by_post(admin: Client) -> None:
    body = {field: sent for field, (sent, _) in KEPT.items()}
    record = admin.get(f"/products/{make(admin, **body)}")
    assert {field: record[field] for field in KEPT} == {field: expected for field, (_, expected) in KEPT.items()}
    assert record["duration"] == "3m"
    assert record["country_code"] == "FR"
    admin.ask("DELETE", f"/products/{record['id']}")


def test_every_field_is_kept_by_put(admin: Client) -> None:
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


def test_what_the_server_manages_is_dropped(admin: Client) -> None:
    identifier = make(admin)
    before = admin.get(f"/products/{identifier}")
    answer = admin.simulate_put(f"/products/{identifier}", json=DROPPED | {"nonsense": 1})
    assert answer.status_code == 200
    assert answer.json | {"date_modification": 0} == before | {"date_modification": 0}
    for field in (*DROPPED, "nonsense"):
        assert field in answer.headers["warning"], field


def test_what_was_read_can_be_sent_back(admin: Client) -> None:
    body = {field: sent for field, (sent, _) in KEPT.items()} | {"barcode": "RT"}
    identifier = make(admin, **body)
    record = admin.get(f"/products/{identifier}")
    after = admin.ask("PUT", f"/products/{identifier}", record)
    assert after | {"date_modification": 0} == record | {"date_modification": 0}
    bare = admin.get(f"/products/{make(admin)}")
    after = admin.ask("PUT", f"/products/{bare['id']}", bare)
    assert after | {"date_modification": 0} == bare | {"date_modification": 0}


def test_put_merges(admin: Client) -> None:
    identifier = make(admin, customcode="1", url="u")
    record = admin.ask("PUT", f"/products/{identifier}", {"url": "v"})
    assert (record["customcode"], record["url"]) == ("1", "v")
    assert admin.ask("PUT", f"/products/{identifier}")["url"] == "v"
    assert admin.ask("PUT", f"/products/{identifier}", {"url": None, "price": None})["url"] is None


def test_the_changing_user_is_noted(server: Served, admin: Client) -> None:
    identifier = make(admin)
    other = server.user("products.read", "products.write")
    record = other.ask("PUT", f"/products/{identifier}", {"url": "x"})
    assert record["fk_user_author"] == server.administrator.id
    assert record["fk_user_modif"] == other.user_id  # type: ignore[attr-defined]


def test_deleting(admin: Client) -> None:
    identifier = make(admin, "Gone")
    assert admin.ask("DELETE", f"/products/{identifier}") == 1
    admin.refused("GET", f"/products/{identifier}", status=404)
    admin.refused("DELETE", f"/products/{identifier}", status=404)
    make(admin, "Gone")


@pytest.mark.parametrize("verb", ["GET", "PUT", "PATCH", "DELETE"])
def test_unknown_and_unusable_identifiers(admin: Client, verb: str) -> None:
    body = {"label": "x"} if verb.startswith("P") else None
    for identifier in ("99999", "-5", "99999999999999"):
        assert admin.refused(verb, f"/products/{identifier}", body, status=404) == "Not Found: Product not found"
    for identifier in ("0", "abc", "1.5"):
        admin.refused(verb, f"/products/{identifier}", body, status=400)


def test_reading_by_other_names(admin: Client) -> None:
    first = make(admin, "By name", ref_ext="same", barcode="BAR 1é")
    make(admin, ref_ext="same")
    assert admin.get("/products/ref/By%20name")["id"] == first
    assert admin.get("/products/ref_ext/same")["id"] == first
    assert admin.get("/products/barcode/BAR%201%C3%A9")["id"] == first
    for name in ("ref", "ref_ext", "barcode"):
        assert "not found" in admin.refused("GET", f"/products/{name}/none", status=404)
        admin.refused("GET", f"/products/{name}/%20", status=400)
        admin.refused("GET", f"/products/{name}", status=400)


def test_a_row_needs_reference_and_label_alone(admin: Client) -> None:
    """A narrower model of the table may write it, too."""
    ensure_connected()
    database.execute_sql("INSERT INTO llx_product (ref, label) VALUES ('Narrow', 'Narrow')")
    record = admin.get("/products/ref/Narrow")
    assert (record["status"], record["price_ttc"], record["price_base_type"]) == (1, "0.00000000", "HT")


# References and codes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "kept"),
    [("BAD/REF*", "BAD_REF_"), ("  x y ", "x y"), ('a<>\\?|":°$;b', "a__________b"), ("../up", "__up"), (4711, "4711")],
)
def test_special_characters_of_a_reference(admin: Client, sent: Any, kept: str) -> None:
    identifier = admin.ask("POST", "/products", {"ref": sent, "label": "x"})
    assert admin.get(f"/products/{identifier}")["ref"] == kept
    message = admin.refused("POST", "/products", {"ref": kept, "label": "x"}, status=405)
    assert f"ref {kept} is already used" in message
    admin.ask("DELETE", f"/products/{identifier}")


def test_references_and_barcodes_exist_once(admin: Client) -> None:
    first, second = make(admin, "Once", barcode="B-once"), make(admin)
    for body in ({"ref": "Once"}, {"barcode": "B-once"}, {"barcode": " B-once "}):
        error = admin.ask("PUT", f"/products/{second}", body, status=405)["error"]
        assert [each["field"] for each in error["errors"]] == list(body)
    admin.ask("PUT", f"/products/{first}", {"ref": "Once", "barcode": "B-once"})
    # Any number of products has none
    assert [admin.get(f"/products/{make(admin, barcode=' ')}")["barcode"] for _ in range(2)] == [None, None]


@pytest.fixture
def elephant() -> Iterator[None]:
    ensure_connected()
    set_constant("PRODUCT_CODEPRODUCT_ADDON", "mod_codeproduct_elephant")
    set_constant("PRODUCT_ELEPHANT_MASK_PRODUCT", "EP{0000}")
    yield
    ensure_connected()
    for name in ("CODEPRODUCT_ADDON", "ELEPHANT_MASK_PRODUCT", "ELEPHANT_MASK_SERVICE"):
        unset_constant(f"PRODUCT_{name}")


def ref_of(client: Client, ref: str, /, **fields: Any) -> str:
    return str(client.get(f"/products/{make(client, ref, **fields)}")["ref"])


def test_nothing_is_generated_where_references_are_free_text(admin: Client) -> None:
    for ref in ("auto", "AUTO", "-1", -1):
        wrong = wrong_fields(admin, {"ref": ref, "label": "x"})
        assert "PRODUCT_CODEPRODUCT_ADDON" in wrong["ref"]


@pytest.mark.usefixtures("elephant")
def test_references_are_generated(admin: Client) -> None:
    assert [ref_of(admin, "auto"), ref_of(admin, "-1")] == ["EP0001", "EP0002"]
    # One that somebody chose counts, and the last one of the series can be given again
    chosen = make(admin, "EP0007")
    assert ref_of(admin, "auto") == "EP0008"
    last = admin.get("/products/ref/EP0008")["id"]
    admin.ask("DELETE", f"/products/{last}")
    assert ref_of(admin, "auto") == "EP0008"
    admin.ask("DELETE", f"/products/{chosen}")
    assert ref_of(admin, "auto") == "EP0009"
    # Services have a mask of their own
    message = admin.refused("POST", "/products", {"ref": "auto", "label": "x", "type": 1}, status=405)
    assert "PRODUCT_ELEPHANT_MASK_SERVICE" in message
    ensure_connected()
    set_constant("PRODUCT_ELEPHANT_MASK_SERVICE", "ES{000}")
    assert ref_of(admin, "auto", type=1) == "ES001"
    existing = admin.get("/products/ref/ES001")["id"]
    assert "ref" in wrong_fields(admin, {"ref": "auto"}, "PUT", f"/products/{existing}")


@pytest.mark.usefixtures("elephant")
def test_an_unknown_manner_is_named(admin: Client) -> None:
    ensure_connected()
    set_constant("PRODUCT_CODEPRODUCT_ADDON", "mod_codeproduct_zebra")
    message = admin.refused("POST", "/products", {"ref": "auto", "label": "x"}, status=405)
    assert "mod_codeproduct_zebra" in message
    make(admin)


@pytest.mark.usefixtures("elephant")
def test_references_never_repeat_under_concurrency(server: Served) -> None:
    failed: list[BaseException] = []
    set_constant("PRODUCT_ELEPHANT_MASK_PRODUCT", "TOG{0000}")

    def work() -> None:
        try:
            for _ in range(5):
                make(server.client(), "auto", label="Together")
        except BaseException as error:
            failed.append(error)
        finally:
            close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    rows = server.client().get("/products", sqlfilters="(t.label:=:'Together')")
    assert refs(rows) == [f"TOG{number:04d}" for number in range(1, 21)]


# Prices --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"price": "10", "tva_tx": 20}, ("10.00000", "12.00000", "0.00000", "0.00000")),
        ({"price_ttc": "12", "tva_tx": 20, "price_base_type": "TTC"}, ("10.00000", "12.00000", "0.00000", "0.00000")),
        (
            {"price_ttc": "9.99", "tva_tx": "5.5", "price_base_type": "ttc"},
            ("9.46919", "9.99000", "0.00000", "0.00000"),
        ),
        # the one that is sent counts, whatever the basis
        ({"price_ttc": "12", "tva_tx": 20}, ("10.00000", "12.00000", "0.00000", "0.00000")),
        ({"price": "10", "tva_tx": 20, "price_base_type": "TTC"}, ("10.00000", "12.00000", "0.00000", "0.00000")),
        # of both the basis
        ({"price": "10", "price_ttc": "99", "tva_tx": 20}, ("10.00000", "12.00000", "0.00000", "0.00000")),
        ({"price": 10, "price_min": "8.333335", "tva_tx": 10}, ("10.00000", "11.00000", "8.33334", "9.16667")),
        (
            {"price_ttc": 12, "price_min_ttc": 6, "tva_tx": 20, "price_base_type": "TTC"},
            ("10.00000", "12.00000", "5.00000", "6.00000"),
        ),
        ({"price": "-5", "tva_tx": 20}, ("-5.00000", "-6.00000", "0.00000", "0.00000")),
        ({"price": "-0.000005"}, ("-0.00001", "-0.00001", "0.00000", "0.00000")),
        # no price agreed on, but a lowest one
        ({"price_min": 5}, ("0.00000", "0.00000", "5.00000", "5.00000")),
    ],
)
def test_prices_follow_from_each_other(admin: Client, body: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert prices(admin.get(f"/products/{make(admin, **body)}")) == expected


def test_prices_are_changed(admin: Client) -> None:
    path = f"/products/{make(admin, price=100, price_min=50, tva_tx=20)}"
    assert prices(admin.ask("PUT", path, {"price": 200})) == ("200.00000", "240.00000", "50.00000", "60.00000")
    assert prices(admin.ask("PUT", path, {"price_ttc": 120})) == ("100.00000", "120.00000", "50.00000", "60.00000")
    assert prices(admin.ask("PUT", path, {"tva_tx": 10})) == ("100.00000", "110.00000", "50.00000", "55.00000")
    record = admin.ask("PUT", path, {"price_base_type": "TTC", "price_ttc": 220})
    assert prices(record) == ("200.00000", "220.00000", "50.00000", "55.00000")
    record = admin.ask("PATCH", path, {"tva_tx": 0})
    assert prices(record) == ("220.00000", "220.00000", "55.00000", "55.00000")
    assert prices(admin.ask("PUT", path, record | {"price": "60"})) == ("60.00000", "60.00000", "55.00000", "55.00000")
    assert "price_min" in wrong_fields(admin, {"price": 54}, "PUT", path)
    assert "price_min" in wrong_fields(admin, {"price_min": 61}, "PUT", path)
    assert prices(admin.ask("PUT", path, {"label": "x"})) == ("60.00000", "60.00000", "55.00000", "55.00000")


def test_the_places_of_a_price_can_be_set(admin: Client) -> None:
    ensure_connected()
    set_constant("MAIN_MAX_DECIMALS_UNIT", "2")
    try:
        record = admin.get(f"/products/{make(admin, price='1.005', tva_tx='5.5')}")
    finally:
        unset_constant("MAIN_MAX_DECIMALS_UNIT")
    # 1.01 × 1.055 = 1.06555
    assert prices(record) == ("1.01000", "1.07000", "0.00000", "0.00000")


def test_a_price_that_was_agreed_on_survives_being_sent_back(admin: Client) -> None:
    ensure_connected()
    set_constant("MAIN_MAX_DECIMALS_UNIT", "1")
    try:
        # 41 / 1.034006 = 39.65…, but 39.7 × 1.034006 = 41.05…, which is 41.1
        record = admin.get(f"/products/{make(admin, price_ttc=41, tva_tx='3.4006')}")
        assert prices(record)[:2] == ("39.70000", "41.00000")
        path = f"/products/{record['id']}"
        assert prices(admin.ask("PUT", path, record))[:2] == ("39.70000", "41.00000")
        assert prices(admin.ask("PUT", path, {"tva_tx": "3.4006"}))[:2] == ("39.70000", "41.00000")
        assert prices(admin.ask("PUT", path, {"price_base_type": "TTC"}))[:2] == ("39.70000", "41.00000")
        assert prices(admin.ask("PUT", path, {"price_base_type": "HT"}))[:2] == ("39.70000", "41.10000")
    finally:
        unset_constant("MAIN_MAX_DECIMALS_UNIT")


def test_prices_that_no_database_keeps(admin: Client) -> None:
    """ExactField: 9.2·10¹⁰ at eight places, and what follows from a price must fit, too."""
    largest = "92233720368"
    assert admin.get(f"/products/{make(admin, price=largest)}")["price_ttc"] == f"{largest}.00000000"
    assert "price" in wrong_fields(admin, {"ref": "x", "label": "x", "price": largest, "tva_tx": 20})
    assert "price_ttc" in wrong_fields(
        admin, {"ref": "x", "label": "x", "price_ttc": "92233720368.547758", "price_base_type": "TTC"}
    )


def test_a_lowest_price_above_the_price(admin: Client) -> None:
    assert "price_min" in wrong_fields(admin, {"ref": "x", "label": "x", "price": 10, "price_min": "10.00001"})
    make(admin, price=10, price_min=10)


# Durations, units, stock ---------------------------------------------------------------------------------------------


def test_a_duration_has_two_parts(admin: Client) -> None:
    def parts(record: dict[str, Any]) -> tuple[Any, ...]:
        return record["duration"], record["duration_value"], record["duration_unit"]

    path = f"/products/{make(admin, type=1, duration_value=1, duration_unit='m')}"
    assert parts(admin.get(path)) == ("1m", 1, "m")
    assert parts(admin.ask("PUT", path, {"duration_value": "12"})) == ("12m", 12, "m")
    assert parts(admin.ask("PUT", path, {"duration_unit": "d"})) == ("12d", 12, "d")
    record = admin.ask("PUT", path, {"duration": "5y"})
    assert parts(record) == ("5y", 5, "y")
    assert parts(admin.ask("PUT", path, record | {"duration_value": 6})) == ("6y", 6, "y")
    assert parts(admin.ask("PUT", path, {"duration_value": None})) == ("", None, None)
    assert "duration" not in admin.simulate_put(path, json={"duration_value": 1, "duration_unit": "h"}).headers.get(
        "warning", ""
    )
    assert [row["id"] for row in admin.get("/products", sqlfilters="(t.duration:=:'1h')")] == [record["id"]]


@pytest.mark.parametrize(
    "body",
    [
        {"duration_value": "x", "duration_unit": "m"}, {"duration_value": 1}, {"duration_unit": "m"},
        {"duration_value": 1, "duration_unit": "q"}, {"duration_value": 1.5, "duration_unit": "h"},
        {"duration_value": 100000, "duration_unit": "h"}, {"duration_value": -1, "duration_unit": "h"},
        {"duration_value": [1], "duration_unit": "h"}, {"duration": "soon"},
    ],
)  # fmt: skip
def test_durations_that_do_not_fit(admin: Client, body: dict[str, Any]) -> None:
    assert "duration" in wrong_fields(admin, {"ref": "x", "label": "x", **body})
    assert "duration" in wrong_fields(admin, body, "PUT", f"/products/{make(admin)}")


def test_width_and_height_take_the_unit_of_the_length(admin: Client) -> None:
    def units(record: dict[str, Any]) -> tuple[Any, ...]:
        return record["length_units"], record["width_units"], record["height_units"]

    path = f"/products/{make(admin, length=1, length_units=-2, height_units=0)}"
    assert units(admin.get(path)) == (-2, -2, 0)
    assert units(admin.ask("PUT", path, {"length_units": -3})) == (-3, -2, 0)
    path = f"/products/{make(admin)}"
    assert units(admin.get(path)) == (None, None, None)
    assert units(admin.ask("PUT", path, {"length_units": -1})) == (-1, -1, -1)


def test_a_unit_must_exist(admin: Client) -> None:
    identifier = make(admin, fk_unit="")
    assert admin.get(f"/products/{identifier}")["fk_unit"] is None
    for verb, path in (("POST", "/products"), ("PUT", f"/products/{identifier}")):
        message = admin.refused(verb, path, {"ref": "No unit", "label": "x", "fk_unit": 999}, status=404)
        assert message == "Not Found: Unit 999 not found"


def test_stock_cannot_be_written(admin: Client) -> None:
    for verb, path in (("POST", "/products"), ("PUT", f"/products/{make(admin)}")):
        assert "stock" in wrong_fields(admin, {"ref": "x", "label": "x", "stock_reel": 4}, verb, path)["stock_reel"]


# Bad input -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ref", "label"])
def test_reference_and_label_are_needed(admin: Client, name: str) -> None:
    whole = {"ref": "Needed", "label": "Needed"}
    for body in ({}, {name: ""}, {name: None}, {name: "  "}):
        sent = {key: value for key, value in whole.items() if key != name} | body
        assert admin.refused("POST", "/products", sent, status=400) == f"Bad Request: {name} field missing"
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
        ("weight", "1,5"), ("weight_units", 2**15), ("country_id", 2**31), ("fk_unit", "kg"), ("barcode", "x" * 181),
        ("customcode", "x" * 33), ("mandatory_period", 2), ("lifetime", 1.5), ("description", "a\x00b"),
        ("array_options", "x"),
    ],
)  # fmt: skip
def test_values_that_do_not_fit(admin: Client, field: str, value: Any) -> None:
    assert field in wrong_fields(admin, {"ref": "Unfit", "label": "x", field: value})
    identifier = make(admin)
    for verb in ("PUT", "PATCH"):
        assert field in wrong_fields(admin, {field: value}, verb, f"/products/{identifier}")


def test_all_wrong_fields_are_told_at_once(admin: Client) -> None:
    body = {"ref": "Wrong", "type": 9, "status": "x", "price": "2,5", "duration": "x", "customcode": "x" * 40}
    assert set(wrong_fields(admin, body)) == {"type", "status", "price", "duration", "customcode", "label"}
    admin.refused("GET", "/products/ref/Wrong", status=404)


@pytest.mark.parametrize("body", [[], [{"ref": "x"}], "x", 5])
def test_a_body_is_an_object(admin: Client, body: Any) -> None:
    admin.refused("POST", "/products", body, status=400)


# Lists ---------------------------------------------------------------------------------------------------------------

#: ref, type, price, VAT, status
LISTED = [
    ("L-delta", 0, "5", "20", 1),
    ("L-alpha", 1, "100.5", "0", 0),
    ("L-beta", 0, "0", "20", 1),
    ("L-eta%", 1, "12.00001", "5.5", 1),
    ("L-gamma", 0, "5", "10", 0),
]
OURS = "(t.ref_ext:=:'listed')"
IN_ORDER = ["L-alpha", "L-beta", "L-delta", "L-eta%", "L-gamma"]


@pytest.fixture(scope="module")
def listed(admin: Client) -> dict[str, int]:
    return {
        ref: make(admin, ref, type=type, price=price, tva_tx=rate, status=status, ref_ext="listed")
        for ref, type, price, rate, status in LISTED
    }


class TestLists:
    def test_sorted_by_reference(self, admin: Client, listed: dict[str, int]) -> None:
        pages = [admin.get("/products", sqlfilters=OURS, limit=2, page=page) for page in range(4)]
        assert [refs(page) for page in pages] == [IN_ORDER[:2], IN_ORDER[2:4], IN_ORDER[4:], []]
        rows = admin.get("/products", sqlfilters=OURS, sortfield="t.price,t.ref", sortorder="DESC,ASC")
        assert refs(rows) == ["L-alpha", "L-eta%", "L-delta", "L-gamma", "L-beta"]
        assert rows[0] == admin.get(f"/products/{listed['L-alpha']}")

    @pytest.mark.parametrize("sortfield", ["", "t.price"])
    def test_a_cursor_walks_the_whole_list(self, admin: Client, listed: dict[str, int], sortfield: str) -> None:
        found, cursor = [], ""
        for _ in range(4):
            params = {"sqlfilters": OURS, "sortfield": sortfield, "limit": 2, "ids_only": 1}
            answer = admin.simulate_get("/products", params=params | ({"after": cursor} if cursor else {}))
            found += answer.json
            cursor = answer.headers.get("x-next-cursor", "")
            if not cursor:
                break
        by_price = ["L-beta", "L-delta", "L-gamma", "L-eta%", "L-alpha"]
        assert found == [listed[ref] for ref in (by_price if sortfield else IN_ORDER)]

    @pytest.mark.parametrize(
        ("mode", "expected"), [(0, IN_ORDER), (1, ["L-beta", "L-delta", "L-gamma"]), (2, ["L-alpha", "L-eta%"])]
    )
    def test_modes_and_identifiers(self, admin: Client, listed: dict[str, int], mode: int, expected: list[str]) -> None:
        assert refs(admin.get("/products", sqlfilters=OURS, mode=mode)) == expected
        found = admin.get("/products", sqlfilters=OURS, mode=mode, ids_only="true", properties="label")
        assert found == [listed[ref] for ref in expected]

    def test_the_number_of_all(self, admin: Client, listed: dict[str, int]) -> None:
        wrapped = admin.get("/products", sqlfilters=OURS, limit=2, page=1, pagination_data="true", ids_only="true")
        assert wrapped == {
            "data": [listed["L-delta"], listed["L-eta%"]],
            "pagination": {"total": 5, "page": 1, "page_count": 3, "limit": 2},
        }
        answer = admin.simulate_get("/products", params={"sqlfilters": OURS, "count": "1", "limit": 1})
        assert answer.headers["x-total-count"] == "5"

    def test_an_empty_list_is_an_empty_list(self, admin: Client) -> None:
        for more in ({}, {"ids_only": 1}):
            assert admin.get("/products", sqlfilters="(t.ref:=:'nosuch')", **more) == []

    @pytest.mark.parametrize(
        ("condition", "expected"),
        [
            ("(t.ref:like:'%eta')", ["L-beta"]),
            ("(t.ref:like:'L-%ta%')", ["L-beta", "L-delta", "L-eta%"]),
            ("(t.price:>:5)", ["L-alpha", "L-eta%"]),
            ("(t.price:=:'5.00000000')", ["L-delta", "L-gamma"]),
            ("(t.price_ttc:=:6)", ["L-delta"]),
            ("(t.tosell:=:0)", ["L-alpha", "L-gamma"]),
            ("(t.status:=:1) and (t.fk_product_type:=:1)", ["L-eta%"]),
            ("(t.tva_tx:in:'20','10')", ["L-beta", "L-delta", "L-gamma"]),
            ("(t.datec:>:'20200101')", IN_ORDER),
            ("(t.barcode:isnot:NULL)", []),
        ],
    )
    @pytest.mark.usefixtures("listed")
    def test_filters(self, admin: Client, condition: str, expected: list[str]) -> None:
        assert refs(admin.get("/products", sqlfilters=f"{OURS} and ({condition})")) == expected

    @pytest.mark.usefixtures("listed")
    def test_fields_and_columns_are_named_alike(self, admin: Client) -> None:
        for field, column in (COLUMNS | {name: name for name in (*BARE, *KEPT) if "duration_" not in name}).items():
            for name in (field, COLUMNS.get(column, column)):
                rows = admin.get("/products", sqlfilters=f"{OURS} and not (t.{name}:is:NULL)", sortfield=f"t.{name}")
                same = admin.get("/products", sqlfilters=f"{OURS} and (t.{name}:isnot:NULL)")
                assert sorted(refs(rows)) == sorted(refs(same)), name

    @pytest.mark.parametrize("name", ["category", "variant_filter"])
    def test_what_is_not_served_is_said(self, admin: Client, name: str) -> None:
        assert f"`{name}`" in admin.refused("GET", "/products", status=400, params={name: 1})
        admin.get("/products", limit=1, **{name: 0})

    def test_stock_is_left_out(self, admin: Client) -> None:
        answer = admin.simulate_get("/products", params={"limit": 1, "includestockdata": 1})
        assert answer.status_code == 200
        assert "includestockdata" in answer.headers["warning"]

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("ids_only", "maybe"), ("mode", "3"), ("mode", "-1"), ("mode", "x"), ("variant_filter", "x"),
            ("category", "x"), ("sqlfilters", "(t.nonsense:=:1)"), ("sqlfilters", "(t.price:=:'2,5')"),
            ("sqlfilters", "(t.rowid:=:1) or 1=1"), ("sortfield", "t.nonsense"), ("limit", "-1"),
            ("properties", "(select 1)"),
        ],
    )  # fmt: skip
    def test_hostile_lists(self, admin: Client, name: str, value: str) -> None:
        make(admin)
        assert "SELECT t." not in admin.refused("GET", "/products", status=400, params={name: value})

    def test_a_list_needs_few_statements(self, admin: Client) -> None:
        for number in range(100):
            make(admin, ref_ext="few", country_id=1, fk_unit=1, price=number, duration="1m")
        counts = set()
        for limit in (2, 100):
            with statements() as seen:
                assert len(admin.get("/products", sqlfilters="(t.ref_ext:=:'few')", limit=limit)) == limit
            counts.add(len(seen))
        # the caller and the list; the dictionary of countries is kept
        assert counts == {2}


# Extra fields, rights, demonstration data ----------------------------------------------------------------------------


def test_extra_fields(admin: Client) -> None:
    ensure_connected()
    for name, type_name in (("colour", "varchar"), ("points", "int")):
        define("product", name, {"label": name, "type": type_name})
    try:
        path = f"/products/{make(admin, ref_ext='ef', array_options={'options_colour': 'red', 'points': '7'})}"
        assert admin.get(path)["array_options"] == {"options_colour": "red", "options_points": 7}
        patched = admin.ask("PATCH", path, {"array_options": {"options_colour": "blue"}})["array_options"]
        assert patched == {"options_colour": "blue", "options_points": 7}
        replaced = admin.ask("PUT", path, {"array_options": {"options_colour": "green"}})["array_options"]
        assert replaced == {"options_colour": "green", "options_points": None}
        assert len(admin.get("/products", sqlfilters="(ef.colour:=:'green')")) == 1
    finally:
        ensure_connected()
        for name in ("colour", "points"):
            undefine("product", name)


CALLS = {
    "products.read": [("GET", ""), ("GET", "/1"), ("GET", "/ref/x"), ("GET", "/ref_ext/x"), ("GET", "/barcode/x")],
    "products.write": [("POST", ""), ("PUT", "/1"), ("PATCH", "/1")],
    "products.delete": [("DELETE", "/1")],
}


@pytest.mark.parametrize("right", CALLS)
def test_each_call_needs_its_right(server: Served, right: str) -> None:
    without = server.user(*(set(CALLS) - {right}))
    for verb, path in CALLS[right]:
        body = {"label": "x"} if verb[0] == "P" else None
        assert right in without.refused(verb, f"/products{path}", body, status=401)
        server.client(None).refused(verb, f"/products{path}", body, status=401)


def test_demonstration_data(admin: Client) -> None:
    import random

    from modules.products.demo import make as make_demo
    from modules.products.models import Product

    made = []
    for _ in range(2):
        last = make(admin)
        ensure_connected()
        make_demo(random.Random(1), datetime.date(2026, 11, 21))
        shown = "ref,label,type,price,price_ttc,tva_tx,fk_unit,duration,status,description,date_creation"
        rows = admin.get("/products", sqlfilters=f"(t.rowid:>:{last})", properties=shown, limit=200)
        made.append(rows)
        ensure_connected()
        Product.delete().where(Product.id > last).execute()
    assert made[0] == made[1]
    assert len(rows) == len(set(refs(rows))) == len({row["label"] for row in rows}) == 160
    assert {row["tva_tx"] for row in rows} == {"20.0000", "10.0000", "5.5000", "0.0000"}
    assert {row["status"] for row in rows} == {row["type"] for row in rows} == {0, 1}
    assert len({row["fk_unit"] for row in rows}) > 3
    assert any(row["description"] for row in rows)
    assert all(float(row["price"]) > 0 for row in rows)
    assert all(row["date_creation"] < 1795219200 for row in rows)  # 2026-11-21
