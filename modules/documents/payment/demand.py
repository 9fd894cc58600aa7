"""The demand for payment of a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from core.for_natives import default_context

from ...commercial.precision import currency
from ...dictionaries.entries import code_of
from ...dictionaries.models import PaymentType
from ..content.record_values import ZERO, day_of, number

CENT = Decimal("0.01")
#: maximum amount in payment codes
LARGEST = Decimal("999999999.99")


@dataclass(frozen=True)
class Demand:
    """The demand for payment of a document.

    :param identifier: ID of the document
    :param amount: the amount to pay now
    :param due: due date, if any
    :param mode: code of the payment method, such as ``VIR``; empty: not agreed
    :param retained: retained amount, which is due later and not part of `amount`
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
        """Return the demand for a record with the field `remaintopay`."""
        return cls(
            identifier=int(record["id"]),
            ref=str(record["ref"] or ""),
            amount=number(record["remaintopay"]),
            currency=str(record.get("multicurrency_code") or currency()),
            due=day_of(record.get("date_lim_reglement")),
            mode=code_of(PaymentType, record.get("mode_reglement_id")) or "",
        )

    @default_context
    def without(self, retained: Decimal, until: date | None) -> Demand:
        """Return the demand without a retained amount; if only that amount remains, it is due on `until`.

        :param retained: amount that the customer retains
        :param until: end of the retention, if one is agreed
        """
        if retained <= 0 or (until and self.due and until <= self.due):
            return self
        left = self.amount - retained
        if left <= 0:
            return replace(self, due=until)
        return replace(self, amount=left, retained=retained)

    @property
    @default_context
    def cents(self) -> Decimal:
        """The amount with two decimals, rounded half up, as payments require."""
        return self.amount.quantize(CENT, ROUND_HALF_UP)

    @property
    def codable(self) -> bool:
        """Return whether the amount fits in a payment code."""
        return CENT <= self.cents <= LARGEST
