"""What is ordered and not shipped yet: what lies in the warehouses and is promised already."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal

from core import catalogue, query

from .models import ProductStock

#: states of orders whose goods are to be shipped: validated, and in shipment
OPEN = (1, 2)


def expected_of(product_ids: Collection[int]) -> dict[int, Decimal]:
    """How many of some products are ordered, in orders that are open, and not shipped yet.

    What of these orders has left is told by the records of the service `shipments`, where that is there, by a method
    ``shipped_of(product_ids)``: product → quantity in validated shipments of the lines of orders in the states `OPEN`.
    """
    found: dict[int, Decimal] = {}
    numbers = sorted(product_ids)
    if not numbers:
        return found
    marks = ",".join("?" * len(numbers))
    # Written out: who reads a product does not depend on the files of orders
    rows = query(
        "SELECT d.fk_product, SUM(d.qty) FROM llx_commandedet AS d JOIN llx_commande AS c ON c.rowid = d.fk_commande "
        f"WHERE c.fk_statut IN ({','.join(map(str, OPEN))}) AND d.fk_product IN ({marks}) GROUP BY d.fk_product",
        numbers,
    )
    for product, qty in rows:
        found[product] = ProductStock.reel.python_value(qty) or Decimal(0)
    served = catalogue().services.get("shipments")
    shipped_of = getattr(served.records, "shipped_of", None) if served is not None else None
    if shipped_of is not None:
        for product, qty in shipped_of(numbers).items():
            found[product] = found.get(product, Decimal(0)) - qty
    return found
