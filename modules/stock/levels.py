"""Stock per product and warehouse: reading it, and updating it after movements.

A transaction that moves goods first locks their products, in the order of IDs. Then it locks the rows of
`llx_product_stock`, by product and warehouse. If two transactions move the same product, the second waits, without a
deadlock. If both make the first movement in a warehouse, which has no row yet, the second finds the first one's row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from typing import Any

from core import BadRequest, NotFound, Records, Refused, allowed_operations, now, setting
from core.for_natives import default_context

from ..commercial.precision import rounding
from ..commercial.totals import half_up
from ..products.models import Product
from ..products.products import products
from .models import CLOSED, ProductStock, Warehouse

#: the constant that permits stock below zero; unset: permitted, as in Dolibarr
NEGATIVE = "STOCK_ALLOW_NEGATIVE_TRANSFER"
SERVICE = 1
#: maximum products per statement
AT_ONCE = 500

#: product and warehouse
Place = tuple[int, int]


class ProductStocks(Records[ProductStock]):
    """Stock of products in warehouses."""

    model = ProductStock
    noun = "Stock"
    joins = {"p": (Product, "product_id", ("id", "ref", "label", "barcode"))}
    answers = {"product_ref": "p.ref", "product_label": "p.label"}


stocks = ProductStocks()


def stock_of(product_ids: Collection[int]) -> dict[int, dict[int, Decimal]]:
    """Return the stock of products: product → warehouse → quantity. Pairs without movements are omitted."""
    found: dict[int, dict[int, Decimal]] = {identifier: {} for identifier in product_ids}
    for row in rows_of(product_ids):
        found[row.product_id][row.warehouse_id] = row.reel
    return found


def rows_of(product_ids: Collection[int], *, lock: bool = False) -> list[ProductStock]:
    """Return the rows of products, ordered by product and warehouse."""
    numbers, found = sorted(product_ids), []
    for first in range(0, len(numbers), AT_ONCE):
        where = {"product_id": numbers[first : first + AT_ONCE]}
        found += stocks.rows(where, "t.product_id,t.warehouse_id", lock=lock)
    return found


def rounded(qty: Decimal) -> Decimal:
    """Round a quantity to the company's decimals.

    :raises BadRequest: the rounded quantity is 0
    """
    kept = kept_qty(Decimal(qty))
    if not kept:
        raise BadRequest(errors=[("qty", f"expected a quantity other than 0, got {qty}")])
    return kept


def kept_qty(qty: Decimal) -> Decimal:
    """Return a quantity at the company's decimals."""
    return half_up(qty, rounding().stock)


def lock_products(identifiers: Iterable[int]) -> dict[int, Product]:
    """Return the products to be moved, locked in the order of their IDs.

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
    """Return the names of warehouses after checking that each exists and is open.

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


@default_context
def settle(moved: Mapping[Place, Decimal], locked: Mapping[int, Product], names: Mapping[int, str]) -> None:
    """Update the stock per warehouse by movements, and the products' total stock from it.

    :param moved: quantity by product and warehouse; above 0 it came in, below 0 it went out
    :param locked: the products, from `lock_products`
    :param names: the warehouses' names
    :raises Refused: the stock is too low, and the company forbids negative stock; the message lists every place
    """
    held = {(row.product_id, row.warehouse_id): row for row in rows_of(locked, lock=True)}
    there = {place: row.reel for place, row in held.items()}
    _require_enough(there, moved, locked, names)
    for place, qty in sorted(moved.items()):
        there[place] = there.get(place, Decimal(0)) + qty
        if place not in held:
            ProductStock.create(product_id=place[0], warehouse_id=place[1], reel=there[place])
        elif qty:
            ProductStock.update(reel=there[place], tms=now()).where(ProductStock.id == held[place].id).execute()
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
    if setting(NEGATIVE):
        return
    short = [
        f"{locked[product].ref} (product {product}) in {names[warehouse]} (warehouse {warehouse}): "
        f"{there.get((product, warehouse), Decimal(0)).normalize():f} in stock, {(-qty).normalize():f} requested"
        for (product, warehouse), qty in sorted(moved.items())
        if qty < 0 and there.get((product, warehouse), Decimal(0)) + qty < 0
    ]
    if short:
        raise Refused(f"not enough stock: {'; '.join(short)}", reason="insufficient_stock")


@default_context
def average_price(before: Any, held: Decimal, qty: Decimal, price: Decimal) -> Decimal:
    """Return the average price paid after goods have come in; negative stock counts as 0.

    :param before: the old average; 0: unknown
    :param held: the old stock of all warehouses
    """
    if not before or before < 0:
        return price
    held = max(held, Decimal(0))
    return half_up((held * before + qty * price) / (held + qty), rounding().unit)
