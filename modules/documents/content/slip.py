"""The content of the Swiss QR-bill: its code and two parts, by the Swiss Implementation Guidelines (SPC 0200)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

#: countries whose addresses are printed without the country code
DOMESTIC = ("CH", "LI")


@dataclass(frozen=True)
class Address:
    """A structured address.

    :param building: building number; empty if it is part of the street
    :param country: country code
    """

    name: str
    street: str
    building: str
    code: str
    town: str
    country: str

    @property
    def fields(self) -> tuple[str, ...]:
        """The address as fields of the code."""
        return ("S", self.name, self.street, self.building, self.code, self.town, self.country)

    @property
    def lines(self) -> list[str]:
        """The address as printed lines."""
        town = f"{self.code} {self.town}" if self.country in DOMESTIC else f"{self.country}-{self.code} {self.town}"
        return [line for line in (self.name, f"{self.street} {self.building}".strip(), town) if line]


@dataclass(frozen=True)
class SwissSlip:
    """A payment part with its receipt.

    :param debtor: the debtor; None: an empty box is drawn for the address
    :param kind: kind of the reference: ``QRR``, ``SCOR`` or ``NON``
    :param message: additional information for the payer, returned to the creditor with the payment
    :param language: language code of two letters
    """

    iban: str
    creditor: Address
    debtor: Address | None
    amount: Decimal
    currency: str
    kind: str
    reference: str
    message: str
    language: str

    @property
    def payload(self) -> str:
        """The content of the code."""
        debtor = self.debtor.fields if self.debtor else ("",) * 7
        return "\n".join(
            ("SPC", "0200", "1", self.iban, *self.creditor.fields, *("",) * 7, f"{self.amount}", self.currency,
             *debtor, self.kind, self.reference, self.message, "EPD")
        )  # fmt: skip
