"""What a paper asks to be paid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from ...commercial.precision import currency
from ...dictionaries.entries import code_of
from ...dictionaries.models import PaymentType
from ..papers.record_values import ZERO, day_of, number

CENT = Decimal("0.01")
#: the largest amount that the codes of payments take
LARGEST = Decimal("999999999.99")


@dataclass(frozen=True)
class Demand:
    """What a document asks to be paid.

    :param identifier: of the document
    :param amount: what remains to be paid
    :param due: the day it is due, if any
    :param mode: code of the mode of payment, such as ``VIR``; empty: not agreed
    :param retained: amount that is kept back besides, and asked for later
    """

    identifier: int
    ref: str
    amount: Decimal
    currency: str
    due: date | None = None
    mode: str = ""
    retained: Decimal = ZERO

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Demand:
        """The demand of a record that tells what remains to be paid."""
        return cls(
            identifier=int(record["id"]),
            ref=str(record["ref"] or ""),
            amount=number(record["remaintopay"]),
            currency=str(record.get("multicurrency_code") or currency()),
            due=day_of(record.get("date_lim_reglement")),
            mode=code_of(PaymentType, record.get("mode_reglement_id")) or "",
        )

    def without(self, retained: Decimal, until: date | None) -> Demand:
        """What is to be paid while a part of it is retained; where only that part remains, that by its own day.

        :param retained: amount that the customer keeps back
        :param until: day until which it does, if any is agreed
        """
        if retained <= 0 or (until and self.due and until <= self.due):
            return self
        left = self.amount - retained
        if left <= 0:
            return replace(self, due=until)
        return replace(self, amount=left, retained=retained)

    @property
    def cents(self) -> Decimal:
        """The amount with two decimals, as payments have them; halves are rounded up."""
        return self.amount.quantize(CENT, ROUND_HALF_UP)

    @property
    def codable(self) -> bool:
        """Whether a code may hold the amount."""
        return CENT <= self.cents <= LARGEST
