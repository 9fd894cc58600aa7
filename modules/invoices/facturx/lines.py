"""Lines of an electronic invoice.

The net amount of a line comes from the record. The price of a line is the price after discount. With a discount, the
line adds the price before it and the discount per unit. Prices are never negative (BR-27): a deducting line has a
negative quantity.

Sometimes price times quantity doesn't give the amount to the cent: prices entered with VAT, progress of work, a
smallest coin. Then the price is that of the whole quantity: ``10.00 for 3``. Titles are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from xml.etree.ElementTree import Element

from core import Refused

from ...commercial.totals import TITLE, half_up
from ...dictionaries.entries import code_of
from ...dictionaries.models import Unit
from ...documents.content.language import Language
from ...documents.content.record_values import number
from ...documents.content.rich_text import one_line, plain_text
from ...documents.content.vat_reasons import is_small
from ...thirdparties.discounts import plain_amount as plain
from ..discount_words import told_discounts
from .parties import Party
from .vat import Vat, vat_of
from .xml import amount, dated, node, single

#: unit of the dictionary → its code (UN/ECE recommendations 20 and 21); all others become `ONE_UNIT`
UNITS = {
    "T": "TNE", "KG": "KGM", "G": "GRM", "MG": "MGM", "OZ": "ONZ", "LB": "LBR", "M": "MTR", "DM": "DMT", "CM": "CMT",
    "MM": "MMT", "FT": "FOT", "IN": "INH", "M2": "MTK", "DM2": "DMK", "CM2": "CMK", "MM2": "MMK", "FT2": "FTK",
    "IN2": "INK", "M3": "MTQ", "DM3": "DMQ", "CM3": "CMQ", "MM3": "MMQ", "FT3": "FTQ", "IN3": "INQ", "OZ3": "OZA",
    "L": "LTR", "GAL": "GLL", "P": "H87", "SET": "SET", "S": "SEC", "MI": "MIN", "H": "HUR", "D": "DAY", "W": "WEE",
    "MO": "MON", "Y": "ANN",
}  # fmt: skip
ONE_UNIT = "C62"
LONGEST_NAME = 100
ZERO = Decimal(0)
ONE = Decimal(1)
WHOLE = Decimal(100)


@dataclass(frozen=True)
class Price:
    """The price of a line.

    :param net: price of `basis` units after the discount
    :param gross: price of one unit before the discount; None without a discount
    """

    net: Decimal
    basis: Decimal = ONE
    gross: Decimal | None = None


@dataclass(frozen=True)
class BilledLine:
    """A line of the electronic invoice.

    :param number: position on the invoice, from 1
    :param net: net amount
    :param tax: amount of VAT
    """

    number: int
    record: Mapping[str, Any]
    quantity: Decimal
    price: Price
    net: Decimal
    tax: Decimal
    vat: Vat

    @property
    def names(self) -> tuple[str, str]:
        """Return name and description; without a name, the beginning of the description is the name."""
        text = plain_text(str(self.record["desc"] or "")).strip()
        label = one_line(str(self.record["label"] or self.record["product_label"] or "")).strip()
        if not label:
            label = text.split("\n", 1)[0].strip()[:LONGEST_NAME].strip()
        return label, text if text != label else ""

    def node(self) -> Element:
        """Return the line as an element."""
        name, text = self.names
        return single(
            "ram:IncludedSupplyChainTradeLineItem",
            node("ram:AssociatedDocumentLineDocument", node("ram:LineID", str(self.number))),
            node(
                "ram:SpecifiedTradeProduct",
                node("ram:SellerAssignedID", self.record["product_ref"]),
                node("ram:Name", name),
                node("ram:Description", text),
            ),
            self._prices(),
            node("ram:SpecifiedLineTradeDelivery", self._quantity("ram:BilledQuantity", self.quantity)),
            node(
                "ram:SpecifiedLineTradeSettlement",
                self.vat.node(),
                node(
                    "ram:BillingSpecifiedPeriod",
                    dated("ram:StartDateTime", self.record["date_start"]),
                    dated("ram:EndDateTime", self.record["date_end"]),
                ),
                node(
                    "ram:SpecifiedTradeSettlementLineMonetarySummation",
                    node("ram:LineTotalAmount", amount(self.net)),
                ),
            ),
        )

    def _prices(self) -> Element:
        price, gross = self.price, None
        if price.gross is not None:
            gross = node(
                "ram:GrossPriceProductTradePrice",
                node("ram:ChargeAmount", plain(price.gross)),
                node(
                    "ram:AppliedTradeAllowanceCharge",
                    node("ram:ChargeIndicator", node("udt:Indicator", "false")),
                    node("ram:ActualAmount", plain(price.gross - price.net)),
                ),
            )
        basis = self._quantity("ram:BasisQuantity", price.basis) if price.basis != ONE else None
        net = node("ram:NetPriceProductTradePrice", node("ram:ChargeAmount", plain(price.net)), basis)
        return single("ram:SpecifiedLineTradeAgreement", gross, net)

    def _quantity(self, name: str, quantity: Decimal) -> Element | None:
        code = code_of(Unit, self.record["fk_unit"]) or ""
        return node(name, plain(quantity), unitCode=UNITS.get(code, ONE_UNIT))


def read_lines(record: Mapping[str, Any], sign: int, own: Party, other: Party, words: Language) -> list[BilledLine]:
    """Return the lines of an invoice, including free ones, without titles.

    :param sign: -1 for a credit note, whose amounts are negative in the record
    :param words: the language of the PDF
    :raises Refused: a line has a local tax, or a VAT rate below 0
    """
    found: list[BilledLine] = []
    lines = told_discounts(record["lines"], words)
    small = is_small(own, lines)
    for line in lines:
        if int(line["product_type"] or 0) == TITLE:
            continue
        if number(line["total_localtax1"]) or number(line["total_localtax2"]):
            raise Refused(
                f"can't make an electronic invoice from {record['ref']}: it has local taxes", reason="wrong_type"
            )
        # Adding ZERO turns -0, from a credit note, into 0
        net, taxed = (sign * number(line[name]) + ZERO for name in ("total_ht", "total_ttc"))
        quantity = abs(number(line["qty"])).copy_sign(net)
        price = _price(line, abs(quantity), abs(net))
        # The amounts owed decide: a line may have a VAT rate that isn't charged
        vat = vat_of(line, own, other, words, small=small)
        found.append(BilledLine(len(found) + 1, line, quantity, price, net, taxed - net, vat))
    return found


def _price(line: Mapping[str, Any], quantity: Decimal, net: Decimal) -> Price:
    gross = abs(number(line["subprice"]))
    discount = number(line["remise_percent"])
    price = abs(gross * (1 - discount / WHOLE))
    if half_up(price * quantity, 2) == net:
        return Price(price, gross=gross if 0 < discount <= WHOLE else None)
    return Price(net, basis=quantity or ONE)
