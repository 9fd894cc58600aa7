"""Stock movements. A movement never changes; to correct one, reverse it by another movement.

The components of a kit (`incdec` 1) move with it, each by a movement of its own in the kit's warehouse. Reversing the
kit's movement reverses those, whatever the kit contains by then.

Code that moves goods as part of another operation calls `move` in its own transaction, and `move_back` to undo that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from core import BadRequest, Records, Refused, Values, current_caller, now, transaction
from core.for_natives import Event, current_user_id, default_context

from ..products.models import Product
from ..products.products import products
from ..products.subproducts import components
from ..setup.changed_values import warn_of_changes
from .levels import Place, average_price, kept_qty, lock_products, require_open, rounded, settle, stock_of
from .models import IN, MOVED_IN, MOVED_OUT, OUT, StockMovement, Warehouse

#: types of movements into and out of a warehouse
INWARD, OUTWARD = (MOVED_IN, IN), (MOVED_OUT, OUT)
#: maximum movements per statement
AT_ONCE = 500
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


@dataclass(frozen=True)
class _Step:
    """A movement to write.

    :param whole: place in the list of the kit's movement that it belongs to
    :param undoes: movement that it reverses
    """

    move: Movement
    type: int
    whole: int | None = None
    undoes: int | None = None


class StockMovements(Records[StockMovement]):
    """Stock movements."""

    model = StockMovement
    service = "stockmovements"
    events = {"created": Event(), "undone": Event()}
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
            raise BadRequest(errors=wrong)
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
        self.check_event("undone", identifier)
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
            if row.part_of:
                raise Refused(
                    f"movement {row.id} belongs to movement {row.part_of} of a kit; reverse that one instead",
                    reason="locked",
                )
            rows = _with_components([row.id])
            label = f"Reversal of movement {row.id}"
            made = _write_all(_opposite(rows, undo=True), label=label, inventorycode=row.inventorycode)
            for each, reversal in zip(rows, made, strict=True):
                self.write_unchecked(each.id, undone_by=reversal)
                self.notify("undone", each.id, checked=each.id == identifier)
        return made[0]


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


def move_back(identifiers: Collection[int], *, label: str, origin: tuple[str, int]) -> None:
    """Move back what movements of a record have moved, components included, inside the caller's transaction.

    :param label: reason of the movements
    :param origin: kind of the record, such as ``shipping``, and its ID
    :raises Refused: a warehouse is closed, or there is too little and that is forbidden
    """
    # Includes rows that the caller may not see: what has left returns whole
    steps = _opposite(_with_components(identifiers))
    _write_all(steps, label=label[:255], origin_type=origin[0], origin_id=origin[1])


def _with_components(identifiers: Collection[int]) -> list[StockMovement]:
    """Return movements, each before those of its components, in the order of IDs."""
    wanted = sorted(identifiers)
    found: list[StockMovement] = []
    for first in range(0, len(wanted), AT_ONCE):
        some = wanted[first : first + AT_ONCE]
        found.extend(StockMovement.select().where(StockMovement.id.in_(some) | StockMovement.part_of.in_(some)))
    return sorted(found, key=lambda row: (row.part_of or row.id, row.part_of is not None, row.id))


def _opposite(rows: Sequence[StockMovement], *, undo: bool = False) -> list[_Step]:
    """Return what reverses movements, in their order.

    :param undo: note on each movement that it reverses the other
    """
    places = {row.id: place for place, row in enumerate(rows)}
    return [
        _Step(
            Movement(row.product_id, row.warehouse_id, row.qty.copy_negate()),
            OPPOSITE[row.type],
            places[row.part_of] if row.part_of else None,
            row.id if undo else None,
        )
        for row in rows
    ]


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
        raise BadRequest(errors=wrong)
    out, into = Movement(product, source, -qty), Movement(product, target, qty)
    more = {"label": label[:255] or None, "inventorycode": code[:128] or None}
    return carry_out([out, into], [MOVED_OUT, MOVED_IN], **more)


def _require_internal() -> None:
    """Raise Refused for external users: they move goods only by documents such as shipments."""
    caller = current_caller()
    if caller is not None and caller.socid is not None:
        raise Refused("external users can't create stock movements", reason="missing_permission")


def carry_out(movements: Sequence[Movement], types: Sequence[int | None], **more: Any) -> list[int]:
    """Write movements and those of components, and update stock and prices; return the IDs of the former, in order.

    :param types: type of each movement; None: by the sign of the quantity
    :param more: further fields of each movement
    """
    moves = [replace(each, qty=rounded(each.qty)) for each in movements]
    for sent, move in zip(movements, moves, strict=True):
        warn_of_changes({"qty": sent.qty}, {"qty": move.qty}, ("qty",))
    steps = [
        _Step(each, (IN if each.qty > 0 else OUT) if kind is None else kind)
        for each, kind in zip(moves, types, strict=True)
    ]
    if stock_movements.is_awaited("created", "checking"):
        for each in steps:
            stock_movements.check_event("created", values=_values(each))
    with transaction():
        return _write_all([*steps, *_component_steps(steps)], len(steps), **more)[: len(steps)]


@default_context
def _component_steps(steps: Sequence[_Step]) -> list[_Step]:
    """Return the movements of the components that move with these products, on all levels."""
    parts = components({each.move.product for each in steps})
    found = []
    for whole, step in enumerate(steps):
        for component, count in parts.get(step.move.product, ()):
            # A part of a unit that is too small to be kept moves nothing
            if qty := kept_qty(step.move.qty * count):
                found.append(_Step(Movement(component, step.move.warehouse, qty), step.type, whole))
    return found


@default_context
def _write_all(steps: Sequence[_Step], checked: int = 0, **more: Any) -> list[int]:
    """Write movements, and update stock and prices; return their IDs, in order.

    :param checked: the number of the first ones that handlers have checked already
    """
    moves = [each.move for each in steps]
    common = {name: value for name, value in more.items() if value is not None}
    common |= {"datem": common.get("datem") or now(), "fk_user_author": current_user_id()}
    with transaction():
        locked = lock_products(each.product for each in moves)
        require_open(each.warehouse for each in moves)
        ids = _write(steps, common)
        # From here on, a request that closes a warehouse waits for the rows that refer to it, or has come first
        names = require_open(each.warehouse for each in moves)
        moved: dict[Place, Decimal] = defaultdict(Decimal)
        for each in moves:
            moved[each.product, each.warehouse] += each.qty
        settle(moved, locked, names)
        _note_prices(moves, [each.type for each in steps], locked)
        for place, identifier in enumerate(ids):
            stock_movements.notify("created", identifier, checked=place < checked)
    return ids


def _write(steps: Sequence[_Step], common: Mapping[str, Any]) -> list[int]:
    """Write movements ordered by warehouse and product, so that all transactions lock warehouses in the same order.

    The movements of components, in the same warehouse, follow that of their kit, whose ID they refer to.
    """
    ids = [0] * len(steps)

    def order(place: int) -> tuple[int, int, int, int]:
        whole = steps[place].whole
        first = place if whole is None else whole
        return steps[first].move.warehouse, steps[first].move.product, first, place

    for place in sorted(range(len(steps)), key=order):
        each = steps[place]
        values = _values(each) | {"undoes": each.undoes, "part_of": None if each.whole is None else ids[each.whole]}
        known = ("product_id", "warehouse_id", "undoes", "part_of")
        ids[place] = stock_movements.insert({**values, **common}, None, known=known)
    return ids


def _values(step: _Step) -> dict[str, Any]:
    """Return the fields of a movement."""
    move = step.move
    price = {} if move.price is None else {"price": move.price}
    return {"product_id": move.product, "warehouse_id": move.warehouse, "qty": move.qty, "type": step.type, **price}


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


__all__ = ["Movement", "StockMovements", "move", "move_back", "stock_movements", "stock_of", "transfer"]
