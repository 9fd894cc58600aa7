"""Shipments over HTTP. Most operations are those of every document (`commercial/api.py`)."""

from __future__ import annotations

from core import ListQuery, NotFound, settings

from ...commercial.api import DocumentRecord, LineRecord, PlainDocumentApi
from ...orders.orders import orders
from ..shipments import shipments


class Shipments(PlainDocumentApi):
    """Deliveries made for customer orders.

    {states} Validating a shipment takes its goods out of the warehouses of its lines, and the order's state becomes
    `shipment in process`. `settodraft` and `cancel` return the goods to stock. You can't ship more of an order line
    than was ordered.
    """

    group = "Sales"

    documents = shipments

    def of_order(self, id: int, query: ListQuery) -> list[DocumentRecord]:
        """List the shipments of an order.

        Includes cancelled shipments. In the profile dolibarr16, an order without shipments gives 404.

        :url: GET ../orders/{id}/shipment
        :param id: ID of the order
        :raises NotFound: there is no such order, or the caller may not see it
        :permission: read
        """
        orders.load(id)
        found = shipments.page(query, {"origin_id": id})
        if not found and settings().profile.empty_list_is_missing:
            raise NotFound("Shipments not found")
        return found

    def create_rest(self, id: int, warehouse_id: int) -> int:
        """Ship the rest of an order.

        Creates a draft shipment with everything that is left to ship. Returns the shipment's ID.

        :url: POST ../orders/{id}/shipment/{warehouse_id}
        :param id: ID of the order
        :param warehouse_id: ID of the warehouse that the goods leave
        :raises NotFound: there is no such warehouse or order, or the caller may not see it
        :raises Refused: nothing is left, or the order is neither validated nor in shipment
        :permission: write
        """
        return shipments.create_rest(id, warehouse_id)

    def post(self, request_data: DocumentRecord) -> int:
        """Create a shipment.

        The shipment is a draft for one order, with the `lines` you send. Third party and contacts come from the order.
        So do reference, project, delivery date and note, unless you send them. Returns the shipment's ID.

        :raises NotFound: the order, a line of it, a warehouse or another referenced record does not exist
        :raises Refused: the order is neither validated nor in shipment, or less is left of a line
        :after: orders validated|shipment in process: Ship the order
        """
        return shipments.create(request_data)

    def add_lines(self, id: int, request_data: list[LineRecord] | LineRecord) -> int | list[int]:
        """Add a line to a shipment.

        Returns the line's ID. You can send a list of lines: all of them are added, or none.

        :raises NotFound: there is no such shipment, line of its order, or warehouse
        :raises Refused: the shipment is not a draft, or less is left of the order's line
        """
        return super().add_lines(id, request_data)

    def validate(self, id: int, notrigger: int = 0) -> DocumentRecord:
        """Validate a shipment.

        Assigns the final reference to a draft and takes the goods out of stock. The order's state becomes
        `shipment in process`.

        :raises Refused: it is not a draft or has no lines, its order is neither validated nor in shipment, a product
            line has no warehouse, the warehouse is closed or has too little stock, or no numbering is configured
        """
        return super().validate(id, notrigger)

    def close(self, id: int, notrigger: int = 0) -> DocumentRecord:
        """Mark a shipment as delivered.

        The order's state doesn't change.

        :url: POST {id}/close
        :param id: ID of the shipment
        :param notrigger: no effect, kept for compatibility
        :raises Refused: it is not in the state validated
        :permission: close
        """
        return self._act(id, "close")

    def reopen(self, id: int) -> DocumentRecord:
        """Reopen a delivered shipment.

        The stock doesn't change.

        :url: POST {id}/reopen
        :param id: ID of the shipment
        :raises Refused: it is not closed
        :permission: close
        """
        return self._act(id, "reopen")

    def cancel(self, id: int) -> DocumentRecord:
        """Cancel a validated shipment permanently.

        Returns the goods to stock. The order's quantities are again left to ship.

        :url: POST {id}/cancel
        :param id: ID of the shipment
        :raises Refused: it is not in the state validated, or a warehouse is closed
        :permission: close
        """
        return self._act(id, "cancel")
