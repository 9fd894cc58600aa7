"""What the tests of stock say to the server."""

import itertools
from decimal import Decimal

from modules.stock.checking import differences

numbers = itertools.count(1)


def product(client, **fields):
    """A product without stock."""
    body = {"ref": f"G{next(numbers)}", "label": "Goods", **fields}
    return int(client.ask("POST", "/products", body))


def warehouse(client, **fields):
    """An open warehouse."""
    return int(client.ask("POST", "/warehouses", {"label": f"W{next(numbers)}", **fields}))


def warehouses(client, many):
    """The warehouses 1 to `many` of a database that has none yet."""
    made = [warehouse(client) for _ in range(many)]
    assert made == [*range(1, many + 1)]


def move(client, product, warehouse, qty, **fields):
    """A movement."""
    body = {"product_id": product, "warehouse_id": warehouse, "qty": qty, **fields}
    return int(client.ask("POST", "/stockmovements", body))


def held(client, product):
    """Warehouse → how many lie there."""
    places = client.get(f"/products/{product}/stock")["stock_warehouses"]
    return {int(name): Decimal(place["real"]) for name, place in places.items()}


def check_sums():
    """What lies in the warehouses is the sum of the movements."""
    assert differences() == []
