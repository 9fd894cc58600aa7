"""The documents that a document was made from: an invoice from orders, an order from proposals."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from ...commercial.links import models_by_element
from ...commercial.models import DocumentLink
from ...numbering.series import is_provisional

PROPOSAL, ORDER = "propal", "commande"
#: kind → English name; later documents first
KINDS = {ORDER: "Order", PROPOSAL: "Commercial proposal"}
#: kind of document → the kinds it is made from
SOURCES = {ORDER: (PROPOSAL,), PROPOSAL: ()}
ANY = (ORDER, PROPOSAL)


def origins(element: str, record: Mapping[str, Any]) -> list[tuple[str, str, date | None]]:
    """Return the orders and proposals that a document was made from: English name of the kind, reference, date.

    Proposals of these orders are included. A document without links needs no SQL statement.

    :param element: kind of the document, such as ``facture``
    :param record: the document, with its links to documents that the caller may see
    """
    linked = record.get("linkedObjectsIds") or {}
    found = []
    orders: list[int] = []
    for kind in SOURCES.get(element, ANY):
        identifiers = sorted({int(other) for other in (linked.get(kind) or {}).values()})
        if kind == ORDER:
            orders = identifiers
        if identifiers or (kind == PROPOSAL and orders):
            found += _rows(kind, identifiers, orders, int(record["socid"]))
    return found


def _rows(kind: str, identifiers: list[int], orders: list[int], socid: int) -> list[tuple[str, str, date | None]]:
    model: Any = models_by_element().get(kind)
    if model is None:
        return []
    among = model.id.in_(identifiers)
    if kind == PROPOSAL and orders:
        of_orders = DocumentLink.select(DocumentLink.fk_source).where(
            (DocumentLink.sourcetype == PROPOSAL)
            & (DocumentLink.targettype == ORDER)
            & DocumentLink.fk_target.in_(orders)
        )
        # The caller hasn't been shown the links of the orders: their proposals must be the same third party's
        among |= model.id.in_(of_orders) & (model.socid == socid)
    rows = model.select(model.ref, model.date).where(among).order_by(model.id).tuples()
    return [(KINDS[kind], ref, day) for ref, day in rows if ref and not is_provisional(ref)]
