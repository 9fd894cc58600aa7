"""Balances of invoices: what payments, credit notes and deposits have settled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NamedTuple

from core import ExactField, profile, query
from core.for_natives import as_column, default_context

from ..thirdparties.discounts import DEPOSIT, amount_of
from ..thirdparties.models import Discount
from ..thirdparties.shapes import LEFT
from .models import PaymentShare

ZERO = Decimal(0)
#: field of a record that holds a part of the balance → its second name in the record
NAMES = {"totalpaid": "sumpayed", "totalcreditnotes": "sumcreditnote", "totaldeposits": "sumdeposit"}


def _discounts(comparison: str) -> str:
    return (
        f"SELECT {ExactField.sum_sql('amount_ttc')} FROM llx_societe_remise_except "
        f"WHERE fk_facture = t.rowid AND COALESCE(description, '') {comparison} '{DEPOSIT}'"
    )


#: field of a record → the subquery that reads it together with the invoice
SUBQUERIES = {
    "totalpaid": lambda: f"SELECT {ExactField.sum_sql('amount')} FROM llx_paiement_facture WHERE fk_facture = t.rowid",
    "totalcreditnotes": lambda: _discounts("<>"),
    "totaldeposits": lambda: _discounts("="),
}


#: the same amounts, for sums of lists
AMOUNTS: dict[str, Any] = {
    "totalpaid": (PaymentShare, "fk_facture", "amount"),
    "totalcreditnotes": (Discount, "fk_facture", "amount_ttc", f"COALESCE(other.description, '') <> '{DEPOSIT}'"),
    "totaldeposits": (Discount, "fk_facture", "amount_ttc", f"other.description = '{DEPOSIT}'"),
    "remaintopay": "total_ttc - totalpaid - totalcreditnotes - totaldeposits",
}


class Balance(NamedTuple):
    """The amounts paid on one invoice, by kind; amounts paid back are negative."""

    paid: Decimal = ZERO
    credits: Decimal = ZERO
    deposits: Decimal = ZERO

    @property
    @default_context
    def settled(self) -> Decimal:
        """Return the total settled by payments, credit notes and deposits."""
        return self.paid + self.credits + self.deposits


@default_context
def balances(identifiers: Iterable[int]) -> dict[int, Balance]:
    """Return the balances of invoices by ID, read with one statement."""
    numbers = sorted({int(each) for each in identifiers})
    if not numbers:
        return {}
    among = f"IN ({','.join(map(str, numbers))})"
    # Summed in Python: MariaDB creates a temporary table to group by a text column, which takes several times as long
    rows = query(
        f"SELECT fk_facture, 0, '', amount FROM llx_paiement_facture WHERE fk_facture {among} "
        "UNION ALL SELECT fk_facture, 1, description, amount_ttc FROM llx_societe_remise_except "
        f"WHERE fk_facture {among}"
    )
    paid: dict[int, Decimal] = defaultdict(Decimal)
    used: dict[tuple[int, bool], Decimal] = defaultdict(Decimal)
    for invoice, is_discount, description, amount in rows:
        if is_discount:
            used[invoice, description == DEPOSIT] += amount_of(amount)
        else:
            paid[invoice] += amount_of(amount)
    return {
        each: Balance(paid.get(each, ZERO), used.get((each, False), ZERO), used.get((each, True), ZERO))
        for each in numbers
    }


def balance_of(identifier: int) -> Balance:
    """Return the balance of one invoice."""
    return balances([identifier])[identifier]


@default_context
def add_balances(records: list[dict[str, Any]]) -> None:
    """Add the balance and the amount that remains to be paid to records of invoices, in place."""
    # Dolibarr 16 leaves these fields empty if nothing is paid
    empty = None if profile().text_values else "0.00000000"
    for record in records:
        balance = Balance(*(LEFT.sum_value(record[name]) for name in NAMES))
        for (name, other), amount in zip(NAMES.items(), balance, strict=True):
            record[name] = record[other] = f"{amount:.8f}" if amount else empty
        record["remaintopay"] = as_column(LEFT, Decimal(record["total_ttc"]) - balance.settled)
