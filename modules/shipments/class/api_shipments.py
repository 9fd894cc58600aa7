"""Shipments over HTTP. Most operations are those of every document (`commercial/api.py`)."""

from __future__ import annotations

from core import ListQuery, NotFound, settings

from ...commercial.api import DocumentRecord, LineRecord, PlainDocumentApi
from ...orders.orders import orders
from ..shipments import shipments


class Shipments(PlainDocumentApi):
    """What leaves of customers' orders.

    {states} Validating a shipment takes its goods out of the warehouses that its lines name, and lets its order be in
    shipment; `settodraft` and `cancel` bring the goods back. Never more of an order's line is shipped than was ordered.
    """

    noun = "shipment"
    documents = shipments

    def of_order(self, id: int, query: ListQuery) -> list[DocumentRecord]:
        """List the shipments of an order, cancelled ones, too.

        In the profile dolibarr16 an order without any is answered 404.

        :url: GET ../orders/{id}/shipment
        :param id: row identifier of the order
        :raises NotFound: there is no such order, or the caller may not see it
        :permission: read
        """
        orders.load(id)
        found = shipments.page(query, {"origin_id": id})
        if not found and settings().profile.empty_list_is_missing:
            raise NotFound("Shipments not found")
        return found

    def create_rest(self, id: int, warehouse_id: int) -> int:
        """Ship the rest of an order: create a draft that holds all that is left to be shipped; answers its identifier.

        :url: POST ../orders/{id}/shipment/{warehouse_id}
        :param id: row identifier of the order
        :param warehouse_id: row identifier of the warehouse that the goods leave
        :raises NotFound: there is no such warehouse or order, or the caller may not see it
        :raises Refused: nothing is left, or the order is neither validated nor in shipment
        :permission: write
        """
        return shipments.create_rest(id, warehouse_id)

    def post(self, request_data: DocumentRecord) -> int:
        """Create a shipment of an order as a draft, with the `lines` that are sent; answers its identifier.

        Third party and contacts are the order's, and so are reference, project, day of delivery and note where the body
        does not say them.

        :raises BadRequest: fields are missing or do not fit, of the shipment or of a line; all of them are named
        :raises NotFound: the order, a line of it, a warehouse or another record that is named does not exist
        :raises Refused: the order is neither validated nor in shipment, or less is left of a line
        :after: orders validated|shipment in process: Ship this
        :permission: write
        """
        return shipments.create(request_data)

    def add_lines(self, id: int, request_data: list[LineRecord] | LineRecord) -> int | list[int]:
        """Add a line to a shipment; answers its identifier. Or a list of lines: all are added, or none.

        :url: POST {id}/lines
        :param id: row identifier of the shipment
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such shipment, line of its order, or warehouse
        :raises Refused: the shipment is no draft, or less is left of the order's line
        :raises PreconditionFailed: `If-Match` names another state of the record
        :after: shipments draft: Add a line
        :permission: write
        """
        return super().add_lines(id, request_data)

    def validate(self, id: int, notrigger: int = 0) -> DocumentRecord:
        """Validate a shipment, a draft: it gets its final reference, its goods leave, and its order is in shipment.

        :url: POST {id}/validate
        :param id: row identifier of the shipment
        :param notrigger: not used
        :raises NotFound: there is no such shipment, or the caller may not see it
        :raises Refused: it is no draft or has no lines, its order is neither validated nor in shipment, the line of a
            product names no warehouse, that is closed or has too little where a setting forbids that, or its numbering
            is not configured
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: validate
        """
        return super().validate(id, notrigger)

    def close(self, id: int, notrigger: int = 0) -> DocumentRecord:
        """Close a shipment: it has arrived. Its order stays as it is.

        :url: POST {id}/close
        :param id: row identifier of the shipment
        :param notrigger: not used
        :raises NotFound: there is no such shipment, or the caller may not see it
        :raises Refused: it is not in the state validated
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: close
        """
        return self._act(id, "close")

    def reopen(self, id: int) -> DocumentRecord:
        """Open a closed shipment again; its goods stay where they are.

        :url: POST {id}/reopen
        :param id: row identifier of the shipment
        :raises NotFound: there is no such shipment, or the caller may not see it
        :raises Refused: it is not closed
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: close
        """
        return self._act(id, "reopen")

    def cancel(self, id: int) -> DocumentRecord:
        """Cancel a validated shipment for good: its goods come back, and what it held of the order is left again.

        :url: POST {id}/cancel
        :param id: row identifier of the shipment
        :raises NotFound: there is no such shipment, or the caller may not see it
        :raises Refused: it is not in the state validated, or a warehouse is closed
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: close
        """
        return self._act(id, "cancel")
