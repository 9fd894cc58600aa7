"""Demonstration data: four warehouses, one of them empty; deliveries, transfers to the shop, and losses."""

from __future__ import annotations

import datetime
import random as randomness
from decimal import Decimal

from ..products.models import Product
from .levels import stock_of
from .movements import Movement, move, stock_movements, transfer
from .warehouses import warehouses

AFTER = ("products", "setup")

#: label, description, town; the later ones are parts of the first
PLACES = (("Quay", "Hall 3, beside the crane", "Le Havre"), ("Shop", "Behind the counter", "Le Havre"),
          ("Attic", "Above the shop, what is seldom asked for", "Le Havre"),
          ("Van", "For the markets", "Le Havre"))  # fmt: skip


def make(random: randomness.Random, today: datetime.date) -> None:
    """Create the data; the same for the same random numbers and day."""
    quay, shop, attic, _ = _places()
    moment = datetime.datetime.combine(today - datetime.timedelta(days=90), datetime.time(9))
    goods = list(Product.select().where(Product.type == 0).order_by(Product.id))
    came = [
        Movement(each.id, quay, Decimal(random.randrange(20, 200)), each.cost_price)
        for each in goods
        if random.random() < 0.9
    ]
    move(came, label="First stock", code="DEMO-1", day=moment)
    for each in random.sample(came, 20):
        transfer(each.product, quay, shop, Decimal(random.randrange(1, 15)), label="For the shelves", code="DEMO-2")
    for each in random.sample(came, 8):
        transfer(each.product, quay, attic, Decimal(random.randrange(1, 5)), code="DEMO-3")
    found = stock_of([each.product for each in came])
    sold = [Movement(each, shop, -places[shop] / 2) for each, places in found.items() if places.get(shop, 0) > 1]
    move(sold, label="Sold at the counter", code="DEMO-4")
    # Counted twice by mistake
    (twice,) = move([Movement(came[0].product, quay, Decimal(7))], label="Counted", code="DEMO-5")
    stock_movements.undo(twice)


def _places() -> list[int]:
    made: list[int] = []
    for label, place, town in PLACES:
        parent = {"fk_parent": made[0]} if made else {}
        made.append(warehouses.create({"label": label, "lieu": place, "town": town, **parent}))
    return made
