"""Stock movements of a shipment: out of the warehouses at validation, and back when it is undone."""

from __future__ import annotations

from datetime import datetime

from core import Refused, setting

from ..orders.models import Order
from ..orders.orders import orders
from ..stock.movements import Movement, move, move_back
from .lines import ShipmentLines
from .models import Shipment
from .remainders import stocked_products

#: kind of the source record in movements of a shipment
ORIGIN = "shipping"
#: the constant for moving goods when a shipment is validated; unset: they move
MOVES = "STOCK_CALCULATE_ON_SHIPMENT"


def take_out(row: Shipment, lines: ShipmentLines, order: Order, moment: datetime) -> None:
    """Move the goods of a shipment out of their warehouses, inside the transaction that validates it.

    Services and lines without a product have no stock and move nothing.

    :param moment: when the goods leave
    :raises Refused: a line of a product has no warehouse, the warehouse is closed, or the stock is too low
    """
    if not setting(MOVES):
        return
    ordered = {each.id: each for each in orders.lines.rows({orders.lines.parent: order.id})}
    stocked = stocked_products(ordered.values())
    goods = [(each, ordered[each.fk_origin_line].fk_product or 0) for each in lines.rows({lines.parent: row.id})]
    goods = [(each, product) for each, product in goods if product in stocked]
    if unnamed := [str(each.id) for each, _ in goods if not each.entrepot_id]:
        named = f"line{'s' if len(unnamed) > 1 else ''} {', '.join(unnamed)}"
        raise Refused(
            f"can't validate: the shipment {row.ref} needs a warehouse for {named}; set `entrepot_id`",
            reason="incomplete",
        )
    if not goods:
        return
    moves = [Movement(product, each.entrepot_id or 0, each.qty.copy_negate()) for each, product in goods]
    moved = move(moves, label=f"Shipment of {order.ref}", origin=(ORIGIN, row.id), day=moment)
    for (each, _), identifier in zip(goods, moved, strict=True):
        lines.write_unchecked(each.id, movement_id=identifier)


def bring_back(row: Shipment, lines: ShipmentLines) -> None:
    """Reverse the movements of a shipment, inside the transaction that undoes its validation.

    :raises Refused: a warehouse is closed
    """
    left = [each for each in lines.rows({lines.parent: row.id}) if each.movement_id]
    if not left:
        return
    move_back([each.movement_id for each in left if each.movement_id], label=f"{row.ref} taken back",
              origin=(ORIGIN, row.id))  # fmt: skip
    for each in left:
        lines.write_unchecked(each.id, movement_id=None)


__all__ = ["MOVES", "ORIGIN", "bring_back", "take_out"]
