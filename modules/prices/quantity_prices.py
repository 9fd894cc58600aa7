"""Selling prices of a product, or of a segment, by quantity."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from core import BadRequest, NotFound, Records, Values, now, shown, transaction, warn
from core.for_natives import current_user_id, default_context

from ..products.models import ProductPrice
from ..products.price_modes import modes, require
from ..products.price_rules import largest_price, unfit, unit_places
from ..products.products import products
from ..products.segments import newest_prices
from ..setup.changed_values import warn_of_changes
from .choice import Whole, settle_break
from .models import QuantityPrice
from .segment_prices import segment_prices


class QuantityPrices(Records[QuantityPrice]):
    """Prices of one unit from a quantity on."""

    model = QuantityPrice
    noun = "Price"
    sort = "t.quantity"
    extra_keys = ("price_level",)
    joins = {"b": (ProductPrice, "fk_product_price", ("price_level", "fk_product"))}
    answers = {"price_level": "b.price_level"}

    def of_product(self, product: int) -> dict[str, Any]:
        """Return the prices of a product, and whether it has any."""
        require("quantities")
        products.load(product)
        levels = (0, *range(1, modes().segments + 1))
        bases = [row.id for row in newest_prices([product], levels).values()]
        found = self.every({"fk_product_price": bases}) if bases else []
        return {"prices_by_qty": int(bool(found)), "prices_by_qty_list": found}

    def add(self, product: int, body: Mapping[str, Any]) -> int:
        """Add the price of one unit from a quantity on; return the ID of the price.

        :raises Refused: the quantity already has a price
        """
        require("quantities")
        values, _ = self.accept(body)
        level = _level(body.get("price_level"))
        with transaction():
            base = segment_prices.base(product, level)
            segment_prices.write_unchecked(base.id, price_by_qty=1)
            return self.insert(values | {"fk_product_price": base.id}, None, known=("fk_product_price",))

    def alter(self, product: int, price: int, body: Mapping[str, Any]) -> dict[str, Any]:
        """Change the price of one unit from a quantity on; return the price."""
        with transaction():
            self._of(product, price)
            self.change(price, body)
        record = self.read(price)
        if "price_level" in body and _level(body["price_level"]) != int(record["price_level"] or 0):
            warn("ignored: price_level, because it can be set only on creation")
        return record

    def remove(self, product: int, price: int) -> None:
        """Delete a price."""
        with transaction():
            self._of(product, price)
            self.delete(price)

    @default_context
    def prepare(self, values: Values, before: QuantityPrice | None) -> None:
        """Compute the price of a whole quantity from that of one unit, or the reverse."""
        quantity = values.get("quantity", before.quantity if before else Decimal(0))
        if quantity <= 0:
            raise unfit("quantity", f"expected a quantity above 0, got {quantity}")
        if before is None and values.get("price") is None and values.get("unitprice") is None:
            raise unfit(*BadRequest.missing("unitprice"))
        if not 0 <= values.get("remise_percent", 0) <= 100:
            raise unfit("remise_percent", f"expected a discount from 0 to 100, got {values['remise_percent']}")
        unit = values.get("unitprice", before.unitprice if before else Decimal(0))
        if abs(unit) * quantity > largest_price():
            raise unfit(
                "unitprice",
                f"expected a total price up to {largest_price():f}, got {abs(unit) * quantity:f}",
            )
        stored = Whole(before.quantity, before.price, before.unitprice) if before else None
        settled = settle_break(quantity, values.get("price"), values.get("unitprice"), stored, places=unit_places())
        sent = dict(values)
        values |= {"price": settled.price, "unitprice": settled.unit}
        warn_of_changes(sent, values, ("price", "unitprice"))
        values |= {"fk_user_modif": current_user_id(), "date_modification": now()}
        if before is None:
            values["fk_user_creat"] = current_user_id()

    def _of(self, product: int, price: int) -> None:
        require("quantities")
        # A change of the price that this one replaces also locks the product first
        products.load(product, lock=True)
        found = self.rows({"id": price})
        if not found or not segment_prices.rows({"id": found[0].fk_product_price, "fk_product": product}):
            raise NotFound(f"product {product} has no quantity price {price}")


def _level(sent: Any) -> int:
    """Return the segment in a body; 0 without one."""
    text = str(sent or 0).strip()
    if not (text.isascii() and text.isdigit() and len(text) < 5):
        raise BadRequest(errors=[("price_level", f"expected a whole number, got {shown(sent)}")])
    return int(text)


quantity_prices = QuantityPrices()
