"""Amounts of an invoice: stamp, progress of the work, lines."""

from tests.modules.invoices.invoices import LINE, read


def test_the_stamp_is_part_of_the_total(admin, make):
    # 60.00 + 12.00 VAT + 1.60 stamp
    identifier = make(LINE, revenuestamp="1.6")
    record = read(admin, identifier)
    assert (record["total_ht"], record["total_ttc"], record["remaintopay"]) == (
        "60.00000000",
        "73.60000000",
        "73.60000000",
    )
    assert record["multicurrency_total_ttc"] == "73.60000000"
    assert admin.ask("PATCH", f"/invoices/{identifier}", {"revenuestamp": 2})["total_ttc"] == "74.00000000"
    admin.ask("POST", f"/invoices/{identifier}/lines", {"qty": 1, "subprice": 1})
    assert read(admin, identifier)["total_ttc"] == "75.00000000"


def test_progress_of_the_work(admin, make):
    # 2 × 100 × 25 % = 50.00, VAT 10.00
    identifier = make({"qty": 2, "subprice": 100, "tva_tx": 20, "situation_percent": 25}, type=5)
    record = read(admin, identifier)
    line = record["lines"][0]
    assert (line["situation_percent"], line["total_ht"], record["total_ttc"]) == (
        "25.00000000", "50.00000000", "60.00000000",
    )  # fmt: skip
    path = f"/invoices/{identifier}/lines/{line['id']}"
    assert admin.ask("PATCH", path, {"situation_percent": 50})["total_ht"] == "100.00000000"
    assert admin.ask("PATCH", path, {"situation_percent": 0})["total_ht"] == "0.00000000"
    # PUT of a line resets what is not sent
    assert admin.ask("PUT", path, {"qty": 1, "subprice": 10})["total_ht"] == "10.00000000"


def test_fields_of_a_line(admin, make):
    sent = {"ref_ext": "L1", "fk_prev_id": 4, "fk_code_ventilation": 6, "situation_percent": "100"}
    identifier = make({"qty": 1, "subprice": 1, **sent}, {"subprice": 0})
    first, second = read(admin, identifier)["lines"]
    assert [first[name] for name in ("ref_ext", "fk_prev_id", "fk_code_ventilation", "code_ventilation")] == [
        "L1", 4, 6, 6,
    ]  # fmt: skip
    assert [second[name] for name in ("ref_ext", "fk_prev_id", "fk_code_ventilation", "situation_percent")] == [
        "", None, 0, "100.00000000",
    ]  # fmt: skip
    path = f"/invoices/{identifier}/lines/{first['id']}"
    line = admin.ask("PUT", path, {"qty": 2, "fk_facture": make()})["lines"][0]
    # Surprise 39: what is not sent is reset
    assert (line["subprice"], line["ref_ext"], line["fk_facture"]) == ("0.00000000", "", identifier)
    line = admin.ask("PATCH", path, {"ref_ext": "L2", "fk_remise_except": 3})["lines"][0]
    assert (line["ref_ext"], line["qty"], line["fk_remise_except"]) == ("L2", "2.00000000", None)
