"""Shipments of orders, from draft to closed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from core import BadRequest, Refused, Values, shown, transaction

from ..commercial.documents import Documents
from ..commercial.states import DELETE, Transition
from ..dictionaries.entries import entry
from ..dictionaries.models import ShippingMethod
from ..numbering.series import Series
from ..orders.models import Order
from ..orders.orders import orders
from ..orders.states import SHIP
from ..stock.warehouses import warehouses
from .goods import bring_back, take_out
from .lines import ShipmentLines
from .models import Shipment
from .remainders import Remainders, has_left, shipped_of, stocked_products
from .states import SHIPPED, STATES

#: keys of a body for the kind of document that is shipped, and their permitted values
ORIGINS, KINDS = ("origin", "origin_type"), ("commande", "order")
#: fields that a shipment copies from its order if the body omits them: field → field of the order
COPIED = {
    "ref_client": "ref_client", "fk_project": "fk_project", "date_delivery": "delivery_date",
    "note_public": "note_public", "fk_incoterms": "fk_incoterms", "location_incoterms": "location_incoterms",
}  # fmt: skip


class Shipments(Documents[Shipment]):
    """Shipments."""

    model = Shipment
    service = "shipments"
    noun = "Shipment"
    constants = {"ADDON_PDF": "EXPEDITION", "FREE_TEXT": "SHIPPING", "DRAFT_WATERMARK": "SHIPPING"}
    template = "rouget"
    printed = ("date_delivery", "shipping_method", "tracking_number", "weight", "weight_units")
    element = "shipping"
    other_names = ("shipping",)
    empty = "No shipment found"
    lines = ShipmentLines()
    states = STATES
    origins = ("commande", "propal")
    put_replaces = False
    needs_lines = True
    takes_from_source = True
    chosen = (("shipping_method_id", ShippingMethod, "shipping method"),)
    roles = {"BILLING": "Billing contact", "CUSTOMER": "Customer's contact", "SHIPPING": "Contact at the delivery"}
    extra_keys = (*Documents.extra_keys, *ORIGINS)
    series = Series(
        "shipments",
        "SH{yy}{mm}-{0000}",
        addon="EXPEDITION_ADDON_NUMBER",
        masks={"mod_expedition_ribera": ("EXPEDITION_RIBERA_MASK",)},
    )

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the fields without a column."""
        super().complete(records)
        for record in records:
            method = entry(ShippingMethod, record["shipping_method_id"])
            address = (method.tracking if method else None) or ""
            number = str(record["tracking_number"] or "")
            record["origin"] = orders.element
            record["shipping_method"] = method.label if method else None
            record["tracking_url"] = address.replace("{TRACKID}", quote(number, "")) if address and number else None

    # Writing ---------------------------------------------------------------------------------------------------------

    def load(self, value: Any, by: str = "", *, lock: bool = False, if_match: bool = False) -> Shipment:
        """Return the row of a shipment. Before a change, its order is locked first, as in operations on the order."""
        if if_match:
            orders.load(super().load(value, by).origin_id, lock=True)
        return super().load(value, by, lock=lock, if_match=if_match)

    def unfit(self, values: Values, body: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the errors, such as that it doesn't ship an order."""
        wrong = [(name, body[name]) for name in ORIGINS if body.get(name) and body[name] not in KINDS]
        return super().unfit(values, body) + [
            (name, f"expected one of {', '.join(KINDS)}; got {shown(text)}") for name, text in wrong
        ]

    def prepare(self, values: Values, before: Shipment | None) -> None:
        """Set the third party of a new shipment to that of its order, and copy the fields that the body omits.

        :raises NotFound: there is no such order, or the caller may not see it
        :raises Refused: the state of the order does not permit a shipment
        """
        super().prepare(values, before)
        if before is not None:
            return
        order = orders.load(values["origin_id"], lock=True)
        _require_shippable(order)
        if values.get("socid") not in (None, order.socid):
            raise BadRequest(
                errors=[("socid", f"expected {order.socid}, the third party of the order, got {values['socid']}")]
            )
        values["socid"] = order.socid
        for name, of_order in COPIED.items():
            values.setdefault(name, getattr(order, of_order))
        if entry(ShippingMethod, order.shipping_method_id) is not None:
            values.setdefault("shipping_method_id", order.shipping_method_id)

    def stored(self, identifier: int, body: Mapping[str, Any], before: Shipment | None) -> None:
        """Link a new shipment with its order, and copy the order's contacts."""
        if before is None:
            order = self.load(identifier).origin_id
            self.links.add(identifier, (orders.element, order))
            orders.contact_roles.copy(order, self.contact_roles, identifier)

    def create(self, body: Mapping[str, Any], **managed: Any) -> int:
        """Create a draft with its lines; return its ID."""
        self.contact_roles.add_own()
        return super().create(body, **managed)

    def create_rest(self, order: int, warehouse: int) -> int:
        """Create a draft of all that is left of an order, with the goods from one warehouse; return its ID.

        :raises NotFound: there is no such warehouse or order, or the caller may not see it
        :raises Refused: nothing is left, or the state of the order does not permit a shipment
        """
        with transaction():
            row = orders.load(order, lock=True)
            warehouses.load(warehouse)
            _require_shippable(row)
            rest = Remainders(row.id).rest()
            if not rest:
                raise Refused(f"order {row.ref} has nothing left to ship", reason="nothing_left")
            stocked = stocked_products(each.line for each in rest)
            lines = [
                {
                    "fk_origin_line": each.line.id,
                    "qty": each.left,
                    "entrepot_id": warehouse if each.line.fk_product in stocked else None,
                }
                for each in rest
            ]
            return self.create({"origin_id": row.id, "lines": lines})

    def shipped_of(self, product_ids: Collection[int]) -> dict[int, Decimal]:
        """Return the shipped quantities of products, in orders with more to ship; `stock` calls this method."""
        return shipped_of(product_ids)

    def removing(self, row: Shipment) -> None:
        """Delete what belongs to a shipment that is not under way.

        :raises Refused: it is validated or closed
        """
        if not self.states.permits(row.statut, DELETE):
            now = self.states.described(row.statut)
            message = f"can't delete shipment {row.ref}: it is {now}; set it to draft or cancel it first"
            raise self.state_error(row, DELETE, message)
        super().removing(row)

    def allows(self, row: Shipment, action: str) -> bool:
        """Return whether the state of a shipment allows a transition or an action, including its deletion."""
        return self.states.permits(row.statut, action) if action == DELETE else super().allows(row, action)

    # Transitions -----------------------------------------------------------------------------------------------------

    def before_transition(self, transition: Transition, row: Shipment, values: dict[str, Any]) -> None:
        """Move the goods out of the warehouses, or back in.

        :raises Refused: the order can no longer be shipped, a line has no warehouse, or the stock is too low
        """
        if transition.name == "validate":
            order = orders.load(row.origin_id)
            _require_shippable(order)
            take_out(row, self.lines, order, values["date_validation"])
        elif not self.states.permits(transition.target, SHIPPED):
            bring_back(row, self.lines)

    def after_transition(self, transition: Transition, row: Shipment) -> None:
        """Set the order to in shipment while one of its shipments has left."""
        order = orders.load(row.origin_id)
        follow(order, shipped=self.states.permits(transition.target, SHIPPED) or has_left(order.id))


def follow(order: Order, *, shipped: bool) -> None:
    """Set the state of a locked order by the shipments that have left."""
    name = "ship" if shipped else "unship"
    if any(each.name == name and order.statut in each.sources for each in orders.states.transitions):
        orders.act_on(order, name)


def _require_shippable(order: Order) -> None:
    if not orders.states.permits(order.statut, SHIP):
        message = f"can't ship order {order.ref}: it is {orders.states.described(order.statut)}"
        raise orders.state_error(order, SHIP, message)


shipments = Shipments()
