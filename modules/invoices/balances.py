"""What is paid of invoices: by payments, by credit notes and by deposits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NamedTuple

from core import Asked, as_column, asked, query, settings

from ..thirdparties.discounts import DEPOSIT, summed
from ..thirdparties.shapes import LEFT

ZERO = Decimal(0)
#: what each part of a balance is called in a record
NAMES = (("totalpaid", "sumpayed"), ("totalcreditnotes", "sumcreditnote"), ("totaldeposits", "sumdeposit"))


class Balance(NamedTuple):
    """What is paid of one invoice; what is paid back is negative."""

    paid: Decimal = ZERO
    credits: Decimal = ZERO
    deposits: Decimal = ZERO

    @property
    def settled(self) -> Decimal:
        """All that is paid, in whatever way."""
        return self.paid + self.credits + self.deposits


def asked_balances(identifiers: Iterable[int]) -> Asked:
    """What `balances` asks the database."""
    return asked(_paid_of(sorted({int(each) for each in identifiers})), ())


def _paid_of(numbers: list[int]) -> str:
    among = f"IN ({','.join(map(str, numbers))})"
    # Summed here: to group by a text MariaDB makes a table, which takes several times as long
    return (
        f"SELECT fk_facture, 0, '', amount FROM llx_paiement_facture WHERE fk_facture {among} "
        "UNION ALL SELECT fk_facture, 1, description, amount_ttc FROM llx_societe_remise_except "
        f"WHERE fk_facture {among}"
    )


def balances(identifiers: Iterable[int]) -> dict[int, Balance]:
    """What is paid of invoices, with one statement for all of them."""
    numbers = sorted({int(each) for each in identifiers})
    if not numbers:
        return {}
    paid: dict[int, Decimal] = defaultdict(Decimal)
    used: dict[tuple[int, bool], Decimal] = defaultdict(Decimal)
    for invoice, is_discount, description, amount in query(_paid_of(numbers)):
        if is_discount:
            used[invoice, description == DEPOSIT] += summed(amount)
        else:
            paid[invoice] += summed(amount)
    return {
        each: Balance(paid.get(each, ZERO), used.get((each, False), ZERO), used.get((each, True), ZERO))
        for each in numbers
    }


def balance_of(identifier: int) -> Balance:
    """What is paid of one invoice."""
    return balances([identifier])[identifier]


def add_balances(records: list[dict[str, Any]]) -> None:
    """Tell of the invoices that are about to be answered what is paid of them, and what remains."""
    found = balances(int(record["id"]) for record in records)
    # Release 16 says nothing where nothing is paid
    empty = None if settings().profile.text_values else "0.00000000"
    for record in records:
        balance = found[int(record["id"])]
        for names, amount in zip(NAMES, balance, strict=True):
            record.update(dict.fromkeys(names, f"{amount:.8f}" if amount else empty))
        record["remaintopay"] = as_column(LEFT, Decimal(record["total_ttc"]) - balance.settled)
