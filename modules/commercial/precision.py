"""How finely the company computes, from its constants, and what a line's price depends on besides."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from core import cached, wrong_fields

from ..dictionaries.entries import country_code
from ..dictionaries.vat import vat_row
from ..setup.company import company
from ..setup.constants import constant
from .totals import LocalTax, Rounding

#: countries in which the buyer's local taxes apply, and not the seller's
BUYER_DECIDES = ("ES",)
MOST_DECIMALS = 8
_DECIMALS = tuple(map(str, range(MOST_DECIMALS + 1)))

#: the constant that holds the smallest coin, and what that may be at the most
STEP, LARGEST_STEP = "MAIN_ROUNDING_RULE_TOT", 1000
#: the constants that hold how many decimals are kept
PLACES = ("MAIN_MAX_DECIMALS_UNIT", "MAIN_MAX_DECIMALS_TOT", "MAIN_MAX_DECIMALS_STOCK")
#: digits before or behind the point, as amounts have them
LARGEST_AMOUNT = 30


@cached
def rounding() -> Rounding:
    """How finely prices, totals and quantities are kept."""
    return Rounding(
        unit=_places("MAIN_MAX_DECIMALS_UNIT", 5),
        total=_places("MAIN_MAX_DECIMALS_TOT", 2),
        stock=_places("MAIN_MAX_DECIMALS_STOCK", 5),
        step=step_of(constant(STEP)),
        per_rate=constant("MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND") not in ("", "0"),
    )


def _places(name: str, default: int) -> int:
    text = constant(name).strip()
    return int(text) if text in _DECIMALS else default


def step_of(text: str) -> Decimal | None:
    """The smallest coin that totals are rounded to; None: there is none, or the text is no such step."""
    step = _decimal(text)
    return step if step is not None and 0 < step <= LARGEST_STEP and step == round(step, MOST_DECIMALS) else None


def check_constant(name: str, value: str) -> None:
    """Refuse a value of a constant that amounts could not be computed with; an empty one unsets it.

    :raises BadRequest: it is such a value
    """
    text, expected = value.strip(), ""
    if name == STEP and text and _decimal(text) != 0 and step_of(text) is None:
        expected = f"a rounding step up to {LARGEST_STEP} with at most {MOST_DECIMALS} decimals such as 0.05"
    elif name in PLACES and text and text not in _DECIMALS:
        expected = f"a number of decimals from 0 to {MOST_DECIMALS}"
    if expected:
        raise wrong_fields([("value", f"{name}: expected {expected}, got {value!r:.60}")])


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) <= LARGEST_AMOUNT else None


def currency() -> str:
    """The company's currency, as ISO 4217 spells it."""
    return constant("MAIN_MONNAIE") or "EUR"


@dataclass(frozen=True)
class Terms:
    """What the lines of one document have in common when they are priced.

    :param rounding: how finely to compute
    :param country: ISO code of the country whose local taxes apply
    :param credit: the document gives back: quantities are positive and prices negative, whatever was sent
    :param customer: the document's third party, who may have prices of their own
    :param price_level: the segment of customers that it belongs to
    """

    rounding: Rounding
    country: str
    credit: bool = False
    customer: int = 0
    price_level: int | None = None

    def local_taxes(self, rate: Decimal, code: str, first: Decimal, second: Decimal) -> tuple[LocalTax, LocalTax]:
        """The local taxes of a line: those of the VAT dictionary, where the line asks for any.

        :param rate: the line's VAT, percent
        :param code: the code of that rate
        :param first: what the line says of the first local tax; 0: none
        :param second: the same of the second one
        """
        row = vat_row(self.country, rate, code) if first or second else None
        if row is None:
            return LocalTax(), LocalTax()
        return (
            _local_tax(first, row.localtax1, row.localtax1_type),
            _local_tax(second, row.localtax2, row.localtax2_type),
        )


def _local_tax(asked: Decimal, rates: str, kind: str) -> LocalTax:
    """The tax of the dictionary. Of several rates (``-19:-15:-9``) the one asked for counts, else the first."""
    known = [rate for rate in map(_decimal, (rates or "").split(":")) if rate is not None]
    if not asked or not known or kind in ("", "0"):
        return LocalTax()
    return LocalTax(asked if asked in known else known[0], kind)


@cached
def _seller() -> str:
    """ISO code of the company's country."""
    return company()["country_code"] or ""


def terms_of(
    buyer_country_id: int | None, *, credit: bool = False, customer: int = 0, price_level: int | None = None
) -> Terms:
    """What the lines of a document are priced by.

    :param buyer_country_id: country of the document's third party
    :param customer: that third party
    :param price_level: its segment
    """
    seller = _seller()
    buyer = country_code(buyer_country_id) or ""
    country = buyer if seller in BUYER_DECIDES and buyer in BUYER_DECIDES else seller
    return Terms(rounding(), country, credit, customer, price_level)
