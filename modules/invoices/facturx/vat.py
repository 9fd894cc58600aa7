"""VAT of an electronic invoice: the category of each line, and the sums by category and rate.

Where a rate is above 0 the category is S. Where no VAT is charged it follows from the two countries:

- the VAT dictionary's code of the rate counts first, where it is the letter of a category: Z, E, AE, K, G or O;
- the seller has neither VAT number nor registration number: O, not subject to VAT;
- both are in one country, or the buyer's country is in the Union with the seller's and the buyer has no VAT number: E,
  exempt;
- both are in the Union, and the buyer has a VAT number: K, a delivery within the Union, for products; AE, the buyer
  owes the VAT, for services;
- otherwise G, an export. Services to other parts of the world get it as well: O would be nearer, and forbids the
  seller to name a VAT number.

The tax of a rate is the sum of its lines' VAT, as the invoice shows it. Rounded line by line it may be some cents from
what the rate makes of the sum; the norm allows less than one unit of the currency (BR-CO-17, BR-S-09), beyond that
MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND must round it once for each rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from xml.etree.ElementTree import Element

from core import Refused

from ...commercial.totals import half_up
from ...dictionaries.union import UNION
from ...dictionaries.vat import vat_row
from ...documents.papers.record_values import number
from ...thirdparties.discounts import plain_amount as plain
from .parties import Party
from .xml import amount, node, single

VAT_NOT_CHARGED = 1
SERVICE = 1
#: category of a line without VAT → why there is none, in words and as a code
REASONS = {
    "Z": ("", ""),
    "E": ("Exempt from VAT", ""),
    "AE": ("Reverse charge", "VATEX-EU-AE"),
    "K": ("Intra-community supply", "VATEX-EU-IC"),
    "G": ("Export outside the EU", "VATEX-EU-G"),
    "O": ("Not subject to VAT", "VATEX-EU-O"),
}
FRANCHISE = ("VAT not applicable, article 293 B of the CGI", "VATEX-FR-FRANCHISE")
STAMP_DUTY = "Stamp duty"
ZERO = Decimal(0)
ONE = Decimal(1)


@dataclass(frozen=True)
class Vat:
    """The VAT of a line: category (UNCL 5305), rate in percent, and why none is charged."""

    category: str
    rate: Decimal
    reason: str = ""
    reason_code: str = ""

    def node(self, name: str = "ram:ApplicableTradeTax") -> Element:
        """The VAT of a line as an element."""
        return single(name, node("ram:TypeCode", "VAT"), node("ram:CategoryCode", self.category), self.rate_node())

    def rate_node(self) -> Element | None:
        """The rate; what is not subject to VAT has none."""
        return node("ram:RateApplicablePercent", plain(self.rate)) if self.category != "O" else None


@dataclass
class Breakdown:
    """What the lines of one category and rate come to.

    :param stamp: the part of the basis that is stamp duty
    """

    vat: Vat
    basis: Decimal = ZERO
    tax: Decimal = ZERO
    stamp: Decimal = ZERO

    def node(self, point: Element | None) -> Element:
        """The sums as an element.

        :param point: the day that counts for VAT
        """
        return single(
            "ram:ApplicableTradeTax",
            node("ram:CalculatedAmount", amount(self.tax)),
            node("ram:TypeCode", "VAT"),
            node("ram:ExemptionReason", self.vat.reason),
            node("ram:BasisAmount", amount(self.basis)),
            node("ram:CategoryCode", self.vat.category),
            node("ram:ExemptionReasonCode", self.vat.reason_code),
            point,
            self.vat.rate_node(),
        )

    def stamp_node(self) -> Element:
        """The stamp duty as a charge, or as an allowance where it is taken away."""
        return single(
            "ram:SpecifiedTradeAllowanceCharge",
            node("ram:ChargeIndicator", node("udt:Indicator", "true" if self.stamp > 0 else "false")),
            node("ram:ActualAmount", amount(abs(self.stamp))),
            node("ram:Reason", STAMP_DUTY),
            self.vat.node("ram:CategoryTradeTax"),
        )


def vat_of(line: Mapping[str, Any], own: Party, other: Party) -> Vat:
    """The VAT of a line.

    :raises Refused: its rate is below 0
    """
    rate = number(line["tva_tx"])
    if rate < 0:
        raise Refused(f"An electronic invoice knows no rate of VAT of {rate:f}")
    if rate and not int(line["info_bits"] or 0) & VAT_NOT_CHARGED:
        return Vat("S", rate)
    code = str(line["vat_src_code"] or "")
    category = code.upper() if code.upper() in REASONS else _category(int(line["product_type"] or 0), own, other)
    reason, reason_code = REASONS[category]
    if category == "E" and own.country == "FR" and not own.vat:
        reason, reason_code = FRANCHISE
    row = vat_row(own.country, rate, code) if category == "E" and code else None
    return Vat(category, ZERO, (row.note if row else "") or reason, reason_code)


def _category(product_type: int, own: Party, other: Party) -> str:
    if not own.vat and not own.registration:
        return "O"
    if own.country == other.country or not own.vat:
        return "E"
    if own.country in UNION and other.country in UNION:
        return ("AE" if product_type == SERVICE else "K") if other.vat else "E"
    return "G"


def breakdown(parts: Iterable[tuple[Vat, Decimal, Decimal]], stamp: Decimal) -> list[Breakdown]:
    """What the lines come to by category and rate, in the order they appear.

    :param parts: of each line its VAT, its net amount and its tax
    :param stamp: stamp duty: a charge without VAT
    :raises Refused: the tax of a rate is not what the rate makes of its sum; or lines that are not subject to VAT are
        among others
    """
    found: dict[tuple[str, Decimal], Breakdown] = {}
    for vat, net, tax in parts:
        each = found.setdefault((vat.category, vat.rate), Breakdown(vat))
        each.basis += net
        each.tax += tax
    if stamp:
        category = "O" if ("O", ZERO) in found else "E"
        vat = Vat(category, ZERO, *(REASONS["O"] if category == "O" else (STAMP_DUTY, "")))
        each = found.setdefault((category, ZERO), Breakdown(vat))
        each.basis += stamp
        each.stamp = stamp
    for each in found.values():
        due = half_up(each.basis * each.vat.rate / 100, 2)
        if abs(each.tax - due) >= ONE:
            raise Refused(
                f"No electronic invoice has {each.tax:f} of VAT at {each.vat.rate:f} percent on {each.basis:f}: "
                "round it once for each rate (MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND)"
            )
    return list(found.values())
