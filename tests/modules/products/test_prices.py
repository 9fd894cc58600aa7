"""Prices, durations, units and stock of products over HTTP; the arithmetic: test_product_prices.py."""

import pytest

from core.storage.database import ensure_connected
from modules.setup.constants import set_constant, unset_constant
from tests.modules.products.products import make, wrong_fields


def prices(record):
    names = ("price", "price_ttc", "price_min", "price_min_ttc")
    return tuple(record[name].removesuffix("000") for name in names)


# Prices ---------------------------------------------------------------------------------------------------------------


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
def test_prices_follow_from_each_other(admin, body, expected):
    assert prices(admin.get(f"/products/{make(admin, **body)}")) == expected


def test_prices_are_changed(admin):
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


def test_the_places_of_a_price_can_be_set(admin):
    ensure_connected()
    set_constant("MAIN_MAX_DECIMALS_UNIT", "2")
    try:
        record = admin.get(f"/products/{make(admin, price='1.005', tva_tx='5.5')}")
    finally:
        unset_constant("MAIN_MAX_DECIMALS_UNIT")
    # 1.01 × 1.055 = 1.06555
    assert prices(record) == ("1.01000", "1.07000", "0.00000", "0.00000")


def test_a_price_that_was_agreed_on_survives_being_sent_back(admin):
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


def test_prices_that_no_database_keeps(admin):
    """ExactField: 9.2·10¹⁰ at eight places, and what follows from a price must fit, too."""
    largest = "92233720368"
    assert admin.get(f"/products/{make(admin, price=largest)}")["price_ttc"] == f"{largest}.00000000"
    assert "price" in wrong_fields(admin, {"ref": "x", "label": "x", "price": largest, "tva_tx": 20})
    assert "price_ttc" in wrong_fields(
        admin, {"ref": "x", "label": "x", "price_ttc": "92233720368.547758", "price_base_type": "TTC"}
    )


def test_a_lowest_price_above_the_price(admin):
    assert "price_min" in wrong_fields(admin, {"ref": "x", "label": "x", "price": 10, "price_min": "10.00001"})
    make(admin, price=10, price_min=10)


# Durations, units, stock ----------------------------------------------------------------------------------------------


def test_a_duration_has_two_parts(admin):
    def parts(record):
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
def test_durations_that_do_not_fit(admin, body):
    assert "duration" in wrong_fields(admin, {"ref": "x", "label": "x", **body})
    assert "duration" in wrong_fields(admin, body, "PUT", f"/products/{make(admin)}")


def test_width_and_height_take_the_unit_of_the_length(admin):
    def units(record):
        return record["length_units"], record["width_units"], record["height_units"]

    path = f"/products/{make(admin, length=1, length_units=-2, height_units=0)}"
    assert units(admin.get(path)) == (-2, -2, 0)
    assert units(admin.ask("PUT", path, {"length_units": -3})) == (-3, -2, 0)
    path = f"/products/{make(admin)}"
    assert units(admin.get(path)) == (None, None, None)
    assert units(admin.ask("PUT", path, {"length_units": -1})) == (-1, -1, -1)


def test_a_unit_must_exist(admin):
    identifier = make(admin, fk_unit="")
    assert admin.get(f"/products/{identifier}")["fk_unit"] is None
    for verb, path in (("POST", "/products"), ("PUT", f"/products/{identifier}")):
        message = admin.refused(verb, path, {"ref": "No unit", "label": "x", "fk_unit": 999}, status=404)
        assert message == "Not Found: Unit 999 not found"


def test_stock_cannot_be_written(admin):
    for verb, path in (("POST", "/products"), ("PUT", f"/products/{make(admin)}")):
        assert "stock" in wrong_fields(admin, {"ref": "x", "label": "x", "stock_reel": 4}, verb, path)["stock_reel"]
