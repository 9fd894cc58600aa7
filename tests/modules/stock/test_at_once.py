"""Several who move goods at the same moment."""

from decimal import Decimal

import pytest

from tests.modules.commercial.documents.test_at_once import at_once
from tests.modules.stock.goods import check_sums, held, move, product, warehouse

pytestmark = pytest.mark.every_database


def test_first_movements_of_a_product_do_not_collide(admin):
    goods, one, two = product(admin), warehouse(admin), warehouse(admin)
    ids = at_once([lambda place=place: move(admin, goods, place, 1, price=2) for place in (one, two) * 4])
    assert len(set(ids)) == 8
    assert held(admin, goods) == {one: Decimal(4), two: Decimal(4)}
    record = admin.get(f"/products/{goods}")
    assert (record["stock_reel"], record["pmp"]) == ("8.00000000", "2.00000000")
    check_sums()


def test_what_is_there_is_taken_once(admin, constant):
    constant("STOCK_ALLOW_NEGATIVE_TRANSFER", "0")
    goods, place, other = product(admin), warehouse(admin), warehouse(admin)
    move(admin, goods, place, 5)
    transfer = {"product_id": goods, "from_warehouse_id": place, "to_warehouse_id": other, "qty": 3}
    take = {"product_id": goods, "warehouse_id": place, "qty": -3}
    calls = [
        lambda: admin.simulate_post("/stockmovements/transfer", json=transfer).status_code,
        lambda: admin.simulate_post("/stockmovements", json=take).status_code,
    ] * 3
    assert sorted(at_once(calls)) == [200, 405, 405, 405, 405, 405]
    assert held(admin, goods)[place] == 2
    check_sums()


def test_a_movement_is_undone_once_by_several(admin):
    goods, place = product(admin), warehouse(admin)
    moved = move(admin, goods, place, 4)
    answers = at_once([lambda: admin.simulate_post(f"/stockmovements/{moved}/undo").status_code] * 4)
    assert sorted(answers) == [200, 405, 405, 405]
    assert held(admin, goods) == {place: Decimal(0)}


def test_a_warehouse_is_closed_or_used(admin):
    goods, place = product(admin), warehouse(admin)
    body = {"product_id": goods, "warehouse_id": place, "qty": 1}
    calls = [
        lambda: admin.simulate_patch(f"/warehouses/{place}", json={"statut": 0}).status_code,
        *[lambda: admin.simulate_post("/stockmovements", json=body).status_code] * 4,
    ]
    closed, *moved = at_once(calls)
    assert closed == 200
    assert set(moved) <= {200, 405}
    assert sum(held(admin, goods).values()) == moved.count(200)
