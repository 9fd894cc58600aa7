"""Amounts of lines and documents: discount, VAT, local taxes and rounding.

Pure: nothing here reads the clock, the constants or the database. Amounts are in the document's currency; rates,
discounts and progress in percent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from functools import lru_cache
from typing import NamedTuple

from core import BadRequest

__all__ = [
    "Amounts",
    "LinePrice",
    "LocalTax",
    "PricedLine",
    "Rounding",
    "as_credit",
    "half_up",
    "price_line",
    "sum_lines",
]

#: Precise enough for the product of all factors of a line at their maximum length.
EXACT = Context(prec=200, rounding=ROUND_HALF_UP)

TITLE = 9
VAT_NOT_DUE = 1
DISCOUNT_DECIMALS = 3

ZERO = Decimal(0)
WHOLE = Decimal(100)
PERCENT = Decimal("0.01")

#: Type of a local tax → the product type it is due on; None: every line.
ON_NET = {"1": None, "3": 0, "5": 1}
ON_TAXED = {"2": None, "4": 0, "6": 1}


@dataclass(frozen=True)
class Rounding:
    """Rounding rules; each comes from a constant.

    :param unit: decimals of unit prices (``MAIN_MAX_DECIMALS_UNIT``)
    :param total: decimals of totals (``MAIN_MAX_DECIMALS_TOT``)
    :param stock: decimals of quantities (``MAIN_MAX_DECIMALS_STOCK``)
    :param step: smallest coin that totals are rounded to, such as 0.05 (``MAIN_ROUNDING_RULE_TOT``)
    :param per_rate: round the VAT of a document once for each rate (``MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND=1``)
    """

    unit: int = 5
    total: int = 2
    stock: int = 5
    step: Decimal | None = None
    per_rate: bool = False


@dataclass(frozen=True)
class LocalTax:
    """A local tax, in addition to VAT.

    :param type: ``0`` none; on the amount without tax: ``1``, only products ``3``, only services ``5``; on the amount
        with VAT: ``2``, only products ``4``, only services ``6``
    """

    rate: Decimal = ZERO
    type: str = "0"


NO_TAX = LocalTax()


class Amounts(NamedTuple):
    """The totals of a line or a document."""

    total_ht: Decimal
    total_tva: Decimal
    total_localtax1: Decimal
    total_localtax2: Decimal
    total_ttc: Decimal


@dataclass(frozen=True)
class LinePrice:
    """The price of a line, as requested.

    :param subprice: price of one unit; `with_tax` decides whether it includes VAT
    :param situation_percent: progress of the work that is invoiced
    :param with_tax: the price includes VAT (``price_base_type`` TTC), but not local taxes
    :param info_bits: bit 0: the VAT is shown and not charged
    :param product_type: 0 product, 1 service, 9 title
    """

    qty: Decimal
    subprice: Decimal
    tva_tx: Decimal = ZERO
    remise_percent: Decimal = ZERO
    situation_percent: Decimal = WHOLE
    with_tax: bool = False
    info_bits: int = 0
    product_type: int = 0
    localtax1: LocalTax = NO_TAX
    localtax2: LocalTax = NO_TAX


@dataclass(frozen=True)
class PricedLine:
    """A line as it is stored: its totals, the unit price without tax, quantity and discount rounded."""

    amounts: Amounts
    subprice: Decimal
    qty: Decimal
    remise_percent: Decimal


@lru_cache(maxsize=64)
def _unit(places: int) -> Decimal:
    return EXACT.scaleb(1, -places)


@lru_cache(maxsize=64)
def _nothing(places: int) -> Decimal:
    return half_up(ZERO, places)


def half_up(value: Decimal, places: int) -> Decimal:
    """Round to a number of decimals, half away from zero; never return a negative zero."""
    return EXACT.plus(EXACT.quantize(value, _unit(places)))


def price_line(line: LinePrice, rounding: Rounding = Rounding()) -> PricedLine:
    """Return the amounts of a line.

    Price, quantity and discount are used unrounded, and rounded only for storage. VAT is the difference of the rounded
    totals with and without tax, so they add up. If `info_bits` keeps VAT from being charged, it is 0: a price with VAT
    is then the net price.

    :raises BadRequest: a price with VAT at a rate of -100
    """
    places, is_charged = rounding.total, not line.info_bits & VAT_NOT_DUE
    with localcontext(EXACT):
        factor = 1 + line.tva_tx * PERCENT
        amount = line.subprice * line.qty
        if line.situation_percent != WHOLE:
            amount *= line.situation_percent * PERCENT
        if line.remise_percent:
            amount *= 1 - line.remise_percent * PERCENT
        if line.with_tax:
            if not factor:
                raise BadRequest("a price that includes VAT can't have a VAT rate of -100")
            due = factor if is_charged else Decimal(1)
            net, taxed, subprice = amount / due, amount, line.subprice / due
        else:
            net, taxed, subprice = amount, amount * factor, line.subprice

        local = (line.localtax1, line.localtax2)
        within = [_local_tax(tax, ON_TAXED, line.product_type, taxed, places) for tax in local]
        after = [_local_tax(tax, ON_NET, line.product_type, net, places) for tax in local]

        total_ht = half_up(net, places)
        total_ttc = half_up(taxed + sum(within), places) if is_charged else total_ht + sum(within, ZERO)
        total_tva = half_up(total_ttc - (total_ht + sum(within)), places)
        localtax1, localtax2 = within[0] + after[0], within[1] + after[1]
        amounts = Amounts(total_ht, total_tva, localtax1, localtax2, total_ttc + sum(after))
    return PricedLine(
        _stepped(amounts, rounding.step, places) if rounding.step else amounts,
        half_up(subprice, rounding.unit),
        half_up(line.qty, rounding.stock),
        half_up(line.remise_percent, DISCOUNT_DECIMALS),
    )


def _local_tax(tax: LocalTax, due: dict[str, int | None], product_type: int, base: Decimal, places: int) -> Decimal:
    if tax.rate and tax.type in due and due[tax.type] in (None, product_type):
        return half_up(base * tax.rate * PERCENT, places)
    return _nothing(places)


def _stepped(amounts: Amounts, step: Decimal, places: int) -> Amounts:
    with localcontext(EXACT):
        parts = [half_up(half_up(part / step, 0) * step, places) for part in amounts[:-1]]
        return Amounts._make((*parts, sum(parts, ZERO)))


def sum_lines(
    lines: Sequence[tuple[Decimal, int, Amounts]], rounding: Rounding = Rounding()
) -> tuple[Amounts, list[Amounts]]:
    """Return the totals of a document, and the amounts to store in its lines.

    The lines keep their amounts unless `per_rate` is on. Then the VAT of lines is adjusted, and the VAT of each rate
    equals the VAT on its sum. Titles are ignored.

    :param lines: VAT rate, product type and amounts of each line, oldest line first
    """
    kept = _settle(lines, rounding.total) if rounding.per_rate else [amounts for _, _, amounts in lines]
    counted = [amounts for amounts, (_, product_type, _) in zip(kept, lines, strict=True) if product_type != TITLE]
    with localcontext(EXACT):
        columns = zip(*counted, strict=True) if counted else [()] * len(Amounts._fields)
        return Amounts._make(half_up(sum(column, ZERO), rounding.total) for column in columns), kept


def _settle(lines: Sequence[tuple[Decimal, int, Amounts]], places: int) -> list[Amounts]:
    net: dict[Decimal, Decimal] = defaultdict(Decimal)
    vat: dict[Decimal, Decimal] = defaultdict(Decimal)
    settled = []
    with localcontext(EXACT):
        for rate, product_type, given in lines:
            amounts = given
            if product_type != TITLE:
                net[rate] += given.total_ht
                due = half_up(net[rate] * rate * PERCENT, places)
                difference = due - vat[rate] - given.total_tva
                if difference:
                    amounts = given._replace(
                        total_tva=given.total_tva + difference, total_ttc=given.total_ttc + difference
                    )
                vat[rate] = due
            settled.append(amounts)
    return settled


def as_credit(line: LinePrice) -> LinePrice:
    """Return the line for a credit note: quantity positive, unit price negative, whatever their signs."""
    # abs() and minus would round to the current precision
    return replace(line, qty=line.qty.copy_abs(), subprice=line.subprice.copy_abs().copy_negate())
