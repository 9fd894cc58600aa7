"""Checks of a product's prices when they are written, and computation of the missing ones."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from core import BadRequest, ExactField, setting

from ..setup.changed_values import warn_of_changes
from .models import Product
from .prices import RATE_PLACES, Price, rounded, settle

#: prices, before and with VAT
PAIRS = (("price", "price_ttc"), ("price_min", "price_min_ttc"))
#: fields that prices depend on
PRICED = {"price_base_type", "tva_tx", *(name for pair in PAIRS for name in pair)}


def settle_prices(values: dict[str, Any], before: Any) -> None:
    """Round the prices of a write, and compute those before VAT from those with VAT, or the reverse.

    A negative price is permitted, for a discount. A lowest price above the price is rejected, unless one of the two is
    0, which means that it was not agreed on.

    :param values: the fields of the write, changed in place
    :param before: the current product or price; None in a creation
    :raises BadRequest: the rate is negative, a price is too large, or the lowest price is above the price
    """
    if before is not None and PRICED.isdisjoint(values):
        return
    rate = values.get("tva_tx", before.tva_tx if before else Decimal(0))
    if rate < 0:
        raise unfit("tva_tx", f"expected a rate of at least 0, got {rate}")
    base = values.get("price_base_type", before.price_base_type if before else "HT")
    same = before is not None and before.price_base_type == base and before.tva_tx == rounded(rate, RATE_PLACES)
    sent = dict(values)
    for net, gross in PAIRS:
        stored = Price(getattr(before, net), getattr(before, gross)) if before else Price()
        price = settle(
            values.get(net), values.get(gross), stored,
            rate=rate, taxed=base == "TTC", places=unit_places(), same_terms=same,
        )  # fmt: skip
        if max(price.net.copy_abs(), price.gross.copy_abs()) > largest_price():
            name, largest = net if net in values else gross, max(price.net.copy_abs(), price.gross.copy_abs())
            raise unfit(name, f"expected prices up to {largest_price():f} including VAT, got {largest:f}")
        values[net], values[gross] = price.net, price.gross
        warn_of_changes(sent, values, (net, gross))
    if values["price"] and values["price_min"] and values["price_min"] > values["price"]:
        raise unfit("price_min", f"expected at most the price of {values['price']:f}, got {values['price_min']:f}")


def unfit(name: str, reason: str) -> BadRequest:
    """Return the error for one invalid field."""
    return BadRequest(errors=[(name, reason)])


def largest_price() -> Decimal:
    """Return the largest price that every database can store."""
    field: Any = Product.price
    return ExactField.limit(field)


def unit_places() -> int:
    """Return the decimal places of a price of one unit."""
    places: int = setting("MAIN_MAX_DECIMALS_UNIT")
    return places
