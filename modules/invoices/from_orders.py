"""Invoices made from orders."""

from __future__ import annotations

from typing import Any

from core import settings, transaction

from ..orders.orders import orders
from ..orders.states import INVOICE
from ..setup.company import today
from .invoices import invoices
from .order_warnings import INVOICED_AGAIN, warn_of_invoices

#: what an invoice takes over from its order, besides third party, lines, contacts and extra fields
COPIED = (
    "fk_project", "fk_account", "cond_reglement_id", "mode_reglement_id", "ref_client", "note_public", "note_private",
    "module_source", "pos_source",
)  # fmt: skip


def create_from_order(order_id: int) -> dict[str, Any]:
    """Make a draft of an order, dated today; answers its record. The order stays as it is.

    :raises BadRequest: no order is named
    :raises NotFound: there is no such order, or the caller may not see it
    :raises Refused: the state of the order does not permit it, as that of a cancelled one
    """
    with transaction():
        row = orders.load(order_id, lock=True)
        if not orders.states.permits(row.statut, INVOICE):
            message = f"can't invoice order {row.ref}: it is {orders.states.described(row.statut)}"
            raise orders.state_error(row, INVOICE, message)
        copied: tuple[str, ...] = COPIED
        if settings().profile.documents_as_recorded:
            # An invoice without terms has 0 there, as one without an order
            copied = tuple(name for name in COPIED if getattr(row, name) is not None)
        identifier = invoices.create_from(orders, row, copied, date=today())
        warn_of_invoices(invoices, row.id, INVOICED_AGAIN, identifier)
    as_text = settings().profile.text_values
    delivery = dict.fromkeys(("delivery_date", "date_livraison"), row.delivery_date) if row.delivery_date else {}
    source = {"origin": orders.element, "origin_id": str(row.id) if as_text else row.id}
    return invoices.read(identifier) | source | delivery
