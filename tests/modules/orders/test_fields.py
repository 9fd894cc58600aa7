"""Fields of an order and of its lines, and how PUT and PATCH differ."""

from tests.modules.orders.orders import DAY, EARLIER, picked, totals

#: fields of a line, what is sent, what is read back, and what a line has that does not say it
LINE_FIELDS = {
    "desc": ("a <i>text</i>", "a <i>text</i>", ""),
    "label": ("a label", "a label", None),
    "product_type": (1, 1, 0),
    "qty": ("2.5", "2.50000000", "0.00000000"),
    "subprice": ("9.87654321", "9.87654000", "0.00000000"),
    "tva_tx": ("19.6", "19.6000", "0.0000"),
    "vat_src_code": ("ABC", "ABC", ""),
    "remise_percent": ("12.3456", "12.3460", "0.0000"),
    "date_start": (EARLIER, EARLIER, None),
    "date_end": (DAY, DAY, None),
    "info_bits": (2, 2, 0),
    "special_code": (4, 4, 0),
    "fk_unit": (2, 2, None),
    "pa_ht": ("5.5", "5.50000000", "0.00000000"),
    "fk_fournprice": (8, 8, None),
    "ref_ext": ("L-1", "L-1", ""),
}

# Fields ---------------------------------------------------------------------------------------------------------------


def test_the_day_can_be_named_twice(admin, make):
    # The value used is date_commande if given, else date
    identifier = make(date="2026-11-21", date_commande="2025-01-15")
    assert admin.get(f"/orders/{identifier}")["date"] == EARLIER
    # A client that sends back what it has read, and has changed one of them, is understood whichever it is
    for name in ("date", "date_commande"):
        record = admin.get(f"/orders/{make()}")
        changed = admin.ask("PUT", f"/orders/{record['id']}", record | {name: "2025-01-15"})
        assert (changed["date"], changed["date_commande"]) == (EARLIER, EARLIER)
    changed = admin.ask("PUT", f"/orders/{make()}", {"date": "", "date_commande": "2025-01-15"})
    assert changed["date"] == EARLIER
    for name, other in (("date_commande", "date"), ("date", "date_commande")):
        body = {name: "soon", other: "2025-01-15"}
        assert f"`{name}`" in admin.refused("PUT", f"/orders/{make()}", body, status=400)


def test_nothing_chosen_is_no_identifier(admin, make):
    record = admin.get(f"/orders/{make(availability_id=0, demand_reason_id='0')}")
    assert (record["availability_id"], record["demand_reason_id"]) == (None, None)


# PUT and PATCH --------------------------------------------------------------------------------------------------------


# Lines ----------------------------------------------------------------------------------------------------------------


def test_put_of_a_line_resets_and_patch_keeps(admin, make, extrafield):
    extrafield("commandedet", "colour")
    sent = {name: value for name, (value, _, _) in LINE_FIELDS.items()} | {"array_options": {"options_colour": "red"}}
    identifier = make(sent)
    line = admin.get(f"/orders/{identifier}")["lines"][0]
    path = f"/orders/{identifier}/lines/{line['id']}"

    patched = admin.ask("PATCH", path, {"qty": 5})
    assert patched["lines"][0]["qty"] == "5.00000000"
    expected = {name: value for name, (_, value, _) in LINE_FIELDS.items()} | {"qty": "5.00000000"}
    assert picked(patched["lines"][0], LINE_FIELDS) == expected

    # PUT sets what is not sent back to its default; an extra field stays
    put = admin.ask("PUT", path, {"qty": 5})
    expected = {name: value for name, (_, _, value) in LINE_FIELDS.items()} | {"qty": "5.00000000"}
    assert picked(put["lines"][0], LINE_FIELDS) == expected
    assert put["lines"][0]["array_options"] == {"options_colour": "red"}
    assert totals(put["lines"][0]) == totals(put) == ("0.00000000",) * 3


def test_a_reset_line_takes_from_its_product_again(admin, make):
    chair = admin.ask("POST", "/products", {"ref": "CHAIR", "label": "Chair", "price": 80, "tva_tx": "5.5"})
    identifier = make({"fk_product": chair, "qty": 2, "subprice": 10, "tva_tx": 20})
    line = admin.get(f"/orders/{identifier}")["lines"][0]["id"]
    # 3 × 80 = 240, VAT 13.20
    record = admin.ask("PUT", f"/orders/{identifier}/lines/{line}", {"qty": 3})
    assert totals(record) == ("240.00000000", "13.20000000", "253.20000000")
    assert (record["lines"][0]["fk_product"], record["lines"][0]["product_ref"]) == (chair, "CHAIR")
