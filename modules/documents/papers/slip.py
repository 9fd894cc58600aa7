"""The Swiss QR-bill: what its code holds and its two parts say, by the Swiss Implementation Guidelines (SPC 0200)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

#: countries whose addresses stand on it without their code
DOMESTIC = ("CH", "LI")


@dataclass(frozen=True)
class Address:
    """A structured address.

    :param building: the number of the building; empty where it stands in the street
    :param country: its code
    """

    name: str
    street: str
    building: str
    code: str
    town: str
    country: str

    @property
    def fields(self) -> tuple[str, ...]:
        """As the code holds it."""
        return ("S", self.name, self.street, self.building, self.code, self.town, self.country)

    @property
    def lines(self) -> list[str]:
        """As it is read."""
        town = f"{self.code} {self.town}" if self.country in DOMESTIC else f"{self.country}-{self.code} {self.town}"
        return [line for line in (self.name, f"{self.street} {self.building}".strip(), town) if line]


@dataclass(frozen=True)
class SwissSlip:
    """A payment part with its receipt.

    :param debtor: who is to pay; None: an empty box is drawn for that
    :param kind: of the reference: ``QRR``, ``SCOR`` or ``NON``
    :param message: what the payer is told, and tells the creditor
    :param language: two letters
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
        """What the code holds."""
        debtor = self.debtor.fields if self.debtor else ("",) * 7
        return "\n".join(
            ("SPC", "0200", "1", self.iban, *self.creditor.fields, *("",) * 7, f"{self.amount}", self.currency,
             *debtor, self.kind, self.reference, self.message, "EPD")
        )  # fmt: skip
