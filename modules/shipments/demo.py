"""Demonstration data: complete and partial shipments of orders that are a few weeks old."""

from __future__ import annotations

import datetime
import random as randomness

from ..commercial.demo_documents import Samples
from ..orders.models import Order
from ..orders.orders import orders
from ..orders.states import SHIP
from ..stock.models import OPEN, Warehouse
from ..stock.warehouses import warehouses
from .remainders import Remainders
from .shipments import shipments

AFTER = ("orders", "stock")
CARRIERS = ("GB 4711 0815", "1Z 999 AA1 01 2345", "")


def make(random: randomness.Random, today: datetime.date) -> None:
    """Create the data; the same for the same random numbers and day."""
    samples = Samples(random, today)
    place = _warehouse()
    waiting = Order.select().where(Order.statut.in_(orders.states.allowing(SHIP))).order_by(Order.id)
    for order in list(waiting):
        if (today - order.date).days > 15 and random.random() < 0.2 and Remainders(order.id).rest():
            _ship(samples, order, place)


def _ship(samples: Samples, order: Order, place: int) -> None:
    """Ship an order: most wholly, some without their first line; a few shipments remain drafts."""
    random = samples.random
    made = shipments.create_rest(order.id, place)
    lines = shipments.lines.rows({shipments.lines.parent: made}, "t.rang")
    if len(lines) > 1 and random.random() < 0.4:
        shipments.remove_line(made, lines[0].id)
    if random.random() < 0.15:
        return
    day = min(order.date + datetime.timedelta(days=random.randint(2, 12)), samples.today)
    shipments.change(made, {"tracking_number": random.choice(CARRIERS)})
    shipments.act(made, "validate", date_validation=samples.moment(day))
    if random.random() < 0.6:
        shipments.act(made, "close")


def _warehouse() -> int:
    """Return an open warehouse."""
    found = Warehouse.select().where(Warehouse.statut == OPEN).order_by(Warehouse.id).first()
    return (
        int(found.id) if found is not None else warehouses.create({"label": "Main hall", "lieu": "Behind the office"})
    )
