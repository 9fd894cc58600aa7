"""Stock under load: sixteen clients move goods, the sum of movements is the stock, whatever is killed meanwhile."""

import random
from decimal import Decimal
from functools import partial

import pytest

from tests.serving.conftest import on_every_kind, running_over
from tests.serving.many_clients import KEY
from tests.serving.moving_goods import Movers

#: there are as many as this, and more are asked for
THERE, ASKED = 50, 70
KILLS = 2
#: seconds a request may take here; what a killed worker has begun may be taken over soon behind that
TIMEOUT = 2

pytestmark = on_every_kind("postgresql", name="kind", scope="session")


@pytest.fixture(scope="module")
def movers(kind, tmp_path_factory):
    """Clients of three workers over a database of their own."""
    with running_over(kind, tmp_path_factory.mktemp(kind), admin_key=KEY, timeout=TIMEOUT) as server:
        yield Movers(server)


@pytest.mark.fault(
    "16 clients request 70 of 50 products from one warehouse at once; two workers are killed",
    "50 succeed, 20 are rejected; stock equals the sum of the movements, no movement is repeated",
)
def test_no_more_goes_out_than_there_is(movers, seen):
    movers.send("PUT", "/setup/conf/STOCK_ALLOW_NEGATIVE_TRANSFER", {"value": "0"})
    place = movers.make("/warehouses", {"label": "Quay"})
    goods = movers.make("/products", {"ref": "LANTERN", "label": "Lantern"})
    movers.make("/stockmovements", {"product_id": goods, "warehouse_id": place, "qty": THERE})
    body = {"product_id": goods, "warehouse_id": place, "qty": -1}
    take = [partial(movers.send, "POST", "/stockmovements", body, f"take-{number}") for number in range(ASKED)]
    answers = movers.at_once(take, KILLS)
    assert movers.faults == []
    taken = [answer.json for answer in answers if answer.status == 200]
    refused = [answer for answer in answers if answer.status == 405]
    assert (len(taken), len(refused)) == (THERE, ASKED - THERE)
    assert all(b"0 in stock, 1 requested" in answer.body for answer in refused)
    assert movers.held(goods) == {place: Decimal(0)}
    # Each that was answered is there, once, and no other
    assert sorted(each["id"] for each in movers.moved(product_id=goods) if each["type"] == 2) == sorted(taken)
    movers.check_sums()
    seen(f"{len(taken)} succeeded, {len(refused)} rejected, {movers.retried} retried, {movers.replayed} replayed")


@pytest.mark.fault(
    "16 clients transfer eight products between four warehouses in random order and undo some transfers",
    "no deadlock, no rejected request; stock equals the sum of the movements",
)
def test_whoever_moves_several_goods_waits_for_nobody_in_a_circle(movers, seen):
    movers.send("PUT", "/setup/conf/STOCK_ALLOW_NEGATIVE_TRANSFER", {"value": "1"})
    before = movers.check_sums()
    chance = random.Random(7)
    places = [movers.make("/warehouses", {"label": f"Hall {number}"}) for number in range(4)]
    goods = [movers.make("/products", {"ref": f"G-{number}", "label": "Goods"}) for number in range(8)]

    def some(number):
        if number % 3:
            source, target = chance.sample(places, 2)
            body = {
                "product_id": chance.choice(goods),
                "from_warehouse_id": source,
                "to_warehouse_id": target,
                "qty": 2,
            }
            return partial(movers.send, "POST", "/stockmovements/transfer", body, f"transfer-{number}")
        body = {"product_id": chance.choice(goods), "warehouse_id": chance.choice(places), "qty": 3, "price": "1.5"}
        return partial(movers.send, "POST", "/stockmovements", body, f"move-{number}")

    answers = movers.at_once([some(number) for number in range(120)])
    assert {answer.status for answer in answers} == {200}
    assert movers.faults == []
    came = [answer.json for answer in answers if isinstance(answer.json, int)]
    # Each twice at once: one of the two comes too late
    undo = [partial(movers.send, "POST", f"/stockmovements/{each}/undo", {}) for each in came for _ in range(2)]
    statuses = [answer.status for answer in movers.at_once(undo)]
    assert (statuses.count(200), statuses.count(405)) == (len(came), len(came))
    assert all(sum(movers.held(each).values()) == 0 for each in goods)
    # Two of each transfer, and one of everything else
    assert movers.check_sums() == before + 2 * (len(answers) - len(came)) + 2 * len(came)
    seen(f"{len(answers)} transfers at once, {len(came)} undone")
