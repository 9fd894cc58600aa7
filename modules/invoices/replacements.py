"""Replacement invoices: one that is validated abandons the invoice it replaces."""

from __future__ import annotations

from typing import Any

from core import NotFound, Refused, query

from .balances import balance_of
from .models import REPLACEMENT, STANDARD, Invoice
from .states import VALIDATED

REPLACED = "replaced"


def abandon_source(invoices: Any, row: Invoice) -> None:
    """Abandon the invoice that another one replaces, inside the transaction that validates the latter.

    :param invoices: the invoices
    :param row: the replacement invoice
    :raises Refused: it names no invoice that can be replaced: a standard one of the same third party, validated, and
        nothing of it paid
    """
    if not row.fk_facture_source:
        raise Refused(f"Invoice {row.ref} replaces another one: `fk_facture_source` must name it")
    try:
        source = invoices.load(row.fk_facture_source, lock=True)
    except NotFound as error:
        raise Refused(f"Invoice {row.ref}: the invoice that it replaces is not there") from error
    if source.close_code == REPLACED and source.socid == row.socid:
        # The replacing invoice had been a draft again
        require_not_replaced(source)
        return
    balance = balance_of(source.id)
    reason = ""
    if source.socid != row.socid:
        reason = "belongs to another third party"
    elif source.type != STANDARD:
        reason = "is no standard invoice"
    elif source.statut != VALIDATED:
        reason = "is not validated and unpaid"
    elif any(balance):
        reason = "has been paid in part"
    if reason:
        raise Refused(f"Invoice {source.ref} cannot be replaced: it {reason}")
    invoices.mover.move(source, "replace", close_code=REPLACED, close_note=None)


def require_not_replaced(row: Invoice) -> None:
    """Go on only if no validated invoice has taken the place of one that is to be unpaid again.

    :raises Refused: one has
    """
    if row.close_code != REPLACED:
        return
    others = query(
        "SELECT ref FROM llx_facture WHERE fk_facture_source = ? AND type = ? AND fk_statut > 0 ORDER BY rowid LIMIT 1",
        (row.id, REPLACEMENT),
    )
    if others:
        raise Refused(f"Invoice {row.ref} has been replaced by {others[0][0]}")
