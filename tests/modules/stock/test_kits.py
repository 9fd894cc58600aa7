"""Kits: their components move with them, in both profiles."""

from decimal import Decimal

import pytest

from core.testing import constant, serving
from modules.setup.constants import set_constant
from tests.modules.commercial.documents.test_at_once import at_once
from tests.modules.shipments.parcels import make_yard
from tests.modules.stock.goods import check_sums, held, move, product, warehouse

pytestmark = pytest.mark.every_database

NEGATIVE = "STOCK_ALLOW_NEGATIVE_TRANSFER"


@pytest.fixture(scope="module", params=["specification", "dolibarr16"])
def shop(request, kind, tmp_path_factory):
    """An administrator's client in a profile."""
    with serving(tmp_path_factory.mktemp("kits"), kind, profile_name=request.param) as served:
        yield served.client()


@pytest.fixture(autouse=True)
def _sums_are_right(shop):
    yield
    check_sums()


def add(client, kit, component, qty=1, **more):
    client.ask("POST", f"/products/{kit}/subproducts/add", {"subproduct_id": component, "qty": qty, **more})


def stock(client, *products):
    """The stock of products."""
    return [Decimal(client.get(f"/products/{each}")["stock_reel"] or 0) for each in products]


def expected(client, goods):
    """Stock after all open orders are shipped."""
    return Decimal(client.get(f"/products/{goods}", includestockdata=1)["stock_theorique"])


def undo(client, movement):
    """Reverse a movement; the ID of the reversing one."""
    done = client.ask("POST", f"/stockmovements/{movement}/undo")
    return int(done["id"]) if isinstance(done, dict) else done


def movements(client, goods):
    """Each movement of a product: ID, quantity, kit's movement."""
    rows = client.get("/stockmovements", sqlfilters=f"(t.fk_product:=:{goods})")
    return [(int(row["id"]), Decimal(row["qty"]), int(row["part_of"] or 0)) for row in rows]


def test_the_components_of_a_kit_move_with_it(shop):
    kit, lamp, card, place = product(shop), product(shop), product(shop), warehouse(shop)
    add(shop, kit, lamp, 2, incdec=1)
    add(shop, kit, card, 5, incdec=0)
    move(shop, lamp, place, 20)
    made = move(shop, kit, place, -3, price=7, label="Sold", inventorycode="S-1")
    # 20 - 3 × 2; the card's `incdec` is 0
    assert stock(shop, kit, lamp, card) == [-3, 14, 0]
    ((part, qty, whole),) = [each for each in movements(shop, lamp) if each[2]]
    assert (qty, whole) == (-6, made)
    names = ("label", "inventorycode", "datem", "type", "fk_user_author", "warehouse_id")
    one, other = (shop.get(f"/stockmovements/{each}") for each in (made, part))
    assert {name: one[name] for name in names} == {name: other[name] for name in names}
    # The price is that of the kit
    assert Decimal(other["price"]) == 0


def test_a_kit_in_a_kit_and_ways_that_meet(shop):
    chest, box, cup, tea, place = (*(product(shop) for _ in range(4)), warehouse(shop))
    service = product(shop, type=1)
    add(shop, chest, box, 2)
    add(shop, chest, cup, 1)
    add(shop, box, cup, "1.5")
    add(shop, box, tea, "0.333333")
    # A service has no stock, so nothing moves with it
    add(shop, chest, service, 1)
    add(shop, service, tea, 1)
    made = move(shop, chest, place, -1)
    # 2 × 1.5 + 1 cups; 2 × 0.333333 = 0.666666, to 5 places 0.66667
    assert stock(shop, chest, box, cup, tea) == [-1, -2, -4, Decimal("-0.66667")]
    undo(shop, made)
    assert stock(shop, chest, box, cup, tea) == [0, 0, 0, 0]


def test_undoing_reverses_what_has_moved(shop):
    kit, lamp, bulb, place = product(shop), product(shop), product(shop), warehouse(shop)
    add(shop, kit, lamp, 2)
    made = move(shop, kit, place, 4)
    ((part, _, _),) = movements(shop, lamp)
    # The kit has changed since
    add(shop, kit, lamp, 3)
    add(shop, kit, bulb, 1)
    assert f"belongs to movement {made} of a kit" in shop.refused("POST", f"/stockmovements/{part}/undo", status=405)
    reversal = undo(shop, made)
    assert stock(shop, kit, lamp, bulb) == [0, 0, 0]
    (_, (back, qty, whole)) = movements(shop, lamp)
    assert (qty, whole) == (-8, reversal)
    one, other = shop.get(f"/stockmovements/{part}"), shop.get(f"/stockmovements/{back}")
    assert (int(one["undone_by"]), int(other["undoes"])) == (back, part)
    assert (int(one["type"]), int(other["type"])) == (3, 2)
    shop.refused("POST", f"/stockmovements/{made}/undo", status=405)
    shop.refused("POST", f"/stockmovements/{back}/undo", status=405)


def test_a_transfer_takes_the_components_along(shop):
    kit, lamp, source, target = product(shop), product(shop), warehouse(shop), warehouse(shop)
    add(shop, kit, lamp, 2)
    move(shop, kit, source, 5)
    body = {"product_id": kit, "from_warehouse_id": source, "to_warehouse_id": target, "qty": 3}
    out, into = shop.ask("POST", "/stockmovements/transfer", body)
    assert (held(shop, kit), held(shop, lamp)) == ({source: 2, target: 3}, {source: 4, target: 6})
    parts = movements(shop, lamp)[1:]
    assert [each[1:] for each in parts] == [(-6, int(out)), (6, int(into))]
    assert [int(shop.get(f"/stockmovements/{each[0]}")["type"]) for each in parts] == [1, 0]
    undo(shop, into)
    assert (held(shop, kit), held(shop, lamp)) == ({source: 2, target: 0}, {source: 4, target: 0})


def test_a_kit_stays_if_a_component_lacks(shop):
    kit, lamp, place = product(shop), product(shop), warehouse(shop)
    move(shop, kit, place, 9)
    add(shop, kit, lamp, 2)
    move(shop, lamp, place, 5)
    with constant(shop, NEGATIVE, "0"):
        body = {"product_id": kit, "warehouse_id": place, "qty": -3}
        message = shop.refused("POST", "/stockmovements", body, status=405)
        assert f"(product {lamp})" in message
        assert "5 in stock, 6 requested" in message
        assert stock(shop, kit, lamp) == [9, 5]
        # What comes in and leaves with the same request is one quantity
        move(shop, kit, place, -2)
    assert stock(shop, kit, lamp) == [7, 1]


def test_a_shipment_takes_the_components_and_brings_them_back(shop):
    yard = make_yard(shop)
    bulb, case = product(shop), product(shop)
    add(shop, yard.lamp, bulb, 3)
    add(shop, case, yard.lamp, 2)
    order = yard.order({"fk_product": case, "qty": 5}, {"fk_product": bulb, "qty": 1})
    # 5 cases with 2 lamps, each with 3 bulbs, and one bulb
    assert [expected(shop, each) for each in (case, yard.lamp, bulb)] == [-5, 90, -31]
    made = yard.ship(order, 2)
    for step, (cases, lamps, bulbs) in {
        "validate": (-2, 96, -12), "settodraft": (0, 100, 0), " validate": (-2, 96, -12), "cancel": (0, 100, 0),
    }.items():  # fmt: skip
        yard.act(made, step.strip())
        assert stock(shop, case, yard.lamp, bulb) == [cases, lamps, bulbs], step
        # Shipped or not: what is there after all is shipped is the same
        assert [expected(shop, each) for each in (case, yard.lamp, bulb)] == [-5, 90, -31], step
    made = yard.ship(order, 2)
    with constant(shop, NEGATIVE, "0"):
        move(shop, case, yard.place, 2)
        shop.ask("DELETE", f"/products/{yard.lamp}/subproducts/remove/{bulb}")
        yard.act(made, "validate")
        shop.ask("POST", f"/shipments/{made}/settodraft")
        add(shop, yard.lamp, bulb, 99)
        assert f"(product {bulb})" in shop.refused("POST", f"/shipments/{made}/validate", status=405)


@pytest.mark.parametrize("value", ["0", "1"])
def test_dolibarrs_constant_for_kits_is_not_used(shop, value):
    """`incdec` says for each component what Dolibarr's PRODUIT_SOUSPRODUITS says for all."""
    kit, lamp, place = product(shop), product(shop), warehouse(shop)
    add(shop, kit, lamp, 2)
    set_constant("PRODUIT_SOUSPRODUITS", value)
    move(shop, kit, place, -1)
    assert stock(shop, kit, lamp) == [-1, -2]


def test_kits_and_their_components_at_once(shop):
    """Each locks the products in the order of their IDs, however the kits contain them."""
    lamp, one, two, place = product(shop), product(shop), product(shop), warehouse(shop)
    cup = product(shop)
    for kit in (one, two):
        add(shop, kit, cup, 1)
        add(shop, kit, lamp, 2)
    add(shop, cup, lamp, 1)
    move(shop, lamp, place, 60)

    def post(goods, qty):
        body = {"product_id": goods, "warehouse_id": place, "qty": qty}
        return shop.simulate_post("/stockmovements", json=body).status_code

    calls = [lambda goods=goods: post(goods, -1) for goods in (one, two, cup, lamp) * 3]
    assert at_once(calls) == [200] * 12
    # Of each kit 3 × (2 + 1) lamps, of cups 3, and 3 alone
    assert stock(shop, lamp, cup, one, two) == [60 - 18 - 3 - 3, -9, -3, -3]
    with constant(shop, NEGATIVE, "0"):
        move(shop, one, place, 6)
        move(shop, cup, place, 6)
        # 36 + 18 + 6 lamps, of which 4 stay: enough for one kit, which takes 3
        move(shop, lamp, place, 4 - (36 + 18 + 6))
        answers = at_once([lambda: post(one, -3)] * 2 + [lambda: post(one, -1)] * 2)
        assert sorted(answers) == [200, 405, 405, 405]
    assert stock(shop, lamp) == [1]


def test_a_kits_movement_is_undone_once_by_several(shop):
    kit, lamp, place = product(shop), product(shop), warehouse(shop)
    add(shop, kit, lamp, 2)
    made = move(shop, kit, place, 3)
    answers = at_once([lambda: shop.simulate_post(f"/stockmovements/{made}/undo").status_code] * 4)
    assert [each for each in answers if each == 200] == [200]
    assert stock(shop, kit, lamp) == [0, 0]


def test_a_kit_changes_while_it_moves(shop):
    """A movement takes what the kit contains at some moment; reversed, it gives back the same."""
    kit, lamp, bulb, place = product(shop), product(shop), product(shop), warehouse(shop)
    add(shop, kit, lamp, 1)

    def change(number):
        body = {"subproduct_id": (lamp, bulb)[number % 2], "qty": number}
        return shop.simulate_post(f"/products/{kit}/subproducts/add", json=body).status_code

    body = {"product_id": kit, "warehouse_id": place, "qty": -1}
    calls = [lambda number=number: change(number) for number in range(2, 6)]
    calls += [lambda: shop.simulate_post("/stockmovements", json=body).status_code] * 4
    assert at_once(calls) == [200] * 8
    check_sums()
    assert stock(shop, kit) == [-4]
    for made, _, _ in movements(shop, kit):
        undo(shop, made)
    assert stock(shop, kit, lamp, bulb) == [0, 0, 0]
