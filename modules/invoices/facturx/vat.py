"""VAT of an electronic invoice: the category of each line, and the sums by category and rate.

`commercial/vat_category.py` decides the category of a line; `documents/content/vat_reasons.py` has the reasons for a
line without VAT. The sentence is the same as in the PDF, in the same language.

The tax of a rate is the sum of its lines' VAT, as the invoice shows it. Rounded line by line, it may differ by a few
cents from the tax on the sum. The standard allows less than one unit of the currency (BR-CO-17, BR-S-09); beyond that,
MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND must be set, to round once for each rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from xml.etree.ElementTree import Element

from core import Refused

from ...commercial.totals import half_up
from ...commercial.vat_category import CHARGED, TaxParty, category_of
from ...documents.content.language import Language
from ...documents.content.record_values import number
from ...documents.content.vat_reasons import SMALL, reason_of
from ...thirdparties.discounts import plain_amount as plain
from .xml import amount, node, single

#: category of a line without VAT → code of the exemption reason
CODES = {"AE": "VATEX-EU-AE", "K": "VATEX-EU-IC", "G": "VATEX-EU-G", "O": "VATEX-EU-O"}
FRENCH, FRANCHISE = SMALL["FR"], "VATEX-FR-FRANCHISE"
STAMP_DUTY = "Stamp duty"
#: VAT becomes due on the day of the invoice (UNTDID 2475)
DUE_ON_ISSUE = "5"
ZERO = Decimal(0)
ONE = Decimal(1)


@dataclass(frozen=True)
class Vat:
    """The VAT of a line: category (UNCL 5305), rate in percent, and the reason if none is charged."""

    category: str
    rate: Decimal
    reason: str = ""
    reason_code: str = ""

    def node(self, name: str = "ram:ApplicableTradeTax") -> Element:
        """Return the VAT of a line as an element."""
        return single(name, node("ram:TypeCode", "VAT"), node("ram:CategoryCode", self.category), self.rate_node())

    def rate_node(self) -> Element | None:
        """Return the rate as an element; None for a line not subject to VAT."""
        return node("ram:RateApplicablePercent", plain(self.rate)) if self.category != "O" else None


@dataclass
class Breakdown:
    """The sums of the lines of one category and rate.

    :param stamp: the part of the basis that is stamp duty
    """

    vat: Vat
    basis: Decimal = ZERO
    tax: Decimal = ZERO
    stamp: Decimal = ZERO

    def node(self, point: Element | None, on_issue: bool) -> Element:
        """Return the sums as an element.

        :param point: the tax point, the day VAT becomes due
        :param on_issue: without one, VAT becomes due when the invoice is issued
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
            node("ram:DueDateTypeCode", DUE_ON_ISSUE) if on_issue and point is None and self.tax else None,
            self.vat.rate_node(),
        )

    def stamp_node(self) -> Element:
        """Return the stamp duty as a charge, or as an allowance if it is negative."""
        return single(
            "ram:SpecifiedTradeAllowanceCharge",
            node("ram:ChargeIndicator", node("udt:Indicator", "true" if self.stamp > 0 else "false")),
            node("ram:ActualAmount", amount(abs(self.stamp))),
            node("ram:Reason", STAMP_DUTY),
            self.vat.node("ram:CategoryTradeTax"),
        )


def vat_of(line: Mapping[str, Any], own: TaxParty, other: TaxParty, words: Language, *, small: bool) -> Vat:
    """Return the VAT of a line.

    :param words: the language of the reason
    :param small: whether the seller is a small business that charges no VAT
    :raises Refused: its rate is below 0
    """
    rate = number(line["tva_tx"])
    if rate < 0:
        raise Refused(f"an electronic invoice can't have a VAT rate below 0, got {rate:f}", reason="wrong_type")
    category = category_of(line, own, other)
    if category == CHARGED:
        return Vat(CHARGED, rate)
    reason = reason_of(line, category, own, words, small=small)
    franchise = category == "E" and reason == words.say(FRENCH)
    return Vat(category, ZERO, reason, FRANCHISE if franchise else CODES.get(category, ""))


def _with_reason(known: Vat, other: Vat) -> Vat:
    """Return the VAT of lines of one category and rate, with the reasons of both."""
    if other.reason in known.reason:
        return known
    code = known.reason_code if known.reason_code == other.reason_code else ""
    return replace(known, reason=f"{known.reason}; {other.reason}", reason_code=code)


def breakdown(parts: Iterable[tuple[Vat, Decimal, Decimal]], stamp: Decimal) -> list[Breakdown]:
    """Return the sums of the lines by category and rate, in order of appearance.

    :param parts: VAT, net amount and tax of each line
    :param stamp: stamp duty: a charge without VAT
    :raises Refused: the tax of a rate doesn't match the rate and the sum
    """
    found: dict[tuple[str, Decimal], Breakdown] = {}
    for vat, net, tax in parts:
        each = found.setdefault((vat.category, vat.rate), Breakdown(vat))
        each.vat = _with_reason(each.vat, vat)
        each.basis += net
        each.tax += tax
    if stamp:
        category = "O" if ("O", ZERO) in found else "E"
        vat = Vat(category, ZERO, STAMP_DUTY, CODES.get(category, ""))
        each = found.setdefault((category, ZERO), Breakdown(vat))
        each.basis += stamp
        each.stamp = stamp
    for each in found.values():
        due = half_up(each.basis * each.vat.rate / 100, 2)
        if abs(each.tax - due) >= ONE:
            expected = f"expected VAT of {due:f} at {each.vat.rate:f}% of {each.basis:f}, got {each.tax:f}"
            raise Refused(
                f"electronic invoice: {expected}; "
                "set MAIN_ROUNDOFTOTAL_NOT_TOTALOFROUND to 1 to round VAT once for each rate",
                reason="not_configured",
            )
    return list(found.values())
