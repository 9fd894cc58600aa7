"""Rounding rules and pricing terms, from the company's constants and the customer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from core import profile, setting
from core.for_natives import cached, default_context

from ..dictionaries.entries import country_code
from ..dictionaries.vat import vat_row
from ..setup.company import company
from ..setup.constants import constant, is_on
from ..setup.one_currency import own_currency
from .totals import WHOLE, LinePrice, LocalTax, PricedLine, Rounding, price_line

#: countries where the buyer's local taxes apply, not the seller's
BUYER_DECIDES = ("ES",)
MOST_DECIMALS = 8

#: the constant with the rounding step of totals, and its maximum
STEP, LARGEST_STEP = "MAIN_ROUNDING_RULE_TOT", 1000
#: the constants with the number of decimals
UNIT_PLACES, STOCK_PLACES = "MAIN_MAX_DECIMALS_UNIT", "MAIN_MAX_DECIMALS_STOCK"
#: the constants that may keep the decimals of a price and of a quantity
FINER = ((UNIT_PLACES,), (STOCK_PLACES,), (UNIT_PLACES, STOCK_PLACES))
#: maximum number of digits before or after the decimal point of an amount
LARGEST_AMOUNT = 30


def rounding() -> Rounding:
    """Return the rounding rules of prices, totals and quantities."""
    rules = _rounding()
    return replace(rules, coin_by_line=True) if profile().coin_by_line else rules


# The profile isn't among what is cached
@cached
def _rounding() -> Rounding:
    return Rounding(
        unit=setting(UNIT_PLACES),
        total=setting("MAIN_MAX_DECIMALS_TOT"),
        stock=setting(STOCK_PLACES),
        step=step_of(constant(STEP)),
        per_rate=is_on("MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND"),
    )


def write_rounding(rules: Rounding) -> str:
    """Return rounding rules as text, such as ``5 2 5 0.05 1 0``, in the order of `Rounding`."""
    return f"{rules.unit} {rules.total} {rules.stock} {rules.step or 0:f} {rules.per_rate:d} {rules.coin_by_line:d}"


def read_rounding(text: str | None) -> Rounding:
    """Return the rounding rules that a document has stored as text; without any, the present ones."""
    if not text:
        return rounding()
    unit, total, stock, step, per_rate, coin_by_line = text.split(" ")
    return Rounding(int(unit), int(total), int(stock), step_of(step), per_rate == "1", coin_by_line == "1")


@default_context
def step_of(text: str) -> Decimal | None:
    """Return the rounding step of totals; None if the text is empty or not a valid step."""
    step = _decimal(text)
    return step if step is not None and 0 < step <= LARGEST_STEP and step == round(step, MOST_DECIMALS) else None


def check_step(name: str, text: str) -> None:
    """Check the constant with the rounding step.

    :raises ValueError: it isn't a valid step
    """
    if _decimal(text) != 0 and step_of(text) is None:
        decimals = f"at most {MOST_DECIMALS} decimals"
        raise ValueError(f"expected a rounding step up to {LARGEST_STEP} with {decimals} such as 0.05")


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) <= LARGEST_AMOUNT else None


def rounding_warning(line: LinePrice, priced: PricedLine, rules: Rounding) -> str:
    """Return a warning for a line whose amounts differ from those of its rounded values.

    It has both amounts, and the constants that keep the decimals, if they do.
    """
    kept, stored = priced.amounts, priced.stored
    names = ("total_ttc", "total_ht", "total_tva") if line.with_tax else ("total_ht", "total_ttc", "total_tva")
    name = next((each for each in names if getattr(kept, each) != getattr(stored, each)), names[0])
    price = priced.subprice if priced.subprice_ttc is None else priced.subprice_ttc
    text = f"{_short(priced.qty)} x {price:f}"
    if line.situation_percent != WHOLE:
        text += f" x {_short(line.situation_percent)} %"
    if priced.remise_percent:
        text += f" less {_short(priced.remise_percent)} %"
    text += f" is {getattr(stored, name):f}, not {getattr(kept, name):f}"
    for constants in FINER:
        unit = MOST_DECIMALS if UNIT_PLACES in constants else rules.unit
        stock = MOST_DECIMALS if STOCK_PLACES in constants else rules.stock
        if price_line(line, replace(rules, unit=unit, stock=stock)).stored == kept:
            keep = "keeps" if len(constants) == 1 else "keep"
            return f"{text}; {' and '.join(f'`{each}`' for each in constants)} {keep} up to {MOST_DECIMALS}"
    return text


def _short(number: Decimal) -> str:
    """Return a number with separators of thousands and without trailing zeros."""
    text = f"{number:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def currency() -> str:
    """Return the ISO 4217 code of the company's currency."""
    return own_currency()


@dataclass(frozen=True)
class Terms:
    """The common terms for pricing the lines of one document.

    :param rounding: the rounding rules
    :param country: ISO code of the country whose local taxes apply
    :param credit: a credit note: its lines have the opposite signs of those that they give back
    :param customer: the document's third party, who may have prices of their own
    :param price_level: its price level
    """

    rounding: Rounding
    country: str
    credit: bool = False
    customer: int = 0
    price_level: int | None = None

    def local_taxes(self, rate: Decimal, code: str, first: Decimal, second: Decimal) -> tuple[LocalTax, LocalTax]:
        """Return the local taxes of a line from the VAT dictionary, if the line has any.

        :param rate: the line's VAT, percent
        :param code: the code of that rate
        :param first: the line's rate of the first local tax; 0: none
        :param second: the line's rate of the second local tax; 0: none
        """
        row = vat_row(self.country, rate, code) if first or second else None
        if row is None:
            return LocalTax(), LocalTax()
        return (
            _local_tax(first, row.localtax1, row.localtax1_type),
            _local_tax(second, row.localtax2, row.localtax2_type),
        )


def _local_tax(asked: Decimal, rates: str, kind: str) -> LocalTax:
    """Return the tax of the dictionary: of several rates (``-19:-15:-9``), the given one if listed, else the first."""
    known = [rate for rate in map(_decimal, (rates or "").split(":")) if rate is not None]
    if not asked or not known or kind in ("", "0"):
        return LocalTax()
    return LocalTax(asked if asked in known else known[0], kind)


@cached
def _seller() -> str:
    """Return the ISO code of the company's country."""
    return company()["country_code"] or ""


def terms_of(
    buyer_country_id: int | None,
    rules: Rounding,
    *,
    credit: bool = False,
    customer: int = 0,
    price_level: int | None = None,
) -> Terms:
    """Return the terms for pricing the lines of a document.

    :param buyer_country_id: country of the document's third party
    :param rules: the rounding rules of the document
    :param customer: that third party
    :param price_level: its price level
    """
    seller = _seller()
    buyer = country_code(buyer_country_id) or ""
    country = buyer if seller in BUYER_DECIDES and buyer in BUYER_DECIDES else seller
    return Terms(rules, country, credit, customer, price_level)
