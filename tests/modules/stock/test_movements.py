"""Movements of goods over HTTP, and what follows from them."""

import datetime
import json
import sys
from decimal import Decimal
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from core import NotFound, Refused, transaction
from modules.stock.checking import differences
from modules.stock.commands.stock import stock
from modules.stock.levels import average_price
from modules.stock.models import ProductStock
from modules.stock.movements import Movement, stock_of
from modules.stock.movements import move as move_goods
from tests.modules.stock.goods import check_sums, held, move, product, warehouse

pytestmark = pytest.mark.every_database

NEGATIVE = "STOCK_ALLOW_NEGATIVE_TRANSFER"


@pytest.fixture(autouse=True)
def _sums_are_right(server):
    yield
    check_sums()


def test_goods_come_and_go(admin, server):
    goods, place = product(admin), warehouse(admin)
    body = {
        "product_id": goods, "warehouse_id": place, "qty": "12.5", "price": "4.50", "movementlabel": "Delivery",
        "movementcode": "D-1", "datem": "2026-11-20T10:00:00Z", "origin_type": "order_supplier", "origin_id": 7, "lot": "",
    }  # fmt: skip
    first = admin.ask("POST", "/stockmovements", body)
    record = admin.get(f"/stockmovements/{first}")
    expected = {
        "product_id": goods, "warehouse_id": place, "qty": "12.50000000", "type": 3, "price": "4.50000000",
        "label": "Delivery", "inventorycode": "D-1", "origin_type": "order_supplier", "origin_id": 7, "batch": None,
        "fk_user_author": server.administrator.id, "undoes": None, "undone_by": None,
        "datem": int(datetime.datetime(2026, 11, 20, 10, tzinfo=datetime.UTC).timestamp()),
    }  # fmt: skip
    assert {name: record[name] for name in expected} == expected
    second = move(admin, goods, place, -2)
    assert admin.get(f"/stockmovements/{second}")["type"] == 2
    assert admin.get(f"/products/{goods}")["stock_reel"] == "10.50000000"
    assert held(admin, goods) == {place: Decimal("10.5")}
    listed = admin.get("/stockmovements", sqlfilters=f"(t.fk_product:=:{goods}) and (e.rowid:=:{place})")
    assert [each["id"] for each in listed] == [first, second]


def test_refused_movements(admin):
    goods, place, service = product(admin), warehouse(admin), product(admin, type=1)
    closed = warehouse(admin, statut=0)

    def refused(status, **fields):
        body = {"product_id": goods, "warehouse_id": place, "qty": 1, **fields}
        return admin.refused("POST", "/stockmovements", body, status=status)

    assert "other than 0" in refused(400, qty=0)
    assert "other than 0" in refused(400, qty="0.000001")
    assert "above 0" in refused(400, type=3, qty=-1)
    assert "above 0" in refused(400, type=1)
    assert "`lot` is not supported" in refused(400, lot="L1")
    refused(400, type=4)
    refused(400, price=-1)
    refused(400, qty="99999999999999")
    assert refused(404, product_id=99999).endswith("Product 99999 not found")
    assert refused(404, warehouse_id=99999).endswith("Warehouse 99999 not found")
    assert "is a service" in refused(405, product_id=service)
    assert "is closed" in refused(405, warehouse_id=closed)
    error = admin.ask("POST", "/stockmovements", {"type": 9}, status=400)["error"]
    assert {each["field"] for each in error["errors"]} == {"product_id", "warehouse_id", "qty", "type"}
    admin.get("/stockmovements", status=400, sortfield="t.nothing")
    for verb in ("PUT", "PATCH", "DELETE"):
        admin.refused(
            verb, f"/stockmovements/{move(admin, goods, place, 1)}", {} if verb != "DELETE" else None, status=405
        )


def test_below_zero_as_the_setting_says(admin, constant):
    goods, place = product(admin), warehouse(admin)
    move(admin, goods, place, 3)
    # As the reference: allowed where nothing is set
    move(admin, goods, place, -5)
    assert held(admin, goods) == {place: Decimal(-2)}
    constant(NEGATIVE, "0")
    # What comes in is taken, though something is still missing
    move(admin, goods, place, 1)
    move(admin, goods, place, 4)
    message = admin.refused(
        "POST", "/stockmovements", {"product_id": goods, "warehouse_id": place, "qty": -4}, status=405
    )
    ref, label = admin.get(f"/products/{goods}")["ref"], admin.get(f"/warehouses/{place}")["label"]
    assert message.endswith(
        f"not enough stock: {ref} (product {goods}) in {label} (warehouse {place}): 3 in stock, 4 requested"
    )
    elsewhere = warehouse(admin)
    refused = {"product_id": goods, "warehouse_id": elsewhere, "qty": "-0.5"}
    assert "0 in stock, 0.5 requested" in admin.refused("POST", "/stockmovements", refused, status=405)
    move(admin, goods, place, -3)
    assert held(admin, goods) == {place: Decimal(0)}
    admin.refused("PUT", f"/setup/conf/{NEGATIVE}", {"value": "perhaps"}, status=400)


def test_a_movement_is_undone_once(admin, constant):
    goods, place = product(admin), warehouse(admin)
    first = move(admin, goods, place, 5, price=2)
    undone = admin.ask("POST", f"/stockmovements/{first}/undo")["id"]
    one, other = admin.get(f"/stockmovements/{first}"), admin.get(f"/stockmovements/{undone}")
    assert (one["undone_by"], one["undoes"], other["undoes"], other["undone_by"]) == (undone, None, first, None)
    assert (other["qty"], other["type"], one["qty"]) == ("-5.00000000", 2, "5.00000000")
    assert held(admin, goods) == {place: Decimal(0)}
    assert "has already been reversed by movement" in admin.refused("POST", f"/stockmovements/{first}/undo", status=405)
    assert "reverses movement" in admin.refused("POST", f"/stockmovements/{undone}/undo", status=405)
    owned = move(admin, goods, place, 5, origin_type="shipping", origin_id=3)
    assert "belongs to shipping 3" in admin.refused("POST", f"/stockmovements/{owned}/undo", status=405)
    gone = move(admin, goods, place, 1)
    move(admin, goods, place, -6)
    constant(NEGATIVE, "0")
    assert "not enough stock" in admin.refused("POST", f"/stockmovements/{gone}/undo", status=405)
    assert admin.get(f"/stockmovements/{gone}")["undone_by"] is None


def test_a_transfer_is_two_movements_or_none(admin, constant):
    goods, source, target = product(admin), warehouse(admin), warehouse(admin)
    move(admin, goods, source, 10, price=3)
    body = {
        "product_id": goods,
        "from_warehouse_id": source,
        "to_warehouse_id": target,
        "qty": "2.5",
        "label": "Nearer",
    }
    out, into = admin.ask("POST", "/stockmovements/transfer", body)
    records = [admin.get(f"/stockmovements/{each}") for each in (out, into)]
    assert [(each["type"], each["qty"], each["warehouse_id"], each["label"]) for each in records] == [
        (1, "-2.50000000", source, "Nearer"), (0, "2.50000000", target, "Nearer"),
    ]  # fmt: skip
    assert held(admin, goods) == {source: Decimal("7.5"), target: Decimal("2.5")}
    record = admin.get(f"/products/{goods}")
    assert (record["stock_reel"], record["pmp"]) == ("10.00000000", "3.00000000")
    constant(NEGATIVE, "0")
    path = "/stockmovements/transfer"
    assert "not enough stock" in admin.refused("POST", path, body | {"qty": 8}, status=405)
    admin.refused("POST", path, body | {"qty": -1}, status=400)
    admin.refused("POST", path, body | {"to_warehouse_id": source}, status=400)
    admin.refused("POST", path, body | {"to_warehouse_id": 99999}, status=404)
    admin.refused("POST", path, {"qty": 1}, status=400)
    assert held(admin, goods) == {source: Decimal("7.5"), target: Decimal("2.5")}


def test_the_average_price_follows_from_what_came_in(admin):
    goods, place = product(admin), warehouse(admin)

    def average():
        return str(admin.get(f"/products/{goods}")["pmp"])

    move(admin, goods, place, 10, price=2)
    assert average() == "2.00000000"
    move(admin, goods, place, 5, price=5)
    # (10 × 2 + 5 × 5) / 15
    assert average() == "3.00000000"
    move(admin, goods, place, -12, price=9)
    move(admin, goods, place, 1)
    assert average() == "3.00000000"
    move(admin, goods, place, 3, price=4)
    # (4 × 3 + 3 × 4) / 7 = 3.428571…, to 5 places
    assert average() == "3.42857000"


@pytest.mark.parametrize(
    ("before", "there", "qty", "price", "expected"),
    [("0", "4", "1", "7", "7"), ("2", "-5", "3", "4", "4"), ("2", "2", "2", "4", "3"), ("1", "2", "1", "2", "1.33333")],
)
def test_average_prices(before, there, qty, price, expected):
    assert average_price(Decimal(before), Decimal(there), Decimal(qty), Decimal(price)) == Decimal(expected)


def test_promised_quantities_add_up_beyond_what_one_column_holds(admin):
    goods = product(admin)
    customer = admin.ask("POST", "/thirdparties", {"name": "Customer of much"})
    for _ in range(3):
        line = {"fk_product": goods, "qty": "60000000000.25", "subprice": 0}
        order = admin.ask("POST", "/orders", {"socid": customer, "date": "2026-11-22", "lines": [line]})
        admin.ask("POST", f"/orders/{order}/validate")
    record = admin.get(f"/products/{goods}", includestockdata=1)
    assert Decimal(record["stock_theorique"]) == Decimal("-180000000000.75")


def test_what_is_read_of_a_product(admin, server):
    goods, place = product(admin, barcode="4006381333931", ref_ext="stocked"), warehouse(admin)
    move(admin, goods, place, 8)
    customer = admin.ask("POST", "/thirdparties", {"name": "Customer"})
    line = {"fk_product": goods, "qty": 3, "subprice": 1}
    order = admin.ask("POST", "/orders", {"socid": customer, "date": "2026-11-22", "lines": [line]})
    places = admin.get(f"/products/{goods}", includestockdata=1)["stock_warehouse"]
    assert {name: each["real"] for name, each in places.items()} == {str(place): "8.00000000"}
    # A draft promises nothing
    assert admin.get(f"/products/{goods}", includestockdata=1)["stock_theorique"] == "8.00000000"
    admin.ask("POST", f"/orders/{order}/validate")
    ref = admin.get(f"/products/{goods}")["ref"]
    for path in (str(goods), f"ref/{ref}", "ref_ext/stocked", "barcode/4006381333931"):
        record = admin.get(f"/products/{path}", includestockdata=1)
        assert (record["stock_reel"], record["stock_theorique"]) == ("8.00000000", "5.00000000")
        assert "stock_theorique" not in admin.get(f"/products/{path}")
    ours = f"(t.rowid:=:{goods})"
    fields = "id,stock_reel,stock_theorique"
    listed = admin.get("/products", sqlfilters=ours, includestockdata=1, properties=fields)
    assert listed == [{"id": goods, "stock_reel": "8.00000000", "stock_theorique": "5.00000000"}]
    reader = server.user("products.read")
    answer = reader.simulate_get(f"/products/{goods}", params={"includestockdata": "1"})
    assert not {"stock_reel", "stock_warehouse", "stock_theorique"} & answer.json.keys()
    assert "warehouses.read" in answer.headers["warning"]
    reader.get("/products", status=400, sqlfilters="(t.stock:>:3)")
    reader.get("/products", status=400, sortfield="t.stock_reel")
    assert admin.get("/products", sqlfilters=f"{ours} and (t.stock:=:8)")[0]["id"] == goods


def test_several_products_are_moved_all_or_none(server, admin, constant):
    one, two, place, other = product(admin), product(admin), warehouse(admin), warehouse(admin)
    moves = [Movement(two, other, Decimal(2)), Movement(one, place, Decimal(5)), Movement(two, place, Decimal(1))]
    ids = move_goods(moves, label="Delivery", code="D-2", origin=("reception", 4))
    rows = [admin.get(f"/stockmovements/{each}") for each in ids]
    assert [(row["product_id"], row["warehouse_id"], row["origin_type"], row["origin_id"]) for row in rows] == [
        (two, other, "reception", 4), (one, place, "reception", 4), (two, place, "reception", 4),
    ]  # fmt: skip
    assert stock_of([one, two, 99999]) == {
        one: {place: Decimal(5)}, two: {place: Decimal(1), other: Decimal(2)}, 99999: {},
    }  # fmt: skip
    constant(NEGATIVE, "0")
    before = stock_of([one, two])
    with transaction():
        # Whoever goes on all the same finds nothing half done
        with pytest.raises(Refused) as refused:
            move_goods([Movement(one, place, Decimal(-1)), Movement(two, other, Decimal(-3))], label="x")
        assert f"(product {two})" in str(refused.value)
        with pytest.raises(NotFound):
            move_goods([Movement(one, place, Decimal(1)), Movement(two, 99999, Decimal(1))], label="x")
    assert stock_of([one, two]) == before
    # Of one place the sum counts
    move_goods([Movement(one, place, Decimal(-7)), Movement(one, place, Decimal(3))], label="x")
    assert stock_of([one])[one] == {place: Decimal(1)}


def test_a_difference_is_found(admin):
    goods, place = product(admin), warehouse(admin)
    move(admin, goods, place, 4)
    mine = (ProductStock.product_id == goods) & (ProductStock.warehouse_id == place)
    ProductStock.update(reel=Decimal(3)).where(mine).execute()
    assert differences() == [
        {"product": goods, "warehouse": place, "stock": "3.00000000", "movements": "4.00000000"}
    ]  # fmt: skip
    # Whoever moves next takes what is noted for what there is
    ProductStock.update(reel=Decimal(4)).where(mine).execute()


def test_products_are_served_without_stock(admin, monkeypatch):
    """As long as the files of stock cannot be loaded."""
    goods = product(admin)
    monkeypatch.setattr(
        sys.modules["modules.products.products"], "catalogue", lambda: SimpleNamespace(services={"products": None})
    )
    answer = admin.simulate_get(f"/products/{goods}", params={"includestockdata": "1"})
    assert answer.status_code == 200
    assert "is not available" in answer.headers["warning"]


def test_the_command_tells_where_the_stock_differs(admin):
    goods, place = product(admin), warehouse(admin)
    move(admin, goods, place, 4)
    done = CliRunner().invoke(stock, ["--check"])
    assert (done.exit_code, done.output.endswith("found 0 differences.\n")) == (0, True)
    mine = (ProductStock.product_id == goods) & (ProductStock.warehouse_id == place)
    ProductStock.update(reel=Decimal(3)).where(mine).execute()
    done = CliRunner().invoke(stock, ["--check"])
    assert done.exit_code == 1
    told = f"product {goods} in warehouse {place}: stock is 3.00000000, movements add up to 4.00000000"
    assert done.output.startswith(told)
    done = CliRunner().invoke(stock, ["--check", "--json"])
    assert [each["product"] for each in json.loads(done.output)["differences"]] == [goods]
    assert CliRunner().invoke(stock, []).exit_code == 0
    ProductStock.update(reel=Decimal(4)).where(mine).execute()


def test_an_external_user_moves_no_goods(admin, server):
    goods, place = product(admin), warehouse(admin)
    stranger = server.user("stockmovements.write", socid=admin.ask("POST", "/thirdparties", {"name": "Stranger"}))
    body = {"product_id": goods, "warehouse_id": place, "qty": 1}
    assert "external" in stranger.refused("POST", "/stockmovements", body, status=405)
    body = {"product_id": goods, "from_warehouse_id": place, "to_warehouse_id": warehouse(admin), "qty": 1}
    assert "external" in stranger.refused("POST", "/stockmovements/transfer", body, status=405)
