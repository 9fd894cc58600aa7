"""Amounts of lines and their sums, on each kind of document."""

from tests.modules.commercial.documents.desk import totals


def test_decimals_are_those_of_the_constants(desk, constant):
    constant("MAIN_MAX_DECIMALS_UNIT", "2")
    constant("MAIN_MAX_DECIMALS_TOT", "3")
    constant("MAIN_MAX_DECIMALS_STOCK", "1")
    record = desk.made({"qty": "1.25", "subprice": "9.876", "tva_tx": 20})
    line = record["lines"][0]
    assert (line["qty"], line["subprice"]) == ("1.30000000", "9.88000000")
    # 1.25 × 9.876 = 12.345, and × 1.2 = 14.814
    assert totals(record) == ("12.345", "2.469", "14.814")


def test_a_price_that_is_not_sent_stays_one_without_vat(desk, admin):
    record = desk.made({"qty": 1, "subprice": 100, "tva_tx": 20})
    path = desk.path(record["id"], "lines", record["lines"][0]["id"])
    changed = admin.ask("PATCH", path, {"qty": 2, "price_base_type": "TTC"})
    assert totals(changed) == ("200.00", "40.00", "240.00")


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
