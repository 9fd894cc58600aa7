"""Selling prices and costs, which the lines of a document take from their products, for any caller."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal
from functools import cached_property

from core.for_natives import bump, cached

from ..products.models import Product, ProductPrice
from ..products.price_modes import modes
from ..products.segments import newest_prices
from .choice import Break, Offer, cheapest, choose
from .models import CustomerPrice, PurchasePrice, QuantityPrice


class LineOffers:
    """The prices that the lines of one document take from their products; all are read at the first use.

    :param products: the products in the lines
    :param customer: third party of the document
    :param level: segment of the customer
    """

    def __init__(self, products: Collection[Product], customer: int, level: int | None) -> None:
        self._products = products
        self._customer = customer
        self._level = level

    def price(self, product: Product, quantity: Decimal) -> Offer | None:
        """Return the price of one unit; None if the product's own price applies unchanged."""
        if not modes():
            return None
        base = self._bases.get(product.id)
        segment = base if base is not None and base.price_level else None
        return choose(product, self._customers.get(product.id), segment, self._breaks.get(product.id, ()), quantity)

    def cost(self, product: Product, quantity: Decimal) -> Decimal:
        """Return the cost of one unit: the product's cost price, else its average, else the cheapest supplier's."""
        return product.cost_price or product.pmp or cheapest(self._purchases.get(product.id, ()), quantity)

    @cached_property
    def _customers(self) -> dict[int, CustomerPrice]:
        if not modes().customers:
            return {}
        mine = (CustomerPrice.fk_soc == self._customer) & (CustomerPrice.fk_product << self._ids)
        return {row.fk_product: row for row in CustomerPrice.select().where(mine)}

    @cached_property
    def _bases(self) -> dict[int, ProductPrice]:
        """Rows that quantity prices belong to: the segment's price, else a row of the product's own (level 0)."""
        levels = [self._level] if self._level and modes().has_segment(self._level) else []
        if modes().quantities:
            levels.append(0)
        newest = newest_prices(self._ids, levels) if levels else {}
        return {product: newest[product, level] for product, level in sorted(newest)}

    @cached_property
    def _breaks(self) -> dict[int, list[Break]]:
        broken = {base.id: product for product, base in self._bases.items() if base.price_by_qty}
        found: dict[int, list[Break]] = {}
        if broken and modes().quantities:
            for row in QuantityPrice.select().where(QuantityPrice.fk_product_price << list(broken)):
                offer = Break(row.quantity, row.unitprice, row.remise_percent)
                found.setdefault(broken[row.fk_product_price], []).append(offer)
        return found

    @cached_property
    def _purchases(self) -> dict[int, list[Break]]:
        found: dict[int, list[Break]] = {}
        unknown = [product.id for product in self._products if not (product.cost_price or product.pmp)]
        if _is_anything_bought():
            for row in PurchasePrice.select().where(PurchasePrice.product_id << unknown):
                offer = Break(row.fourn_qty, row.fourn_unitprice, row.fourn_remise_percent)
                found.setdefault(row.product_id, []).append(offer)
        return found

    @property
    def _ids(self) -> list[int]:
        return [product.id for product in self._products]


@cached
def _is_anything_bought() -> bool:
    return bool(PurchasePrice.select().exists())


def note_purchase() -> None:
    """Note that purchase prices exist. Call this when one is written: until then, lines don't query them."""
    if not _is_anything_bought():
        bump()
