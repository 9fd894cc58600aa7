"""Choice of a product's price, and of its cost. Pure functions: they read no clock, constants or database."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from core.for_natives import default_context

from ..products.prices import rounded


class PriceTerms(Protocol):
    """A price of a product, a segment or a customer."""

    price: Any
    price_ttc: Any
    price_base_type: Any
    tva_tx: Any
    default_vat_code: Any
    localtax1_tx: Any
    localtax2_tx: Any


@dataclass(frozen=True)
class Break:
    """The price of one unit from a quantity on.

    :param unit: before VAT or with it, like the price that it replaces
    :param discount: percent, deducted from `unit`
    """

    quantity: Decimal
    unit: Decimal
    discount: Decimal = Decimal(0)


@dataclass(frozen=True)
class Offer:
    """The price that a line takes.

    :param amount: of one unit; VAT is included if `taxed` is true
    :param source: price whose rate of VAT applies
    :param discount: percent
    """

    amount: Decimal
    taxed: bool
    source: PriceTerms
    discount: Decimal = Decimal(0)


@default_context
def choose(
    own: PriceTerms,
    customer: PriceTerms | None,
    segment: PriceTerms | None,
    breaks: Iterable[Break],
    quantity: Decimal,
) -> Offer | None:
    """Return the price that applies: the customer's, else the segment's, else the product's; the last two by quantity.

    :param breaks: those of the segment if it has a price, else those of the product
    :param quantity: of the line; only the absolute value counts
    :returns: None if the product's own price applies unchanged
    """
    if customer is not None:
        return _as_it_stands(customer)
    base = own if segment is None else segment
    reached = [each for each in breaks if each.quantity <= abs(quantity)]
    if reached:
        best = max(reached, key=lambda each: each.quantity)
        return Offer(best.unit, base.price_base_type == "TTC", base, best.discount)
    return None if segment is None else _as_it_stands(segment)


def _as_it_stands(terms: PriceTerms) -> Offer:
    taxed = terms.price_base_type == "TTC"
    return Offer(terms.price_ttc if taxed else terms.price, taxed, terms)


@default_context
def cheapest(offers: Iterable[Break], quantity: Decimal) -> Decimal:
    """Return the purchase price of one unit at the cheapest supplier; 0 if no price is known.

    Only offers whose quantity is reached count. If all quantities are larger, the offers of the smallest one count.

    :param offers: prices of suppliers
    """
    known = list(offers)
    reached = [each for each in known if each.quantity <= abs(quantity)]
    if known and not reached:
        least = min(each.quantity for each in known)
        reached = [each for each in known if each.quantity == least]
    return min((each.unit * (1 - each.discount / 100) for each in reached), default=Decimal(0))


@dataclass(frozen=True)
class Whole:
    """A quantity, the price of the whole quantity, and the price of one unit."""

    quantity: Decimal
    price: Decimal
    unit: Decimal


@default_context
def settle_break(
    quantity: Decimal, price: Decimal | None, unit: Decimal | None, stored: Whole | None, *, places: int
) -> Whole:
    """Return the price of a whole quantity and that of one unit, of which one, both or none has been sent.

    If the price of the whole differs from the stored one, it applies. Otherwise the price of one unit applies.

    :param quantity: above 0
    :param price: of the whole quantity, as it was sent
    :param unit: of one unit, as it was sent
    :param stored: the stored values; None in a creation
    :param places: decimal places of a price
    """
    before = stored or Whole(quantity, Decimal(0), Decimal(0))
    whole = before.price if price is None else rounded(price, places)
    one = before.unit if unit is None else rounded(unit, places)
    if whole != before.price:
        return Whole(quantity, whole, rounded(whole / quantity, places))
    if stored is not None and (quantity, one) == (stored.quantity, stored.unit):
        return stored
    return Whole(quantity, rounded(one * quantity, places), one)
