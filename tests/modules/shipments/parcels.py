"""A customer, goods in a warehouse and orders of them; and what the tests of shipments look at."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from itertools import count

from core.testing import Client

NUMBERS = count(1)
DAY = "2026-11-21"


@dataclass(frozen=True)
class Yard:
    """Where goods lie, and who orders them.

    :param customer: a third party
    :param place: a warehouse
    :param lamp: a product, of which 100 lie there
    :param advice: a service
    """

    client: Client
    customer: int
    place: int
    lamp: int
    advice: int

    def order(self, *lines, validated=True, **fields):
        """An order; of five lamps where no lines are given."""
        body = {"socid": self.customer, "date": DAY, "lines": list(lines) or [{"fk_product": self.lamp, "qty": 5}]}
        made = self.client.ask("POST", "/orders", body | fields)
        if validated:
            self.client.ask("POST", f"/orders/{made}/validate")
        return made

    def lines(self, order):
        """The identifiers of an order's lines."""
        return [int(line["id"]) for line in self.client.get(f"/orders/{order}")["lines"]]

    def body(self, order, qty=2, **fields):
        """What is sent to ship some of the first line of an order."""
        line = {"fk_origin_line": self.lines(order)[0], "qty": qty, "entrepot_id": self.place}
        return {"origin_id": order, "lines": [line]} | fields

    def ship(self, order, qty=2, *, validated=False, **fields):
        """A shipment of some of the first line of an order."""
        made = self.client.ask("POST", "/shipments", self.body(order, qty, **fields))
        if validated:
            self.act(made, "validate")
        return made

    def read(self, shipment):
        return self.client.get(f"/shipments/{shipment}")

    def act(self, shipment, move):
        return self.client.ask("POST", f"/shipments/{shipment}/{move}")

    def state(self, order):
        """The state of an order."""
        return int(self.client.get(f"/orders/{order}")["statut"])

    def stock(self):
        """How many lamps there are."""
        return Decimal(self.client.get(f"/products/{self.lamp}")["stock_reel"])

    def moved(self, shipment):
        """The movements that name a shipment."""
        where = f"(t.origintype:=:'shipping') and (t.fk_origin:=:{shipment})"
        found = self.client.ask("GET", f"/stockmovements?sqlfilters={where}")
        return [Decimal(each["qty"]) for each in found]


def make_yard(client):
    """A customer, a warehouse, and a hundred lamps in it."""
    number = next(NUMBERS)
    customer = client.ask("POST", "/thirdparties", {"name": f"Yard {number}", "client": 1})
    place = client.ask("POST", "/warehouses", {"label": f"Quay {number}"})
    lamp = client.ask("POST", "/products", {"ref": f"LAMP{number}", "label": "Lamp, copper", "price": 10})
    advice = client.ask("POST", "/products", {"ref": f"ADVICE{number}", "label": "Advice", "price": 10, "type": 1})
    client.ask("POST", "/stockmovements", {"product_id": lamp, "warehouse_id": place, "qty": 100})
    return Yard(client, int(customer), int(place), int(lamp), int(advice))
