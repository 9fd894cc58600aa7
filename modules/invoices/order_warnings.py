"""Warnings about invoices that an order already has."""

from __future__ import annotations

from core import current_caller, warn

from ..commercial.documents import Documents
from ..orders.orders import orders
from .models import CREDIT_NOTE, Invoice
from .states import ABANDONED

#: the warning about a further invoice for an order
INVOICED_AGAIN = "order {order} already has"
#: the warning about the cancellation of an order
CANCELLED = "order {order} is cancelled, but it has"


def warn_of_invoices(invoices: Documents[Invoice], order: int, text: str, new: int = 0) -> None:
    """Warn if an order has an invoice; the warning lists the references that the caller may see.

    Credit notes and abandoned invoices don't matter: the order can be invoiced again.

    :param invoices: the invoices
    :param order: ID of an order that the caller may see
    :param text: the warning, such as ``order {order} has``
    :param new: ID of the invoice that the order has got now; 0: none
    """
    ids = orders.links.derived(order, invoices.element)
    chosen = Invoice.id.in_(ids), Invoice.type != CREDIT_NOTE, Invoice.statut != ABANDONED
    standing = [row.id for row in Invoice.select(Invoice.id).where(*chosen)] if ids else []
    found = [each for each in standing if each != new]
    if not found or (new and new not in standing):
        return
    caller = current_caller()
    may_read = caller is None or caller.holds("invoices.read")
    seen = ", ".join(str(row.ref) for row in invoices.rows({"id": found})) if may_read else ""
    told = "an invoice" if len(found) == 1 else f"{len(found)} invoices"
    warn(f"{text.format(order=orders.load(order).ref)} {told}{seen and f': {seen}'}")
