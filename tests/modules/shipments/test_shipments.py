"""Shipments over HTTP: each operation with its success and what it refuses."""

from core.for_natives import bump
from core.testing import extra_field
from modules.dictionaries.models import ShippingMethod
from tests.modules.commercial.documents.desk import nothing_written

MISSING = 999999


def picked(record, **expected):
    assert {name: record[name] for name in expected} == expected


# Made from an order ---------------------------------------------------------------------------------------------------


def test_a_part_of_an_order(yard):
    order = yard.order(ref_client="PO-7", note_public="Ring twice.", delivery_date="2026-12-01", shipping_method_id=2)
    (line,) = yard.lines(order)
    made = yard.ship(order, "2.5", tracking_number="A 1", weight="1.25", weight_units=0, note_private="fragile")
    record = yard.read(made)
    picked(
        record, socid=yard.customer, origin="commande", origin_id=order, ref=f"(PROV{made})", statut=0, status=0,
        brouillon=1, ref_client="PO-7", ref_customer="PO-7", note_public="Ring twice.", note_private="fragile",
        date_delivery=1796083200, shipping_method_id=2, tracking_number="A 1", weight="1.25000000", weight_units=0,
        billed=0, date_valid=None,
    )  # fmt: skip
    assert list(record["linkedObjectsIds"]) == ["commande"]
    (shipped,) = record["lines"]
    picked(
        shipped, fk_origin_line=line, origin_line_id=line, qty="2.50000000", qty_asked="5.00000000", rang=1,
        entrepot_id=yard.place, fk_product=yard.lamp, product_label="Lamp, copper", movement_id=None,
    )  # fmt: skip
    assert made in yard.client.get(f"/orders/{order}")["linkedObjectsIds"]["shipping"].values()


def test_the_names_that_the_body_may_use(yard):
    order = yard.order()
    line = {"origin_line_id": yard.lines(order)[0], "qty": 1, "fk_entrepot": yard.place}
    for origin in ({"origin": "commande"}, {"origin": "order"}, {"origin_type": "commande"}):
        body = {"socid": yard.customer, "origin_id": order, "lines": [line], **origin}
        made = yard.client.ask("POST", "/shipments", body)
        assert yard.read(made)["lines"][0]["entrepot_id"] == yard.place


def test_contacts_come_from_the_order(yard):
    order = yard.order()
    person = yard.client.ask("POST", "/contacts", {"lastname": "Doe", "socid": yard.customer})
    yard.client.ask("POST", f"/orders/{order}/contact/{person}/SHIPPING")
    made = yard.ship(order)
    assert yard.read(made)["contacts_ids"] == [person]
    (row,) = yard.client.get(f"/shipments/{made}/contacts")
    assert row["code"] == "SHIPPING"
    yard.client.ask("POST", f"/shipments/{made}/contact/{person}/BILLING")
    yard.client.ask("DELETE", f"/shipments/{made}/contact/{person}/SHIPPING")
    assert [each["code"] for each in yard.client.get(f"/shipments/{made}/contacts")] == ["BILLING"]
    yard.client.ask("POST", f"/shipments/{made}/contact/{person}/BILLING", status=304)
    yard.client.refused("DELETE", f"/shipments/{made}/contact/{person}/SHIPPING", status=404)


def test_bodies_that_are_refused(yard):
    order, other, draft = yard.order(), yard.order(), yard.order(validated=False)
    line, foreign = yard.lines(order)[0], yard.lines(other)[0]
    stranger = yard.client.ask("POST", "/thirdparties", {"name": "Stranger"})

    def refused(status, body):
        return yard.client.refused("POST", "/shipments", body, status=status)

    def of(**fields):
        return {"origin_id": order, "lines": [{"fk_origin_line": line, "qty": 1, "entrepot_id": yard.place} | fields]}

    with nothing_written():
        assert "`origin_id` is required" in refused(400, {})
        assert f"Order {MISSING} not found" in refused(404, {"origin_id": MISSING})
        assert "it is a draft" in refused(405, {"origin_id": draft})
        assert "origin" in refused(400, {"origin_id": order, "origin": "propal"})
        assert "the third party of the order" in refused(400, {"origin_id": order, "socid": stranger})
        assert "shipping_method_id" in refused(400, {"origin_id": order, "shipping_method_id": 999})
        assert "lines[0].qty" in refused(400, of(qty=0))
        assert "lines[0].qty" in refused(400, of(qty=-1))
        assert "lines[0].qty" in refused(400, of(qty="0.000001"))
        assert "qty" in refused(400, {"origin_id": order, "lines": [{"fk_origin_line": line}]})
        assert "fk_origin_line" in refused(400, {"origin_id": order, "lines": [{"qty": 1}]})
        assert f"{MISSING} not found" in refused(404, of(fk_origin_line=MISSING))
        assert f"line {foreign} not found in order {order}" in refused(404, of(fk_origin_line=foreign))
        assert f"Warehouse {MISSING} not found" in refused(404, of(entrepot_id=MISSING))
        assert f"order line {line}: expected a quantity up to 5 (5 ordered, 0 shipped), got 6" in refused(
            405, of(qty=6)
        )
        two = of(qty=3)
        two["lines"] *= 2
        assert "up to 2 (5 ordered, 3 shipped), got 3" in refused(405, two)
        error = yard.client.ask("POST", "/shipments", of(qty="x") | {"weight": "y"}, status=400)["error"]
        assert {each["field"] for each in error["errors"]} == {"weight", "lines[0].qty"}


def test_drafts_hold_what_they_name(yard):
    order = yard.order()
    first = yard.ship(order, 3)
    message = yard.client.refused("POST", "/shipments", yard.body(order, 3), status=405)
    assert "up to 2 (5 ordered, 3 shipped), got 3" in message
    second = yard.ship(order, 2)
    assert "up to 0 (5 ordered, 5 shipped), got 0.5" in yard.client.refused(
        "POST", "/shipments", yard.body(order, "0.5"), status=405
    )
    yard.client.ask("DELETE", f"/shipments/{first}")
    assert yard.read(yard.ship(order, 3))["statut"] == 0
    # What a cancelled one held is left again
    yard.act(second, "validate")
    yard.act(second, "cancel")
    yard.ship(order, 2)


def test_titles_are_not_shipped(yard):
    order = yard.order({"desc": "Part one", "product_type": 9}, {"desc": "Desk", "qty": 1, "subprice": 5})
    title, desk = yard.lines(order)
    body = {"origin_id": order, "lines": [{"fk_origin_line": title, "qty": 1}]}
    assert "is a title" in yard.client.refused("POST", "/shipments", body, status=405)
    rest = yard.client.ask("POST", f"/orders/{order}/shipment/{yard.place}")
    assert [line["fk_origin_line"] for line in yard.read(rest)["lines"]] == [desk]


# The paths of orders --------------------------------------------------------------------------------------------------


def test_all_that_is_left_of_an_order(yard):
    order = yard.order(
        {"fk_product": yard.lamp, "qty": 5}, {"fk_product": yard.advice, "qty": 2}, {"desc": "x", "qty": 1}
    )
    lamps, advice, text = yard.lines(order)
    path = f"/orders/{order}/shipment"
    assert yard.client.get(path) == []
    part = yard.ship(order, 2)
    rest = yard.client.ask("POST", f"{path}/{yard.place}")
    shown = [(line["fk_origin_line"], line["qty"], line["entrepot_id"]) for line in yard.read(rest)["lines"]]
    # What is no goods leaves no warehouse
    assert shown == [(lamps, "3.00000000", yard.place), (advice, "2.00000000", None), (text, "1.00000000", None)]
    assert [each["id"] for each in yard.client.get(path)] == [part, rest]
    assert [each["id"] for each in yard.client.get(path, sortfield="t.rowid", sortorder="DESC", limit=1)] == [rest]
    assert "has nothing left to ship" in yard.client.refused("POST", f"{path}/{yard.place}", status=405)


def test_orders_that_are_not_there(yard):
    order, draft = yard.order(), yard.order(validated=False)
    assert "it is a draft" in yard.client.refused("POST", f"/orders/{draft}/shipment/{yard.place}", status=405)
    yard.client.refused("POST", f"/orders/{order}/shipment/0", status=400)


# Reading and changing -------------------------------------------------------------------------------------------------


def test_lists_and_references(yard):
    order = yard.order()
    made = yard.ship(order, 1, ref_ext=f"EXT-{order}", validated=True)
    ref = yard.read(made)["ref"]
    client = yard.client
    assert client.get(f"/shipments/ref/{ref}")["id"] == client.get(f"/shipments/ref_ext/EXT-{order}")["id"] == made
    assert made in [each["id"] for each in client.get("/shipments", thirdparty_ids=yard.customer, limit=0)]
    assert client.get("/shipments", thirdparty_ids=MISSING) == []
    found = client.get("/shipments", sqlfilters=f"(t.ref:=:'{ref}')", properties="id,ref")
    assert found == [{"id": made, "ref": ref}]
    assert client.get("/shipments", sqlfilters=f"(t.fk_commande:=:{order}) and (t.fk_statut:=:1)")[0]["id"] == made
    for path in (f"/shipments/{MISSING}", "/shipments/ref/NONE", "/shipments/ref_ext/NONE"):
        client.get(path, status=404)
    client.get("/shipments", status=400, sqlfilters="(t.nothing:=:1)")


def test_changes(yard):
    order = yard.order()
    made = yard.ship(order, validated=True)
    path = f"/shipments/{made}"
    record = yard.client.ask("PUT", path, {"tracking_number": "T 1/2"})
    picked(record, tracking_number="T 1/2", statut=1)
    # PUT keeps what is not sent, in both profiles
    record = yard.client.ask("PUT", path, {"billed": 1, "statut": 0, "socid": MISSING, "origin_id": MISSING})
    picked(record, billed=1, tracking_number="T 1/2", statut=1, socid=yard.customer, origin_id=order)
    record = yard.client.ask("PATCH", path, {"weight": "2", "date_shipping": "2026-11-22T10:00:00Z"})
    picked(record, weight="2.00000000", billed=1, date_shipping=1795341600)
    yard.client.refused("PATCH", path, {"billed": 7}, status=400)
    assert yard.client.ask("PUT", path, yard.client.get(path))["weight"] == "2.00000000"


def test_where_a_parcel_is_followed(yard):
    method = yard.client.get("/setup/dictionary/shipping_methods")[0]
    address = "https://parcels.example/{TRACKID}?lang=en"
    ShippingMethod.update(tracking=address).where(ShippingMethod.id == method["id"]).execute()
    bump()
    made = yard.ship(yard.order(), shipping_method_id=method["id"], tracking_number="A/1")
    record = yard.read(made)
    assert record["shipping_method"] == method["label"]
    assert record["tracking_url"] == "https://parcels.example/A%2F1?lang=en"
    assert yard.client.ask("PATCH", f"/shipments/{made}", {"tracking_number": ""})["tracking_url"] is None


def test_extra_fields(yard, admin):
    with extra_field(admin, "expedition", "crane"), extra_field(admin, "expeditiondet", "box"):
        order = yard.order()
        body = yard.body(order, array_options={"options_crane": "left"})
        body["lines"][0]["array_options"] = {"options_box": "B7"}
        record = yard.read(admin.ask("POST", "/shipments", body))
        assert record["array_options"] == {"options_crane": "left"}
        assert record["lines"][0]["array_options"] == {"options_box": "B7"}


# Lines ----------------------------------------------------------------------------------------------------------------


def test_lines_of_a_draft(yard):
    order = yard.order({"fk_product": yard.lamp, "qty": 5}, {"desc": "x", "qty": 4})
    lamps, texts = yard.lines(order)
    path = f"/shipments/{yard.ship(order, 2)}/lines"
    client = yard.client
    added = client.ask("POST", path, {"fk_origin_line": texts, "qty": 1})
    assert client.ask("POST", path, [{"fk_origin_line": texts, "qty": 1}, {"fk_origin_line": lamps, "qty": 1}])
    assert [line["qty"][0] for line in client.get(path)] == ["2", "1", "1", "1"]
    assert added in [line["id"] for line in client.get(path, sqlfilters=f"(d.fk_origin_line:=:{texts})")]
    # Two of the texts are held by these lines, so that one of them may hold three
    record = client.ask("PUT", f"{path}/{added}", {"qty": 3})
    assert {line["id"]: line["qty"] for line in record["lines"]}[added] == "3.00000000"
    message = client.refused("PUT", f"{path}/{added}", {"qty": 4}, status=405)
    assert f"order line {texts}: expected a quantity up to 3 (4 ordered, 1 shipped), got 4" in message
    record = client.ask("PATCH", f"{path}/{added}", {"entrepot_id": yard.place, "rang": 1})
    assert (record["lines"][0]["id"], record["lines"][0]["qty"]) == (added, "3.00000000")
    # The line of the order stays
    assert client.ask("PATCH", f"{path}/{added}", {"fk_origin_line": lamps})["lines"][0]["fk_origin_line"] == texts
    assert client.ask("DELETE", f"{path}/{added}")["success"]["message"] == "Line deleted"
    assert added not in [line["id"] for line in client.get(path)]
    for verb, where, body in (
        ("POST", path, {"fk_origin_line": MISSING, "qty": 1}), ("PUT", f"{path}/{added}", {"qty": 1}),
        ("PATCH", f"{path}/{added}", {"qty": 1}), ("DELETE", f"{path}/{added}", None),
        ("GET", f"/shipments/{MISSING}/lines", None), ("POST", f"/shipments/{MISSING}/lines", {"qty": 1}),
    ):  # fmt: skip
        client.refused(verb, where, *([body] if body else []), status=404)
    client.refused("POST", path, {"fk_origin_line": texts, "qty": 0}, status=400)


def test_lines_of_another_shipment(yard):
    order = yard.order()
    one, two = yard.ship(order, 1), yard.ship(order, 1)
    (line,) = yard.read(two)["lines"]
    for verb in ("PUT", "PATCH"):
        yard.client.refused(verb, f"/shipments/{one}/lines/{line['id']}", {"qty": 1}, status=404)
    yard.client.refused("DELETE", f"/shipments/{one}/lines/{line['id']}", status=404)


def test_an_order_with_shipments_stays_with_its_third_party(yard):
    order = yard.order()
    made = yard.ship(order)
    other = yard.client.ask("POST", "/thirdparties", {"name": "Elsewhere", "client": 1})
    message = yard.client.refused("PATCH", f"/orders/{order}", {"socid": other}, status=405)
    assert f"(PROV{made})" in message
    assert int(yard.client.get(f"/orders/{order}")["socid"]) == int(yard.read(made)["socid"]) == yard.customer
    yard.client.ask("PATCH", f"/orders/{order}", {"socid": yard.customer, "note_public": "as before"})
    yard.client.ask("DELETE", f"/shipments/{made}")
    yard.client.ask("PATCH", f"/orders/{order}", {"socid": other})
