"""Checks by shipments before orders change."""

from __future__ import annotations

from typing import Any

from core import Refused, on
from core.for_natives import named_uses

from ..orders.orders import orders
from .remainders import has_left
from .shipments import follow, shipments
from .states import CANCELLED


@on("orders.changed", when="before")
def keep_thirdparty(record: dict[str, Any]) -> None:
    """Reject a new third party for an order with shipments, including drafts: they belong to the old one."""
    model = shipments.model
    others = (model.origin_id == int(record["id"])) & (model.socid != int(record["socid"]))
    if found := model.get_or_none(others):
        (told,) = named_uses([(model, f"the shipment {found.ref}")])
        reason = f"can't change the third party of order {record['ref']}: it is used by {told}"
        raise Refused(reason, errors=[("socid", reason)], reason="in_use")


@on("orders.deleted", when="before")
def keep_shipped_order(record: dict[str, Any]) -> None:
    """Reject deleting an order with shipments, including cancelled ones: they record where the goods were."""
    _require_no_shipment(record, "delete", [*shipments.states.names])


@on("orders.cancelled", when="before")
def refuse_cancelling(record: dict[str, Any]) -> None:
    """Reject cancelling an order with shipments."""
    _require_no_shipment(record, "cancel")


@on("orders.set_to_draft", when="before")
def refuse_draft(record: dict[str, Any]) -> None:
    """Reject changing an order with shipments back to a draft: its lines must not change."""
    _require_no_shipment(record, "set to draft")


@on("orders.reopened", when="before")
def follow_shipments(record: dict[str, Any]) -> None:
    """Set a reopened order to in shipment if a shipment of it has left."""
    identifier = int(record["id"])
    if has_left(identifier):
        follow(orders.load(identifier, lock=True), shipped=True)


def _require_no_shipment(record: dict[str, Any], verb: str, states: list[int] | None = None) -> None:
    wanted = states or [each for each in shipments.states.names if each != CANCELLED]
    found = shipments.model.select(shipments.model.ref).where(
        (shipments.model.origin_id == int(record["id"])) & shipments.model.statut.in_(wanted)
    )
    if refs := [str(row.ref) for row in found.order_by(shipments.model.id).limit(5)]:
        (told,) = named_uses([(shipments.model, f"shipments ({', '.join(refs)})")])
        raise Refused(f"can't {verb}: the order {record['ref']} is used by {told}", reason="in_use")
