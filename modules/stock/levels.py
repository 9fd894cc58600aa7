"""What lies where: read, and kept in step with the movements.

Whoever moves goods locks their products first, in the order of their identifiers, and the rows of `llx_product_stock`
below them, by product and warehouse. So of two who move the same one waits, none for each other; and of two first
movements of a product in a warehouse, for which there is no row yet, the second finds the row of the first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from typing import Any

from core import NotFound, Records, Refused, allowed_operations, utc_now, wrong_fields

from ..commercial.precision import rounding
from ..commercial.totals import half_up
from ..products.models import Product
from ..products.products import products
from ..setup.constants import constant
from .models import CLOSED, ProductStock, Warehouse

#: the constant that says whether stock may fall below zero; where it is not set it may, as in the reference
NEGATIVE = "STOCK_ALLOW_NEGATIVE_TRANSFER"
SERVICE = 1
#: products that one statement asks for
AT_ONCE = 500

#: product and warehouse
Place = tuple[int, int]


class ProductStocks(Records[ProductStock]):
    """Products as they lie in warehouses."""

    model = ProductStock
    noun = "Stock"
    joins = {"p": (Product, "product_id", ("id", "ref", "label", "barcode"))}
    answers = {"product_ref": "p.ref", "product_label": "p.label"}


stocks = ProductStocks()


def stock_of(product_ids: Collection[int]) -> dict[int, dict[int, Decimal]]:
    """How many of some products lie where: product → warehouse → quantity. What was never moved is not named."""
    found: dict[int, dict[int, Decimal]] = {identifier: {} for identifier in product_ids}
    for row in rows_of(product_ids):
        found[row.product_id][row.warehouse_id] = row.reel
    return found


def rows_of(product_ids: Collection[int], *, lock: bool = False) -> list[ProductStock]:
    """The rows of some products, by product and warehouse."""
    numbers, found = sorted(product_ids), []
    for first in range(0, len(numbers), AT_ONCE):
        where = {"product_id": numbers[first : first + AT_ONCE]}
        found += stocks.rows(where, "t.product_id,t.warehouse_id", lock=lock)
    return found


def rounded(qty: Decimal) -> Decimal:
    """A quantity with the decimals that the company keeps.

    :raises BadRequest: nothing is left of it
    """
    kept = half_up(Decimal(qty), rounding().stock)
    if not kept:
        raise wrong_fields([("qty", f"expected a quantity other than 0, got {qty}")])
    return kept


def lock_products(identifiers: Iterable[int]) -> dict[int, Product]:
    """The products that are to be moved, locked in the order of their identifiers.

    :raises NotFound: there is no such product
    :raises Refused: it is a service, which has no stock
    """
    wanted = sorted(set(identifiers))
    found: dict[int, Product] = {}
    for first in range(0, len(wanted), AT_ONCE):
        rows = products.rows({"id": wanted[first : first + AT_ONCE]}, lock=True)
        found |= {row.id: row for row in rows}
    for each in wanted:
        if each not in found:
            raise NotFound(f"Product {each} not found", errors=[("product_id", "no such record")])
        if found[each].type == SERVICE:
            raise Refused(f"{found[each].ref} (product {each}) is a service and has no stock", reason="wrong_type")
    return found


def require_open(identifiers: Iterable[int]) -> dict[int, str]:
    """The names of warehouses, once it is clear that each is there and open.

    :raises NotFound: there is no such warehouse
    :raises Refused: it is closed
    """
    wanted = sorted(set(identifiers))
    rows = {row.id: row for row in Warehouse.select().where(Warehouse.id.in_(wanted))}
    for each in wanted:
        if each not in rows:
            raise NotFound(f"Warehouse {each} not found", errors=[("warehouse_id", "no such record")])
        if rows[each].statut == CLOSED:
            allowed = allowed_operations(["PATCH /warehouses/{id}"], each)
            raise Refused(
                f"warehouse {rows[each].label} ({each}) is closed",
                reason="closed",
                details={"state": "closed", "allowed": allowed},
            )
    return {identifier: row.label for identifier, row in rows.items()}


def settle(moved: Mapping[Place, Decimal], locked: Mapping[int, Product], names: Mapping[int, str]) -> None:
    """Let what lies where follow from what has moved, and the products' own stock from that.

    :param moved: by product and warehouse how many have come in, or gone out below 0
    :param locked: the products, from `lock_products`
    :param names: the warehouses' names
    :raises Refused: there is less than goes out, and the company forbids it; every place is named
    """
    held = {(row.product_id, row.warehouse_id): row for row in rows_of(locked, lock=True)}
    there = {place: row.reel for place, row in held.items()}
    _require_enough(there, moved, locked, names)
    for place, qty in sorted(moved.items()):
        there[place] = there.get(place, Decimal(0)) + qty
        if place not in held:
            ProductStock.create(product_id=place[0], warehouse_id=place[1], reel=there[place])
        elif qty:
            ProductStock.update(reel=there[place], tms=utc_now()).where(ProductStock.id == held[place].id).execute()
    totals: dict[int, Decimal] = defaultdict(Decimal)
    for (product, _), reel in there.items():
        totals[product] += reel
    for identifier, row in locked.items():
        if row.stock_reel != totals[identifier]:
            products.write_unchecked(identifier, stock_reel=totals[identifier])


def _require_enough(
    there: Mapping[Place, Decimal], moved: Mapping[Place, Decimal], locked: Mapping[int, Product],
    names: Mapping[int, str],
) -> None:  # fmt: skip
    if constant(NEGATIVE, "1").strip() != "0":
        return
    short = [
        f"{locked[product].ref} (product {product}) in {names[warehouse]} (warehouse {warehouse}): "
        f"{there.get((product, warehouse), Decimal(0)).normalize():f} in stock, {(-qty).normalize():f} requested"
        for (product, warehouse), qty in sorted(moved.items())
        if qty < 0 and there.get((product, warehouse), Decimal(0)) + qty < 0
    ]
    if short:
        raise Refused(f"not enough stock: {'; '.join(short)}", reason="insufficient_stock")


def average_price(before: Any, held: Decimal, qty: Decimal, price: Decimal) -> Decimal:
    """The average price paid once goods have come in; what lies below zero counts for nothing.

    :param before: the average before; 0: none was known
    :param held: how many there were, wherever
    """
    if not before or before < 0:
        return price
    held = max(held, Decimal(0))
    return half_up((held * before + qty * price) / (held + qty), rounding().unit)
