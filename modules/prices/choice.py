"""Which price of a product counts, and what it costs us. Pure: nothing here reads the constants or the database."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from ..products.prices import rounded


class PriceTerms(Protocol):
    """A price, as a product, a segment or a customer has one."""

    price: Any
    price_ttc: Any
    price_base_type: Any
    tva_tx: Any
    default_vat_code: Any
    localtax1_tx: Any
    localtax2_tx: Any


@dataclass(frozen=True)
class Break:
    """What one unit costs from a quantity on.

    :param unit: before VAT, or with it, as the price that it breaks is
    :param discount: percent, taken off besides
    """

    quantity: Decimal
    unit: Decimal
    discount: Decimal = Decimal(0)


@dataclass(frozen=True)
class Offer:
    """The price that a line takes.

    :param amount: of one unit; VAT included where `taxed` says so
    :param source: whose rate of VAT counts
    :param discount: percent
    """

    amount: Decimal
    taxed: bool
    source: PriceTerms
    discount: Decimal = Decimal(0)


def choose(
    own: PriceTerms,
    customer: PriceTerms | None,
    segment: PriceTerms | None,
    breaks: Iterable[Break],
    quantity: Decimal,
) -> Offer | None:
    """The price that counts: the customer's, else the segment's, else the product's; the last two by quantity.

    :param breaks: those of the segment where it has a price, else those of the product
    :param quantity: of the line; what is taken back counts like what is sold
    :returns: None where the product's own price counts as it stands
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


def cheapest(offers: Iterable[Break], quantity: Decimal) -> Decimal:
    """What one unit costs us at the best supplier; 0 where none is known.

    Of those whose quantity is reached the cheapest counts; where none is, the cheapest of the smallest quantity.

    :param offers: what suppliers ask for
    """
    known = list(offers)
    reached = [each for each in known if each.quantity <= abs(quantity)]
    if known and not reached:
        least = min(each.quantity for each in known)
        reached = [each for each in known if each.quantity == least]
    return min((each.unit * (1 - each.discount / 100) for each in reached), default=Decimal(0))


@dataclass(frozen=True)
class Whole:
    """A quantity, what all of it costs, and what one unit does."""

    quantity: Decimal
    price: Decimal
    unit: Decimal


def settle_break(
    quantity: Decimal, price: Decimal | None, unit: Decimal | None, stored: Whole | None, *, places: int
) -> Whole:
    """The price of a whole quantity and that of one unit, of which one, both or none has been sent.

    The one that is another than before counts, of both the price of the whole; where none is, that of one unit stays.

    :param quantity: above 0
    :param price: of the whole quantity, as it was sent
    :param unit: of one unit, as it was sent
    :param stored: what counted so far
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
