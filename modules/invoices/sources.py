"""Source invoices of credit notes and replacements: rules for crediting and replacing an invoice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from core import Refused, query
from core.for_natives import default_context

from ..thirdparties.discounts import amount_of
from .balances import Balance, balances
from .models import CREDIT_NOTE, DEPOSIT, REPLACEMENT, SITUATION, STANDARD, Invoice
from .states import PAID, VALIDATED

#: types of invoices that can be credited
CREDITED = (STANDARD, REPLACEMENT, DEPOSIT, SITUATION)
ZERO = Decimal(0)


@dataclass
class Facts:
    """Data from other records that decide whether an invoice can be credited or replaced.

    :param balance: the amounts paid
    :param credited: total of its validated credit notes; positive
    :param replacing: states of its replacement invoices, including drafts
    :param is_last: for a situation invoice: no validated invoice of its series follows
    :param is_discount: for a deposit: it has been converted to discounts
    """

    balance: Balance
    credited: Decimal = ZERO
    replacing: list[int] = field(default_factory=list)
    is_last: bool = True
    is_discount: bool = False


def why_not_credited(row: Invoice, facts: Facts) -> str:
    """Return the reason why an invoice can't be credited; empty if it can."""
    if row.type not in CREDITED:
        return "has a type that credit notes can't refer to"
    if row.statut not in (VALIDATED, PAID):
        return "is neither validated nor paid"
    if not facts.is_last:
        return "is not the latest situation invoice of its series"
    if facts.is_discount:
        return "has been converted to a discount"
    return "has already been credited in full" if facts.credited and facts.credited >= row.total_ttc else ""


def why_not_replaced(row: Invoice, facts: Facts) -> str:
    """Return the reason why an invoice can't be replaced; empty if it can."""
    if row.type != STANDARD:
        return "is not a standard invoice"
    if row.statut != VALIDATED:
        return "must be validated and unpaid"
    if facts.balance.paid:
        return "has payments"
    return "has a credit note" if facts.credited else ""


@default_context
def facts_of(rows: Sequence[Invoice]) -> dict[int, Facts]:
    """Return the facts about invoices of one third party, read with at most four statements."""
    if not rows:
        return {}
    found = {number: Facts(balance) for number, balance in balances(row.id for row in rows).items()}
    among = ",".join(str(number) for number in found)
    for source, kind, state, amount in query(
        f"SELECT fk_facture_source, type, fk_statut, total_ttc FROM llx_facture WHERE fk_facture_source IN ({among})"
    ):
        if kind == REPLACEMENT:
            found[source].replacing.append(state)
        elif kind == CREDIT_NOTE and state in (VALIDATED, PAID):
            found[source].credited -= amount_of(amount)
    last = _last_situations(rows)
    for row in rows:
        if row.type == SITUATION and row.situation_cycle_ref is not None:
            found[row.id].is_last = (row.situation_counter or 0) >= last[row.situation_cycle_ref]
    if deposits := ",".join(str(row.id) for row in rows if row.type == DEPOSIT):
        for (source,) in query(
            f"SELECT fk_facture_source FROM llx_societe_remise_except WHERE fk_facture_source IN ({deposits})"
        ):
            found[source].is_discount = True
    return found


@default_context
def require_left(row: Invoice, credited: Decimal, amount: Decimal = ZERO) -> None:
    """Check that credit notes don't exceed their invoice.

    :param credited: the total of its validated credit notes; positive
    :param amount: of one that is to be validated; positive
    :raises Refused: they exceed it
    """
    if credited + amount <= max(row.total_ttc, ZERO):
        return
    places = max(2, *(-int(each.normalize().as_tuple().exponent) for each in (row.total_ttc, credited, amount)))
    total, before, asked = (f"{each:.{places}f}" for each in (row.total_ttc, credited, amount))
    what = f"can't credit {asked} of invoice {row.ref}" if amount else f"can't validate invoice {row.ref}"
    raise Refused(f"{what}: the invoice has {total}, credited so far {before}", reason="too_much")


def _last_situations(rows: Sequence[Invoice]) -> dict[int, int]:
    """Return the number of the last validated invoice of each series of situation invoices."""
    if all(row.type != SITUATION for row in rows):
        return {}
    last: dict[int, int] = defaultdict(int)
    for cycle, place in query(
        "SELECT situation_cycle_ref, MAX(situation_counter) FROM llx_facture WHERE fk_soc = ? AND type = ? "
        "AND fk_statut IN (?, ?) AND situation_cycle_ref IS NOT NULL GROUP BY situation_cycle_ref",
        (rows[0].socid, SITUATION, VALIDATED, PAID),
    ):
        last[cycle] = place or 0
    return last
