"""Conversion of prices with and without VAT. Pure arithmetic on decimals."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal

from core.for_natives import default_context

#: decimal places of a rate in percent
RATE_PLACES = 4
_EXACT = Context(28, ROUND_HALF_UP)


@dataclass(frozen=True)
class Price:
    """A price of one unit in the company's currency, before and with VAT."""

    net: Decimal = Decimal(0)
    gross: Decimal = Decimal(0)


def rounded(amount: Decimal, places: int) -> Decimal:
    """Round an amount to a number of decimal places; a half rounds away from zero."""
    return _EXACT.quantize(amount, _EXACT.scaleb(1, -places))


@default_context
def with_vat(net: Decimal, rate: Decimal, places: int) -> Decimal:
    """Return a price with VAT.

    :param rate: percent
    :param places: decimal places of the result
    """
    return rounded(net * (1 + rounded(rate, RATE_PLACES) / 100), places)


@default_context
def without_vat(gross: Decimal, rate: Decimal, places: int) -> Decimal:
    """Return a price without the VAT that it includes.

    :param rate: percent, above -100
    :param places: decimal places of the result
    """
    return rounded(gross / (1 + rounded(rate, RATE_PLACES) / 100), places)


def settle(
    net: Decimal | None,
    gross: Decimal | None,
    stored: Price,
    *,
    rate: Decimal,
    taxed: bool,
    places: int,
    same_terms: bool = False,
) -> Price:
    """Return both sides of a price, of which one, both or neither has been sent.

    The side that is the basis applies, and the other follows from it. If only the other side was changed, that one
    applies: a client may send a single price, or send back a record with both prices and one of them changed.

    :param net: the price before VAT that was sent; None: the stored one stays
    :param gross: the price with VAT that was sent; None: the stored one stays
    :param stored: the price so far
    :param rate: VAT in percent
    :param taxed: the basis is the price with VAT
    :param places: decimal places of a price
    :param same_terms: rate and basis are those of the stored price, so it stays unless one of its sides is changed
    """
    new_net = stored.net if net is None else rounded(net, places)
    new_gross = stored.gross if gross is None else rounded(gross, places)
    net_changed, gross_changed = new_net != stored.net, new_gross != stored.gross
    if same_terms and not (net_changed or gross_changed):
        return stored
    counts_gross = gross_changed if net_changed != gross_changed else taxed
    if counts_gross:
        return Price(without_vat(new_gross, rate, places), new_gross)
    return Price(new_net, with_vat(new_net, rate, places))
