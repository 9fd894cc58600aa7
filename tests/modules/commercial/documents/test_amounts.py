"""Amounts of lines and their sums, on each kind of document."""

import pytest

from tests.modules.commercial.documents.desk import totals


@pytest.mark.parametrize(
    ("qty", "subprice", "rate", "discount", "expected"),
    [
        ("3", "0.333", "20", "0", ("1.00", "0.20", "1.20")),
        ("1", "1.005", "20", "0", ("1.01", "0.20", "1.21")),
        ("1.23456789", "9.87654321", "19.6", "12.3456", ("10.69", "2.09", "12.78")),
        ("3", "19.99", "20", "33.333", ("39.98", "8.00", "47.98")),
        ("3", "19.99", "20", "10", ("53.97", "10.80", "64.77")),
        ("1", "10.025", "20", "0", ("10.03", "2.00", "12.03")),
        ("-1", "0.125", "0", "0", ("-0.13", "0.00", "-0.13")),
        ("-2", "10", "20", "0", ("-20.00", "-4.00", "-24.00")),
    ],
)
def test_the_table_of_lines(desk, admin, qty, subprice, rate, discount, expected):
    line = {"qty": qty, "subprice": subprice, "tva_tx": rate, "remise_percent": discount}
    record = desk.made(line)
    assert totals(record) == totals(record["lines"][0]) == expected
    empty = desk.make()
    admin.ask("POST", desk.path(empty, "lines"), line)
    assert totals(desk.read(empty)) == expected


@pytest.mark.parametrize(
    ("count", "line", "plain", "per_rate"),
    [
        (10, {"qty": 1, "subprice": "0.33", "tva_tx": 20}, ("3.30", "0.70", "4.00"), ("3.30", "0.66", "3.96")),
        (3, {"qty": 1, "subprice": "0.05", "tva_tx": "5.5"}, ("0.15", "0.00", "0.15"), ("0.15", "0.01", "0.16")),
    ],
)
def test_vat_is_rounded_by_line_or_by_rate(desk, admin, constant, count, line, plain, per_rate):
    assert totals(desk.made(*[line] * count)) == plain
    constant("MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND", "1")
    at_once = desk.made(*[line] * count)
    one_by_one = desk.make()
    for _ in range(count):
        admin.ask("POST", desk.path(one_by_one, "lines"), line)
    for record in (at_once, desk.read(one_by_one)):
        assert totals(record) == per_rate
        # The difference is stored in the lines
        assert f"{sum(float(each['total_tva']) for each in record['lines']):.2f}" == per_rate[1]


def test_decimals_are_those_of_the_constants(desk, constant):
    constant("MAIN_MAX_DECIMALS_UNIT", "2")
    constant("MAIN_MAX_DECIMALS_TOT", "3")
    constant("MAIN_MAX_DECIMALS_STOCK", "1")
    record = desk.made({"qty": "1.25", "subprice": "9.876", "tva_tx": 20})
    line = record["lines"][0]
    assert (line["qty"], line["subprice"]) == ("1.30000000", "9.88000000")
    # 1.25 × 9.876 = 12.345, and × 1.2 = 14.814
    assert totals(record) == ("12.345", "2.469", "14.814")


def test_totals_are_rounded_to_the_smallest_coin(desk, constant):
    constant("MAIN_ROUNDING_RULE_TOT", "0.05")
    record = desk.made({"qty": 1, "subprice": "10.025", "tva_tx": 20})
    # 12.03 becomes 12.05; the line keeps its cents
    assert (*totals(record), record["rounding_amount"]) == ("10.03", "2.00", "12.05", "0.02000000")
    assert totals(record["lines"][0]) == ("10.03", "2.00", "12.03")


def test_a_price_with_vat(desk, admin):
    identifier = desk.make()
    line = {"qty": 3, "subprice": "9.99", "tva_tx": "5.5", "price_base_type": "TTC"}
    admin.ask("POST", desk.path(identifier, "lines"), line)
    record = desk.read(identifier)
    assert totals(record) == totals(record["lines"][0]) == ("28.41", "1.56", "29.97")
    assert record["lines"][0]["subprice"] == "9.46919000"
    # Sent again
    record = admin.ask("PATCH", desk.path(identifier, "lines", record["lines"][0]["id"]), line)
    assert totals(record) == ("28.41", "1.56", "29.97")
    for wrong in ("TTX", 1, ["TTC"]):
        admin.refused("POST", desk.path(identifier, "lines"), line | {"price_base_type": wrong}, status=400)


def test_a_price_that_is_not_sent_stays_one_without_vat(desk, admin):
    record = desk.made({"qty": 1, "subprice": 100, "tva_tx": 20})
    path = desk.path(record["id"], "lines", record["lines"][0]["id"])
    changed = admin.ask("PATCH", path, {"qty": 2, "price_base_type": "TTC"})
    assert totals(changed) == ("200.00", "40.00", "240.00")


def test_titles_do_not_count(desk):
    record = desk.made({"desc": "title", "product_type": 9, "qty": 1, "subprice": 1000, "tva_tx": 20},
                       {"qty": 1, "subprice": 10, "tva_tx": 20})  # fmt: skip
    assert totals(record) == ("10.00", "2.00", "12.00")


def test_vat_that_is_not_charged(desk):
    record = desk.made({"qty": 1, "subprice": 100, "tva_tx": 20, "info_bits": 1})
    assert totals(record) == ("100.00", "0.00", "100.00")
    assert totals(record["lines"][0]) == ("100.00", "0.00", "100.00")


def test_local_taxes_come_from_the_dictionary(desk, admin, constant):
    constant("MAIN_INFO_SOCIETE_COUNTRY", "4:ES:Spain")
    line = {"qty": 2, "subprice": "50", "tva_tx": "21", "localtax1_tx": "1", "localtax2_tx": "-15"}
    buyer = admin.ask("POST", "/thirdparties", {"name": "Comprador", "country_id": 4})
    record = desk.made(line, line | {"product_type": 1}, {"qty": 1, "subprice": 10, "tva_tx": 21}, socid=buyer)
    goods, service, plain = record["lines"]
    # 5.2 % on products (type 3), -15 % on services (type 5); what the line says of the first one is its wish alone
    assert [goods[name] for name in ("localtax1_tx", "localtax1_type", "localtax2_tx", "localtax2_type")] == [
        "5.2000", "3", "-15.0000", "5",
    ]  # fmt: skip
    assert (goods["total_localtax1"], goods["total_localtax2"]) == ("5.20000000", "0.00000000")
    assert (service["total_localtax1"], service["total_localtax2"]) == ("0.00000000", "-15.00000000")
    assert totals(goods) == ("100.00", "21.00", "126.20")
    assert totals(service) == ("100.00", "21.00", "106.00")
    assert totals(plain) == ("10.00", "2.10", "12.10")
    assert (record["total_localtax1"], record["total_localtax2"]) == ("5.20000000", "-15.00000000")
    assert totals(record) == ("210.00", "44.10", "244.30")
    # A quantity alone: the taxes stay; 300 × 5.2 %
    record = admin.ask("PATCH", desk.path(record["id"], "lines", goods["id"]), {"qty": 6})
    assert record["total_localtax1"] == "15.60000000"


def test_without_local_taxes_in_the_country_none_is_kept(desk):
    line = desk.made({"qty": 1, "subprice": 100, "tva_tx": 20, "localtax1_tx": "5.2"})["lines"][0]
    assert (line["localtax1_tx"], line["localtax1_type"], line["total_localtax1"]) == ("0.0000", "0", "0.00000000")


def test_a_rate_may_carry_its_code(desk, admin):
    identifier = desk.make({"qty": 1, "subprice": 10, "tva_tx": "20 (ABC)"})
    admin.ask("POST", desk.path(identifier, "lines"), {"qty": 1, "subprice": 10, "tva_tx": "5.5(X)"})
    lines = desk.read(identifier)["lines"]
    assert [(line["tva_tx"], line["vat_src_code"]) for line in lines] == [("20.0000", "ABC"), ("5.5000", "X")]
