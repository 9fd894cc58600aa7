"""Goods under load: sixteen clients ship from one warehouse, and what lies there is what has not left."""

from __future__ import annotations

import os
import random
import signal
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest

from tests.serving.conftest import Seen, Start, on_every_kind
from tests.serving.many_clients import CLIENTS, DAY, KEY, Clients

KILLS = 5
#: orders, how many of the goods each is for, and how often somebody tries to ship one
ORDERS, ORDERED, TRIES = 16, 6, 8
#: goods in the warehouse: fewer than are ordered
THERE = 80


class Yard:
    """A warehouse, goods in it, and orders of more than there is."""

    def __init__(self, clients: Clients) -> None:
        self.clients = clients
        customer = self.make("/thirdparties", {"name": "Many Ltd", "client": 1})
        self.place = self.make("/warehouses", {"label": "Quay"})
        self.goods = self.make("/products", {"ref": "LAMP", "label": "Lamp"})
        clients.send("PUT", "/setup/conf/STOCK_ALLOW_NEGATIVE_TRANSFER", {"value": "0"})
        self.make("/stockmovements", {"product_id": self.goods, "warehouse_id": self.place, "qty": THERE})
        body = {"socid": customer, "date": DAY, "lines": [{"fk_product": self.goods, "qty": ORDERED}]}
        self.orders = {self.make("/orders", body): 0 for _ in range(ORDERS)}
        for order in self.orders:
            answer = clients.send("POST", f"/orders/{order}/validate", {})
            self.orders[order] = answer.json["lines"][0]["id"]

    def make(self, path: str, body: dict[str, Any]) -> int:
        answer = self.clients.send("POST", path, body)
        assert answer.status == 200, answer.body
        return int(answer.json)

    def ship(self, order: int) -> str:
        """Ship one piece of an order; answers what became of it."""
        line = {"fk_origin_line": self.orders[order], "qty": 1, "entrepot_id": self.place}
        made = self.clients.send("POST", "/shipments", {"origin_id": order, "lines": [line]})
        if made.status != 200:
            assert made.status == 405 and b"a quantity up to 0 (" in made.body, made.body
            return "nothing left"
        answer = self.clients.send("POST", f"/shipments/{made.json}/validate", {})
        if answer.status == 200:
            return "shipped"
        # The worker that had validated it died before it could say so
        done = b"is already validated" in answer.body
        assert answer.status == 405 and (done or b"not enough stock" in answer.body), answer.body
        return "shipped" if done else "too little"

    def ship_all(self, meanwhile: Any = lambda done: None) -> Counter[str]:
        """Try to ship more of every order than was ordered, all at once."""
        tries = [order for order in self.orders for _ in range(TRIES)]
        random.Random(7).shuffle(tries)

        def one(order: int) -> str:
            became = self.ship(order)
            with self.clients.lock:
                self.clients.done += 1
                meanwhile(self.clients.done)
            return became

        with ThreadPoolExecutor(CLIENTS) as pool:
            return Counter(pool.map(one, tries))

    def rows(self, path: str) -> list[dict[str, Any]]:
        """All records of a list."""
        found: list[dict[str, Any]] = []
        while page := self.clients.send("GET", f"{path}?limit=100&page={len(found) // 100}&sortfield=t.rowid").json:
            found += page
            if len(page) < 100:
                break
        return found

    def check(self) -> str:
        """The sum of the movements is the stock, nothing has left twice, and no order is shipped beyond what it is for."""
        held: dict[int, Decimal] = defaultdict(Decimal)
        left: dict[int, Decimal] = {}
        for shipment in self.rows("/shipments"):
            (line,) = shipment["lines"]
            held[shipment["origin_id"]] += Decimal(line["qty"])
            left[shipment["id"]] = -Decimal(line["qty"]) if shipment["statut"] else Decimal(0)
        # A draft whose answer was lost holds its piece, too
        assert held == dict.fromkeys(self.orders, Decimal(ORDERED))
        movements = self.rows("/stockmovements")
        assert sum(Decimal(each["qty"]) for each in movements if not each["origin_id"]) == THERE
        moved: dict[int, list[Decimal]] = defaultdict(list)
        for each in movements:
            if each["origin_id"]:
                moved[each["origin_id"]].append(Decimal(each["qty"]))
        assert dict(moved) == {number: [qty] for number, qty in left.items() if qty}
        total = sum(Decimal(each["qty"]) for each in movements)
        stock = self.clients.send("GET", f"/products/{self.goods}").json["stock_reel"]
        assert Decimal(stock) == total >= 0
        lies = self.clients.send("GET", f"/products/{self.goods}/stock").json["stock_warehouses"]
        assert Decimal(lies[str(self.place)]["real"]) == total
        states = {each["id"]: each["statut"] for each in self.rows("/orders")}
        shipped = {each["origin_id"] for each in self.rows("/shipments") if each["statut"]}
        assert states == {order: 2 if order in shipped else 1 for order in self.orders}
        references = sorted(each["ref"] for each in self.rows("/shipments") if each["statut"])
        assert [int(each[-4:]) for each in references] == list(range(1, len(references) + 1))
        return f"{len(references)} shipments left, {total} pieces lie there"


@pytest.mark.fault(
    "Five workers are killed while 16 clients ship from one warehouse",
    "stock equals the sum of the movements; nothing is shipped twice or beyond its order",
)
@on_every_kind(often="postgresql")
def test_workers_are_killed_while_goods_leave(url: str, start: Start, seen: Seen) -> None:
    server = start(workers=3, database=url, admin_key=KEY)
    clients = Clients([server])
    yard = Yard(clients)
    clients.done = clients.retried = killed = 0
    chance = random.Random(7)

    def kill(done: int) -> None:
        nonlocal killed
        if killed < KILLS and done >= (killed + 1) * ORDERS * TRIES // (KILLS + 1):
            os.kill(chance.choice(sorted(server.workers)), signal.SIGKILL)
            killed += 1

    became = yard.ship_all(kill)
    assert killed == KILLS
    seen(f"{killed} killed, {clients.retried} requests retried; {dict(became)}")
    seen(yard.check())
    # Whoever comes later takes what is still there, and not a piece more
    for shipment in yard.rows("/shipments"):
        if not shipment["statut"]:
            clients.send("POST", f"/shipments/{shipment['id']}/validate", {})
    assert yard.check() == f"{THERE} shipments left, 0E-8 pieces lie there"
