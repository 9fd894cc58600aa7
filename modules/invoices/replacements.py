"""Invoices that follow another one: a replacement that is validated abandons what it replaces; credit notes."""

from __future__ import annotations

from core import NotFound, Refused, query

from ..commercial.documents import Documents
from .models import REPLACEMENT, Invoice
from .sources import facts_of, why_not_credited, why_not_replaced

REPLACED = "replaced"


def abandon_source(invoices: Documents[Invoice], row: Invoice) -> None:
    """Abandon the invoice that another one replaces, inside the transaction that validates the latter.

    :param invoices: the invoices
    :param row: the replacement invoice
    :raises Refused: it names no invoice that can be replaced: a standard one of the same third party, validated, and
        nothing of it paid
    """
    if not row.fk_facture_source:
        raise Refused(
            f"replacement invoice {row.ref} has no source invoice; set `fk_facture_source`", reason="incomplete"
        )
    try:
        source = invoices.load(row.fk_facture_source, lock=True)
    except NotFound as error:
        message = f"the invoice that {row.ref} replaces does not exist; check `fk_facture_source`"
        raise Refused(message, reason="incomplete") from error
    if source.close_code == REPLACED and source.socid == row.socid:
        # The replacing invoice had been a draft again
        require_not_replaced(source)
        return
    belongs = source.socid == row.socid
    reason = why_not_replaced(source, facts_of([source])[source.id]) if belongs else "belongs to another third party"
    if reason:
        raise Refused(f"can't replace invoice {source.ref}: it {reason}", reason="unfit_source")
    invoices.act_on(source, "replace", close_code=REPLACED, close_note=None)


def require_creditable(invoices: Documents[Invoice], row: Invoice) -> None:
    """Go on only if a credit note that is validated, and names what it credits, may do so.

    :param invoices: the invoices
    :param row: the credit note
    :raises Refused: what it names is another third party's, or no credit note can be made of it
    """
    if not row.fk_facture_source:
        return
    # Locked: of two credit notes on one invoice the second sees the first
    source = invoices.load(row.fk_facture_source, lock=True)
    belongs = source.socid == row.socid
    reason = why_not_credited(source, facts_of([source])[source.id]) if belongs else "belongs to another third party"
    if reason:
        raise Refused(f"can't credit invoice {source.ref}: it {reason}", reason="unfit_source")


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
        raise Refused(
            f"can't set to unpaid: the invoice {row.ref} has been replaced by {others[0][0]}", reason="in_use"
        )
