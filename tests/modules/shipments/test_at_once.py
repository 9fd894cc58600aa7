"""Several who ship at the same time."""

import pytest

from tests.modules.commercial.documents.test_at_once import at_once
from tests.modules.stock.goods import check_sums

pytestmark = pytest.mark.every_database


def test_nobody_takes_what_another_has_taken(yard):
    order = yard.order()
    body = yard.body(order, 2)
    answers = at_once([lambda: yard.client.simulate_post("/shipments", json=body).status_code] * 4)
    # Of five, two times two
    assert sorted(answers) == [200, 200, 405, 405]
    rest = f"/orders/{order}/shipment/{yard.place}"
    assert sorted(at_once([lambda: yard.client.simulate_post(rest).status_code] * 3)) == [200, 405, 405]


def test_one_shipment_leaves_and_comes_back_once(yard):
    order, start = yard.order(), yard.stock()
    made = yard.ship(order, 2)
    for move, end in (("validate", 2), ("settodraft", 0), ("validate", 2), ("cancel", 0)):
        path = f"/shipments/{made}/{move}"
        answers = at_once([lambda path=path: yard.client.simulate_post(path).status_code] * 3)
        assert sorted(answers) == [200, 405, 405]
        assert yard.stock() == start - end
    check_sums()


def test_shipments_of_one_order_and_the_order_itself(yard):
    order = yard.order({"fk_product": yard.lamp, "qty": 8})
    made = [yard.ship(order, 1) for _ in range(4)]

    def post(path):
        return int(yard.client.simulate_post(path).status_code)

    calls = [lambda each=each: post(f"/shipments/{each}/validate") for each in made]
    answers = at_once([*calls, lambda: post(f"/orders/{order}/settodraft"), lambda: post(f"/orders/{order}/cancel")])
    assert answers == [200, 200, 200, 200, 405, 405]
    assert yard.state(order) == 2
    at_once([lambda each=each: post(f"/shipments/{each}/settodraft") for each in made])
    assert yard.state(order) == 1
    check_sums()


def test_an_order_is_shipped_or_cancelled(yard):
    for _ in range(3):
        order = yard.order()
        body = yard.body(order, 1)
        shipped, cancelled = at_once(
            [
                lambda body=body: yard.client.simulate_post("/shipments", json=body).status_code,
                lambda order=order: yard.client.simulate_post(f"/orders/{order}/cancel").status_code,
            ]
        )
        assert sorted((shipped, cancelled)) == [200, 405]
