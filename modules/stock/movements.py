"""Stock movements. A movement never changes; to correct one, reverse it by another movement.

Code that moves goods as part of another operation calls `move` in its own transaction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from core import (
    Records,
    Refused,
    Values,
    current_caller,
    current_user_id,
    default_context,
    transaction,
    utc_now,
    wrong_fields,
)

from ..products.models import Product
from ..products.products import products
from .levels import Place, average_price, lock_products, require_open, rounded, settle, stock_of
from .models import IN, MOVED_IN, MOVED_OUT, OUT, StockMovement, Warehouse

#: types of movements into and out of a warehouse
INWARD, OUTWARD = (MOVED_IN, IN), (MOVED_OUT, OUT)
#: type → type of the reversing movement
OPPOSITE = {MOVED_IN: MOVED_OUT, MOVED_OUT: MOVED_IN, IN: OUT, OUT: IN}


@dataclass(frozen=True)
class Movement:
    """Goods to move.

    :param qty: above 0: into the warehouse; below 0: out of it
    :param price: of one unit; the price of incoming goods changes the average price paid
    """

    product: int
    warehouse: int
    qty: Decimal
    price: Decimal | None = None


class StockMovements(Records[StockMovement]):
    """Stock movements."""

    model = StockMovement
    service = "stockmovements"
    noun = "Movement"
    empty = "No stock movement found"
    extra_keys = ("lot",)
    joins = {
        "p": (Product, "product_id", ("id", "ref", "label", "barcode")),
        "e": (Warehouse, "warehouse_id", ("id", "label", "lieu", "statut")),
    }

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check a body: type and quantity must agree, and lots are not supported."""
        values, extras = super().accept(body, creating=creating, replace=replace)
        wrong = [(name, f"`{name}` is not supported; leave it out") for name in ("batch", "lot") if body.get(name)]
        qty, kind = values.get("qty") or 0, values.get("type")
        if (kind in INWARD and qty < 0) or (kind in OUTWARD and qty > 0):
            wrong.append(
                ("qty", f"expected a quantity above 0 for types 0 and 3 or below 0 for types 1 and 2, got {qty}")
            )
        if (values.get("price") or 0) < 0:
            wrong.append(("price", f"expected a price of at least 0, got {values['price']}"))
        if wrong:
            raise wrong_fields(wrong)
        return values, extras

    def create(self, body: Mapping[str, Any], **managed: Any) -> int:
        """Move the goods that a body describes; return the ID of the movement.

        :raises Refused: the caller is an external user, or see `move`
        """
        _require_internal()
        values, _ = self.accept(body)
        values |= managed
        parts = [values.pop(name, None) for name in ("product_id", "warehouse_id", "qty", "price", "type")]
        product, warehouse, qty, price, kind = parts
        return carry_out([Movement(product, warehouse, qty, price)], [kind], **values)[0]

    def undo(self, identifier: int) -> int:
        """Reverse a movement by another one; return the ID of the new movement.

        :raises Refused: it is already reversed, reverses another one, or belongs to a record, which must reverse it
        """
        with transaction():
            row = self.load(identifier, lock=True, if_match=True)
            if row.undone_by:
                raise Refused(
                    f"movement {row.id} has already been reversed by movement {row.undone_by}", reason="already_done"
                )
            if row.undoes:
                raise Refused(
                    f"movement {row.id} reverses movement {row.undoes}; create a new movement instead",
                    reason="wrong_type",
                )
            if row.origin_id:
                raise Refused(
                    f"movement {row.id} belongs to {row.origin_type} {row.origin_id}; change that record instead",
                    reason="locked",
                )
            back = Movement(row.product_id, row.warehouse_id, row.qty.copy_negate())
            more = {"label": f"Reversal of movement {row.id}", "inventorycode": row.inventorycode, "undoes": row.id}
            (made,) = carry_out([back], [OPPOSITE[row.type]], **more)
            self.write_unchecked(row.id, undone_by=made)
            self.notify("undone", row.id)
        return made


stock_movements = StockMovements()


def move(
    movements: Sequence[Movement], *, label: str, code: str = "", origin: tuple[str, int] | None = None,
    day: datetime | None = None,
) -> list[int]:  # fmt: skip
    """Move goods, all or none, inside the caller's transaction; return the IDs of the movements, in order.

    The products stay locked until that transaction ends: call it late.

    :param label: reason of the movements
    :param code: what these movements have in common
    :param origin: kind of the source record, such as ``shipping``, and its ID
    :param day: time of the movements; now if omitted
    :raises BadRequest: a quantity is 0, or larger than what can be kept
    :raises NotFound: there is no such product, or no such warehouse
    :raises Refused: a warehouse is closed, a product is a service, or there is too little and that is forbidden
    """
    kind, identifier = origin or (None, None)
    more = {"label": label[:255], "inventorycode": code[:128] or None, "origin_type": kind, "origin_id": identifier}
    return carry_out(movements, [None] * len(movements), datem=day, **more)


@default_context
def transfer(product: int, source: int, target: int, qty: Decimal, *, label: str = "", code: str = "") -> list[int]:
    """Move goods from one warehouse to another; return the IDs of both movements, out and in.

    :raises BadRequest: the quantity is not above 0, or both are the same warehouse
    :raises Refused: the caller is an external user, or see `move`
    """
    _require_internal()
    wrong = []
    if qty <= 0:
        wrong.append(("qty", f"expected a quantity above 0, got {qty}"))
    if source == target:
        wrong.append(("to_warehouse_id", f"expected a warehouse other than the source, got {target}"))
    if wrong:
        raise wrong_fields(wrong)
    out, into = Movement(product, source, -qty), Movement(product, target, qty)
    more = {"label": label[:255] or None, "inventorycode": code[:128] or None}
    return carry_out([out, into], [MOVED_OUT, MOVED_IN], **more)


def _require_internal() -> None:
    """Raise Refused for external users: they move goods only by documents such as shipments."""
    caller = current_caller()
    if caller is not None and caller.socid is not None:
        raise Refused("external users can't create stock movements", reason="missing_permission")


@default_context
def carry_out(movements: Sequence[Movement], types: Sequence[int | None], **more: Any) -> list[int]:
    """Write movements, and update stock and prices; return their IDs.

    :param types: type of each movement; None: by the sign of the quantity
    :param more: further fields of each movement
    """
    moves = [replace(each, qty=rounded(each.qty)) for each in movements]
    kinds = [(IN if each.qty > 0 else OUT) if kind is None else kind for each, kind in zip(moves, types, strict=True)]
    common = {name: value for name, value in more.items() if value is not None}
    common |= {"datem": common.get("datem") or utc_now(), "fk_user_author": current_user_id()}
    with transaction():
        locked = lock_products(each.product for each in moves)
        require_open(each.warehouse for each in moves)
        ids = _write(moves, kinds, common)
        # From here on, a request that closes a warehouse waits for the rows that refer to it, or has come first
        names = require_open(each.warehouse for each in moves)
        moved: dict[Place, Decimal] = defaultdict(Decimal)
        for each in moves:
            moved[each.product, each.warehouse] += each.qty
        settle(moved, locked, names)
        _note_prices(moves, kinds, locked)
        for identifier in ids:
            stock_movements.notify("created", identifier)
    return ids


def _write(moves: Sequence[Movement], kinds: Sequence[int], common: Mapping[str, Any]) -> list[int]:
    """Write movements ordered by warehouse and product, so that all transactions lock warehouses in the same order."""
    ids = [0] * len(moves)
    for place in sorted(range(len(moves)), key=lambda each: (moves[each].warehouse, moves[each].product)):
        each = moves[place]
        values: dict[str, Any] = {
            "product_id": each.product,
            "warehouse_id": each.warehouse,
            "qty": each.qty,
            "type": kinds[place],
        }
        if each.price is not None:
            values["price"] = each.price
        ids[place] = stock_movements.insert({**values, **common}, None, known=("product_id", "warehouse_id", "undoes"))
    return ids


def _note_prices(moves: Sequence[Movement], kinds: Sequence[int], locked: Mapping[int, Product]) -> None:
    """Update the average prices of products from incoming movements with a price."""
    held = {identifier: row.stock_reel or Decimal(0) for identifier, row in locked.items()}
    prices = {identifier: row.pmp for identifier, row in locked.items()}
    for each, kind in zip(moves, kinds, strict=True):
        if kind in INWARD and each.price:
            prices[each.product] = average_price(prices[each.product], held[each.product], each.qty, each.price)
        held[each.product] += each.qty
    for identifier, price in prices.items():
        if price != locked[identifier].pmp:
            products.write_unchecked(identifier, pmp=price)


__all__ = ["Movement", "StockMovements", "move", "stock_movements", "stock_of", "transfer"]
