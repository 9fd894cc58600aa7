"""Shipments over HTTP. Most operations are those of every document (`commercial/api.py`)."""

from __future__ import annotations

from core import ListQuery, NotFound, profile

from ...commercial.api import DocumentRecord, LineRecord, PlainDocumentApi
from ...orders.orders import orders
from ..shipments import shipments


class Shipments(PlainDocumentApi):
    """Deliveries made for customer orders.

    {states} Validating takes the goods out of stock, and puts the order in shipment. `settodraft` and `cancel` return
    the goods.
    """

    group = "Sales"

    documents = shipments

    def of_order(self, id: int, query: ListQuery) -> list[DocumentRecord]:
        """List the shipments of an order.

        Includes cancelled shipments.

        :url: GET ../orders/{id}/shipment
        :permission: read
        """
        orders.load(id)
        found = shipments.page(query, {"origin_id": id})
        if not found and profile().empty_list_is_missing:
            raise NotFound("Shipments not found")
        return found

    def create_rest(self, id: int, warehouse_id: int) -> int:
        """Ship the rest of an order.

        Creates a draft. Returns its ID.

        :url: POST ../orders/{id}/shipment/{warehouse_id}
        :param warehouse_id: warehouse of the goods
        :raises Refused: nothing is left, or the order is neither validated nor in shipment
        :after: orders validated|shipment in process ?id={id}: Ship the order
        :permission: write
        """
        return shipments.create_rest(id, warehouse_id)

    def post(self, request_data: DocumentRecord) -> int:
        """Create a shipment.

        Creates a draft for one order. Contacts come from the order; so do reference, project, delivery date and note
        by default. Returns its ID.

        :raises NotFound: a referenced record does not exist
        :raises Refused: the order is neither validated nor in shipment, or less is left of a line
        :after: orders validated|shipment in process
        """
        return shipments.create(request_data)

    def add_lines(self, id: int, request_data: list[LineRecord] | LineRecord) -> int | list[int]:
        """Add a line to a shipment.

        Send one line or a list: all are added, or none. Returns the line's ID.

        :raises Refused: not a draft, or less is left of the order's line
        """
        return super().add_lines(id, request_data)

    def validate(self, id: int, notrigger: int = 0) -> DocumentRecord:
        """Validate a shipment.

        Assigns the final reference, takes the goods out of stock and puts the order in shipment.

        :raises Refused: not a draft, no lines, no numbering, a line without an open warehouse or enough stock, or
            an order in another state
        """
        return super().validate(id, notrigger)

    def close(self, id: int, notrigger: int = 0) -> DocumentRecord:
        """Mark a shipment as delivered.

        The order's state doesn't change.

        :url: POST {id}/close
        :param notrigger: no effect
        :raises Refused: not validated
        :permission: close
        """
        return self._act(id, "close")

    def reopen(self, id: int) -> DocumentRecord:
        """Reopen a delivered shipment.

        The stock doesn't change.

        :url: POST {id}/reopen
        :raises Refused: not closed
        :permission: close
        """
        return self._act(id, "reopen")

    def cancel(self, id: int) -> DocumentRecord:
        """Cancel a validated shipment permanently.

        Returns the goods to stock. You can ship them again.

        :url: POST {id}/cancel
        :raises Refused: not validated, or a warehouse is closed
        :permission: close
        """
        return self._act(id, "cancel")
