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
    "SummedLine",
    "agrees",
    "coin_difference",
    "half_up",
    "price_line",
    "sum_lines",
]

#: Precise enough for the product of all factors of a line at their maximum length.
EXACT = Context(prec=200, rounding=ROUND_HALF_UP)

TITLE = 9
#: bits of `info_bits`
VAT_NOT_DUE, IS_DISCOUNT = 1, 2
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
    :param step: smallest coin that the total of a document is rounded to, such as 0.05 (``MAIN_ROUNDING_RULE_TOT``)
    :param per_rate: round the VAT of a document once for each rate (``MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND=1``)
    :param coin_by_line: the amounts of each line are rounded to the smallest coin, as in Dolibarr; then VAT is not
        rounded for each rate
    """

    unit: int = 5
    total: int = 2
    stock: int = 5
    step: Decimal | None = None
    per_rate: bool = False
    coin_by_line: bool = False


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
    :param amount: of a line that keeps its amount, instead of quantity, price, progress and discount
    :param info_bits: bit 0: the VAT is shown and not charged; bit 1: the line deducts a discount
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
    amount: Decimal | None = None

    @property
    def charged_rate(self) -> Decimal:
        """The VAT that is charged, percent."""
        return ZERO if self.info_bits & VAT_NOT_DUE else self.tva_tx


@dataclass(frozen=True)
class PricedLine:
    """A line as it is stored: its totals; prices, quantity and discount rounded.

    :param subprice: price of one unit without tax
    :param subprice_ttc: price of one unit with VAT, if that was agreed
    :param stored: the totals that the rounded values give
    """

    amounts: Amounts
    subprice: Decimal
    qty: Decimal
    remise_percent: Decimal
    subprice_ttc: Decimal | None
    stored: Amounts


class SummedLine(NamedTuple):
    """A line in the sum of a document.

    :param rate: VAT, percent
    :param with_tax: its total with VAT was agreed, and stays
    """

    rate: Decimal
    product_type: int
    amounts: Amounts
    with_tax: bool = False
    localtax1: LocalTax = NO_TAX
    localtax2: LocalTax = NO_TAX


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
    price, qty = half_up(line.subprice, rounding.unit), half_up(line.qty, rounding.stock)
    discount = half_up(line.remise_percent, DISCOUNT_DECIMALS)
    amounts = stored = _amounts(line, rounding)
    if (price, qty, discount, None) != (line.subprice, line.qty, line.remise_percent, line.amount):
        rounded = replace(line, subprice=price, qty=qty, remise_percent=discount, amount=None)
        stored = _amounts(rounded, rounding)
    net = half_up(_without_tax(line.subprice, line.charged_rate), rounding.unit) if line.with_tax else price
    return PricedLine(amounts, net, qty, discount, price if line.with_tax else None, stored)


def _amounts(line: LinePrice, rounding: Rounding) -> Amounts:
    places = rounding.total
    with localcontext(EXACT):
        if line.amount is None:
            amount = line.subprice * line.qty
            if line.situation_percent != WHOLE:
                amount *= line.situation_percent * PERCENT
            if line.remise_percent:
                amount *= 1 - line.remise_percent * PERCENT
        else:
            amount = line.amount
        if line.with_tax:
            net, taxed = _without_tax(amount, line.charged_rate), amount
        else:
            net, taxed = amount, amount * (1 + line.tva_tx * PERCENT)

        local = (line.localtax1, line.localtax2)
        within = after = [_nothing(places)] * 2
        if line.localtax1.rate or line.localtax2.rate:
            within = [_local_tax(tax, ON_TAXED, line.product_type, taxed, places) for tax in local]
            after = [_local_tax(tax, ON_NET, line.product_type, net, places) for tax in local]

        total_ht = half_up(net, places)
        is_charged = not line.info_bits & VAT_NOT_DUE
        total_ttc = half_up(taxed + sum(within), places) if is_charged else total_ht + sum(within, ZERO)
        total_tva = half_up(total_ttc - (total_ht + sum(within)), places)
        localtax1, localtax2 = within[0] + after[0], within[1] + after[1]
        amounts = Amounts(total_ht, total_tva, localtax1, localtax2, total_ttc + sum(after))
    # A line that deducts a discount has its amounts: otherwise, a replacement wouldn't find it
    is_stepped = rounding.coin_by_line and not line.info_bits & IS_DISCOUNT
    return _stepped(amounts, rounding.step, places) if rounding.step and is_stepped else amounts


def _without_tax(amount: Decimal, rate: Decimal) -> Decimal:
    with localcontext(EXACT):
        factor = 1 + rate * PERCENT
        if not factor:
            raise BadRequest("a price that includes VAT can't have a VAT rate of -100")
        return amount / factor


def agrees(net: Decimal, gross: Decimal, rate: Decimal, places: int) -> bool:
    """Return whether a price without VAT is that of a price with VAT, at a number of decimals.

    :param rate: VAT, percent
    """
    return half_up(net, places) == half_up(_without_tax(gross, rate), places)


def _local_tax(tax: LocalTax, due: dict[str, int | None], product_type: int, base: Decimal, places: int) -> Decimal:
    return _tax(tax, base, places) if _is_due(tax, due, product_type) else _nothing(places)


def _is_due(tax: LocalTax, due: dict[str, int | None], product_type: int) -> bool:
    return bool(tax.rate) and tax.type in due and due[tax.type] in (None, product_type)


def _tax(tax: LocalTax, base: Decimal, places: int) -> Decimal:
    return half_up(base * tax.rate * PERCENT, places)


def _stepped(amounts: Amounts, step: Decimal, places: int) -> Amounts:
    with localcontext(EXACT):
        parts = [half_up(half_up(part / step, 0) * step, places) for part in amounts[:-1]]
        return Amounts._make((*parts, sum(parts, ZERO)))


def coin_difference(total: Decimal, rounding: Rounding) -> Decimal:
    """Return the difference from a document's total to the nearest multiple of the smallest coin; 0 without a coin."""
    if not rounding.step:
        return _nothing(rounding.total)
    with localcontext(EXACT):
        return half_up(total / rounding.step, 0) * rounding.step - total


def sum_lines(lines: Sequence[SummedLine], rounding: Rounding = Rounding()) -> tuple[Amounts, list[Amounts]]:
    """Return the totals of a document without the difference of the smallest coin, and the amounts of its lines.

    The lines keep their amounts unless `per_rate` is on. Then the amounts of lines are adjusted: the VAT of each rate
    equals the VAT on its sum, and each local tax the tax on its sum. Lines whose total with VAT was agreed keep it;
    they are summed separately. Titles are ignored.

    :param lines: oldest line first
    """
    settled = rounding.per_rate and not (rounding.step and rounding.coin_by_line)
    kept = _settle(lines, rounding.total) if settled else [line.amounts for line in lines]
    counted = [amounts for amounts, line in zip(kept, lines, strict=True) if line.product_type != TITLE]
    with localcontext(EXACT):
        columns = zip(*counted, strict=True) if counted else [()] * len(Amounts._fields)
        return Amounts._make(half_up(sum(column, ZERO), rounding.total) for column in columns), kept


@dataclass
class _Sum:
    """A running sum of the lines of one rate.

    :param base: the sum on which VAT, net amount or tax is computed
    :param share: the computed amount, which the lines so far have together
    """

    base: Decimal = ZERO
    share: Decimal = ZERO

    def take(self, whole: Decimal) -> Decimal:
        """Return the share of the next line, if `whole` is that of all lines so far."""
        before, self.share = self.share, whole
        return whole - before


def _settle(lines: Sequence[SummedLine], places: int) -> list[Amounts]:
    rates: dict[tuple[Decimal, bool], _Sum] = defaultdict(_Sum)
    taxes: dict[tuple[str, LocalTax], _Sum] = defaultdict(_Sum)
    settled = []
    with localcontext(EXACT):
        for line in lines:
            given, rate = line.amounts, rates[line.rate, line.with_tax]
            if line.product_type == TITLE:
                settled.append(given)
                continue
            if line.with_tax:
                gross = given.total_ht + given.total_tva
                rate.base += gross
                net = rate.take(half_up(_without_tax(rate.base, line.rate), places))
                vat = gross - net
            else:
                net = given.total_ht
                rate.base += net
                vat = rate.take(half_up(rate.base * line.rate * PERCENT, places))
            changed = {"total_ht": net, "total_tva": vat}
            for name, tax in (("total_localtax1", line.localtax1), ("total_localtax2", line.localtax2)):
                for due, base in ((ON_NET, net), (ON_TAXED, net + vat)):
                    if _is_due(tax, due, line.product_type):
                        taxes[name, tax].base += base
                        changed[name] = taxes[name, tax].take(_tax(tax, taxes[name, tax].base, places))
            difference = sum((amount - getattr(given, name) for name, amount in changed.items()), ZERO)
            settled.append(given._replace(**changed, total_ttc=given.total_ttc + difference))
    return settled
