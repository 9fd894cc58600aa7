"""The remaining quantities of an order: ordered quantities less those of its shipments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from core import NotFound, Refused
from core.for_natives import default_context

from ..commercial.models import ZERO
from ..orders.models import Order, OrderLine
from ..orders.orders import orders
from ..orders.states import SHIP
from ..products.products import products
from .models import Shipment, ShipmentLine
from .states import CANCELLED, SHIPPED, STATES

PRODUCT, TITLE = 0, 9


@dataclass
class Remainder:
    """A line of an order, and its remaining quantity.

    :param held: quantity in shipments that are not cancelled, including drafts
    """

    line: OrderLine
    held: Decimal

    @property
    @default_context
    def left(self) -> Decimal:
        """Return the quantity that may still be shipped."""
        left: Decimal = self.line.qty - self.held
        return max(left, ZERO)


class Remainders:
    """The remaining quantities of the lines of a locked order.

    :param order: the order
    """

    def __init__(self, order: int) -> None:
        held = held_of(order)
        self._order = order
        rows = orders.lines.rows({orders.lines.parent: order}, "t.rang")
        self._lines = {row.id: Remainder(row, held.get(row.id, ZERO)) for row in rows}

    def rest(self) -> list[Remainder]:
        """Return the lines with a remaining quantity."""
        return [each for each in self._lines.values() if each.line.product_type != TITLE and each.left > 0]

    @default_context
    def take(self, line: int, qty: Decimal, before: Decimal = ZERO) -> None:
        """Increase the quantity of a line in shipments.

        :param qty: new quantity in the shipment
        :param before: old quantity in the shipment
        :raises NotFound: the order has no such line
        :raises Refused: the line is a title, or its remaining quantity is too low
        """
        found = self._lines.get(line)
        if found is None:
            reason = f"Order line {line} not found in order {self._order}"
            raise NotFound(reason, errors=[("fk_origin_line", reason)])
        if found.line.product_type == TITLE:
            raise Refused(f"order line {line} is a title and can't be shipped", reason="wrong_type")
        left = found.left + before
        if qty > left:
            numbers = f"{_short(found.line.qty)} ordered, {_short(found.held - before)} shipped"
            reason = f"order line {line}: expected a quantity up to {_short(left)} ({numbers}), got {_short(qty)}"
            raise Refused(reason, errors=[("qty", reason)], reason="too_much")
        found.held += qty - before


def held_of(order: int) -> dict[int, Decimal]:
    """Return the quantities in an order's shipments, drafts included: order line → quantity."""
    rows: Any = (
        ShipmentLine.select(ShipmentLine.fk_origin_line, ShipmentLine.qty)
        .join(Shipment, on=(ShipmentLine.fk_expedition == Shipment.id))
        .where((Shipment.origin_id == order) & (Shipment.statut != CANCELLED))
        .tuples()
    )
    return _totals(rows)


def shipped_of(product_ids: Collection[int]) -> dict[int, Decimal]:
    """Return the shipped quantities of products, in orders with more to ship: product → quantity."""
    rows: Any = (
        ShipmentLine.select(OrderLine.fk_product, ShipmentLine.qty)
        .join(Shipment, on=(ShipmentLine.fk_expedition == Shipment.id))
        .join(Order, on=(Shipment.origin_id == Order.id))
        .join(OrderLine, on=(ShipmentLine.fk_origin_line == OrderLine.id))
        .where(
            OrderLine.fk_product.in_(sorted(product_ids))
            & Shipment.statut.in_(STATES.allowing(SHIPPED))
            & Order.statut.in_(orders.states.allowing(SHIP))
        )
        .tuples()
    )
    return _totals(rows)


def _totals(rows: Iterable[tuple[int, Decimal]]) -> dict[int, Decimal]:
    """Return the sums of quantities. SUM fails on SQLite if one exceeds 64 bits."""
    totals: dict[int, Decimal] = defaultdict(Decimal)
    for key, qty in rows:
        totals[key] += qty
    return totals


def has_left(order: int) -> bool:
    """Return whether a shipment of an order has left, including shipments that the caller may not see."""
    left = Shipment.statut.in_(STATES.allowing(SHIPPED))
    return bool(Shipment.select().where((Shipment.origin_id == order) & left).exists())


def stocked_products(lines: Iterable[OrderLine]) -> set[int]:
    """Return the IDs of the products in order lines that have stock; services have none."""
    named = {each.fk_product for each in lines if each.fk_product}
    return {each.id for each in products.rows({"id": sorted(named)}) if each.type == PRODUCT} if named else set()


@default_context
def _short(qty: Decimal) -> str:
    """Return a quantity without trailing zeros."""
    return f"{qty.normalize():f}"
