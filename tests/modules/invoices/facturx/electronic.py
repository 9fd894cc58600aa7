"""Electronic invoices as the tests look at them: their XML, the invoices they are made of, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

from core import Refused
from core.storage.database import ensure_connected
from modules.invoices.facturx.invoice import invoice_xml
from modules.invoices.invoices import invoices

COMPANY = {
    "name": "Comptoir & Fils", "address": "1 rue <Neuve>\nBât. B\n3e étage\nporte 4", "zip": "69001", "town": "Lyon",
    "country_code": "FR", "tva_intra": "fr 32 123456789", "idprof1": "123 456 789", "idprof2": "123 456 789 00012",
    "email": "bills@comptoir.example",
}  # fmt: skip
IBAN, BIC = "FR7630006000011234567890189", "AGRIFRPP"
#: 2026-11-21, midnight UTC
DAY = 1795219200
LINE = {"desc": "Desk", "qty": 3, "subprice": "20", "tva_tx": 20}
PAID = {"datepaye": 1795226000, "paymentid": 2, "closepaidinvoices": "no"}
#: identifiers of countries
FRANCE, GERMANY, SWITZERLAND = 1, 5, 6

PREFIXES = {
    prefix: f"urn:un:unece:uncefact:data:standard:{name}:100"
    for prefix, name in (
        ("rsm", "CrossIndustryInvoice"), ("ram", "ReusableAggregateBusinessInformationEntity"),
        ("udt", "UnqualifiedDataType"), ("qdt", "QualifiedDataType"),
    )
}  # fmt: skip
HEAD = ".//ram:ApplicableHeaderTradeSettlement"
SUMS = f"{HEAD}/ram:SpecifiedTradeSettlementHeaderMonetarySummation"
MEANS = f"{HEAD}/ram:SpecifiedTradeSettlementPaymentMeans"
SELLER, BUYER = ".//ram:SellerTradeParty", ".//ram:BuyerTradeParty"
Make = Callable[..., int]
Invoiced = Callable[..., "Xml"]


class Xml:
    """The XML of an invoice."""

    def __init__(self, content: bytes) -> None:
        self.root = ElementTree.fromstring(content)

    def all(self, path: str) -> list[str | None]:
        """The texts of the elements at a path."""
        return [each.text for each in self.root.findall(path, PREFIXES)]

    def one(self, path: str) -> str | None:
        """The text of the one element at a path; None where there is none."""
        found = self.all(path)
        assert len(found) < 2, path
        return found[0] if found else None

    def attribute(self, path: str, name: str) -> str | None:
        """An attribute of the first element at a path."""
        found = self.root.find(path, PREFIXES)
        assert found is not None, path
        return found.get(name)

    def children(self, path: str) -> list[tuple[str, str | None]]:
        """Names and texts of the simple elements in the one element at a path."""
        (found,) = self.root.findall(path, PREFIXES)
        return [(each.tag.rpartition("}")[2], each.text) for each in found if not len(each)]

    def sums(self) -> dict[str, str | None]:
        """The totals."""
        return dict(self.children(SUMS))

    def taxes(self) -> list[tuple[str | None, ...]]:
        """Category, rate, basis and tax of each row of the breakdown."""
        names = ("CategoryCode", "RateApplicablePercent", "BasisAmount", "CalculatedAmount")
        rows = self.root.findall(f"{HEAD}/ram:ApplicableTradeTax", PREFIXES)
        return [tuple(row.findtext(f"ram:{name}", None, PREFIXES) for name in names) for row in rows]


def read(identifier: int) -> dict[str, Any]:
    ensure_connected()
    return invoices.read(identifier)


def refusal(identifier: int) -> Refused:
    with pytest.raises(Refused) as caught:
        invoice_xml(read(identifier))
    return caught.value
