"""What moving a shipment does to goods and orders."""

from decimal import Decimal

import pytest

from core.common.clock import as_if
from tests.modules.commercial.documents.desk import nothing_written
from tests.modules.stock.goods import check_sums
from tests.moments import LEAP_DAY_END


@pytest.fixture(autouse=True)
def _sums_are_right(yard):
    yield
    check_sums()


def test_goods_are_out_and_the_order_is_in_shipment_while_one_is_validated_or_closed(yard):
    order, start = yard.order(), yard.stock()
    made = yard.ship(order, 2)
    moves = {"validate": True, "close": True, "reopen": True, "settodraft": False, " validate": True, "cancel": False}
    for move, out in moves.items():
        yard.act(made, move.strip())
        assert (yard.stock(), sum(yard.moved(made))) == ((start - 2, -2) if out else (start, 0)), move
        assert yard.state(order) == (2 if out else 1)
        assert (yard.read(made)["lines"][0]["movement_id"] is not None) is out


def test_validating(yard, constant):
    order = yard.order()
    made = yard.ship(order)
    with as_if(LEAP_DAY_END):
        record = yard.act(made, "validate")
    assert record["ref"].startswith("SH")
    assert record["date_valid"] == LEAP_DAY_END
    assert record["fk_user_valid"] == record["fk_user_author"]
    (movement,) = yard.client.get("/stockmovements", sqlfilters=f"(t.rowid:=:{record['lines'][0]['movement_id']})")
    shown = {name: movement[name] for name in ("origin_type", "origin_id", "product_id", "warehouse_id", "qty")}
    assert shown == {
        "origin_type": "shipping", "origin_id": made, "product_id": yard.lamp, "warehouse_id": yard.place,
        "qty": "-2.00000000",
    }  # fmt: skip
    # The reference stays, and numbers have no gaps
    yard.act(made, "settodraft")
    assert yard.act(made, "validate")["ref"] == record["ref"]
    assert yard.moved(made) == [-2, 2, -2]
    first = yard.act(yard.ship(order, 1), "validate")["ref"]
    second = yard.act(yard.ship(order, 1), "validate")["ref"]
    assert int(second[-4:]) == int(first[-4:]) + 1 == int(record["ref"][-4:]) + 2
    constant("EXPEDITION_ADDON_NUMBER", "mod_expedition_ribera")
    constant("EXPEDITION_RIBERA_MASK", "PARCEL-{000}")
    assert yard.act(yard.ship(order, 1), "validate")["ref"] == "PARCEL-001"


def test_what_is_not_validated(yard, constant):
    order = yard.order()
    empty = yard.client.ask("POST", "/shipments", {"origin_id": order})
    assert "must have lines" in yard.client.refused("POST", f"/shipments/{empty}/validate", status=405)
    body = yard.body(order, 1)
    del body["lines"][0]["entrepot_id"]
    nowhere = yard.client.ask("POST", "/shipments", body)
    with nothing_written():
        message = yard.client.refused("POST", f"/shipments/{nowhere}/validate", status=405)
        assert "needs a warehouse for line " in message
    # Goods of which there are too few, where that is forbidden
    more = yard.order({"fk_product": yard.lamp, "qty": 5000})
    much = yard.ship(more, 4000)
    constant("STOCK_ALLOW_NEGATIVE_TRANSFER", "0")
    with nothing_written():
        assert "not enough stock" in yard.client.refused("POST", f"/shipments/{much}/validate", status=405)
    constant("STOCK_ALLOW_NEGATIVE_TRANSFER", "1")
    yard.act(much, "validate")
    yard.act(much, "cancel")
    # A warehouse that has been closed
    other = yard.client.ask("POST", "/warehouses", {"label": f"Old quay {order}"})
    line = {"fk_origin_line": yard.lines(order)[0], "qty": 1, "entrepot_id": other}
    made = yard.client.ask("POST", "/shipments", {"origin_id": order, "lines": [line]})
    yard.client.ask("PATCH", f"/warehouses/{other}", {"statut": 0})
    assert "is closed" in yard.client.refused("POST", f"/shipments/{made}/validate", status=405)
    assert "is used by" in yard.client.refused("DELETE", f"/warehouses/{other}", status=405)


def test_texts_and_services_are_carried_along(yard):
    order = yard.order({"fk_product": yard.advice, "qty": 2}, {"desc": "x", "qty": 1})
    made = yard.client.ask("POST", f"/orders/{order}/shipment/{yard.place}")
    yard.act(made, "validate")
    assert (yard.moved(made), yard.state(order)) == ([], 2)


def test_goods_that_do_not_move(yard, admin, constant):
    order, start = yard.order(), yard.stock()
    constant("STOCK_CALCULATE_ON_SHIPMENT", "0")
    made = yard.ship(order, validated=True)
    assert (yard.moved(made), yard.stock(), yard.state(order)) == ([], start, 2)
    # What has not left does not come back, whatever is set by then
    constant("STOCK_CALCULATE_ON_SHIPMENT", "1")
    yard.act(made, "settodraft")
    assert (yard.moved(made), yard.stock(), yard.state(order)) == ([], start, 1)
    wrong = {"value": "maybe"}
    assert "expected 0 or 1, got" in admin.refused("PUT", "/setup/conf/STOCK_CALCULATE_ON_SHIPMENT", wrong, status=400)


def test_an_order_follows_all_its_shipments(yard):
    order = yard.order()
    one, two = yard.ship(order, 2, validated=True), yard.ship(order, 3, validated=True)
    assert yard.state(order) == 2
    yard.act(one, "settodraft")
    assert yard.state(order) == 2
    yard.act(two, "cancel")
    assert yard.state(order) == 1
    yard.act(one, "validate")
    yard.act(one, "close")
    assert yard.state(order) == 2
    # Closing the order is up to whoever does it; opened again it is in shipment
    yard.client.ask("POST", f"/orders/{order}/close")
    assert "is closed" in yard.client.refused("POST", "/shipments", yard.body(order, 1), status=405)
    assert yard.client.ask("POST", f"/orders/{order}/reopen")["id"] == order
    assert yard.state(order) == 2


def test_a_draft_of_an_order_that_has_been_closed(yard):
    order = yard.order()
    made = yard.ship(order)
    yard.client.ask("POST", f"/orders/{order}/close")
    with nothing_written():
        assert "can't ship order" in yard.client.refused("POST", f"/shipments/{made}/validate", status=405)


def test_an_order_that_is_shipped_stays(yard):
    order = yard.order()
    made = yard.ship(order)
    line = yard.lines(order)[0]
    path = f"/orders/{order}"
    for verb, where, body in (
        ("POST", f"{path}/settodraft", None), ("POST", f"{path}/cancel", None), ("DELETE", path, None),
        ("DELETE", f"{path}/lines/{line}", None), ("PUT", f"{path}/lines/{line}", {"qty": 1}),
    ):  # fmt: skip
        for state in ("draft", "validated"):
            with nothing_written():
                message = yard.client.refused(verb, where, *([body] if body else []), status=405)
            if "lines" not in where and state == "draft":
                assert f"is used by shipments ((PROV{made}))" in message
            if state == "draft":
                yard.act(made, "validate")
            else:
                yard.act(made, "settodraft")
                yard.client.ask("PATCH", f"/shipments/{made}", {"billed": 0})
        record = yard.read(made)
        made = made if record["ref"].startswith("(") else _renewed(yard, order, made)
    # A cancelled one holds nothing, yet says where goods have been
    yard.act(made, "validate")
    yard.act(made, "cancel")
    assert "can't delete: the order" in yard.client.refused("DELETE", path, status=405)
    yard.client.ask("POST", f"{path}/settodraft")
    assert "is used by" in yard.client.refused("DELETE", f"{path}/lines/{line}", status=405)
    yard.client.ask("DELETE", f"/shipments/{made}")
    yard.client.ask("DELETE", path)


def _renewed(yard, order, made):
    """Another draft instead of one that has had a reference."""
    yard.client.ask("DELETE", f"/shipments/{made}")
    return yard.ship(order)


def test_quantities_are_exact(yard):
    order = yard.order({"fk_product": yard.lamp, "qty": "0.3"})
    for _ in range(3):
        yard.ship(order, "0.1", validated=True)
    message = yard.client.refused("POST", "/shipments", yard.body(order, "0.00001"), status=405)
    assert "up to 0 (0.3 ordered, 0.3 shipped), got 0.00001" in message
    assert sum(sum(yard.moved(each["id"])) for each in yard.client.get(f"/orders/{order}/shipment")) == Decimal("-0.3")


def test_what_stock_expects(yard):
    order = yard.order({"fk_product": yard.lamp, "qty": 10})

    def promised():
        record = yard.client.get(f"/products/{yard.lamp}", includestockdata=1)
        return Decimal(record["stock_reel"]) - Decimal(record["stock_theorique"])

    before = promised()
    yard.ship(order, 4, validated=True)
    assert promised() == before - 4


def test_an_external_user_who_takes_a_shipment_back_brings_its_goods_back(admin, server, yard):
    shipment = yard.ship(yard.order(), validated=True)
    left = yard.stock()
    rights = ("shipments.read", "shipments.write", "shipments.validate", "shipments.close", "orders.read")
    stranger = server.user(*rights, socid=yard.customer)
    stranger.ask("POST", f"/shipments/{shipment}/settodraft", {})
    assert yard.stock() == left + 2
    assert yard.moved(shipment) == [Decimal(-2), Decimal(2)]
