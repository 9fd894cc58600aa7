"""Orders over HTTP. Most operations are those of every document (`commercial/api.py`)."""

from __future__ import annotations

from typing import Annotated

from ...commercial.api import DocumentApi, DocumentRecord
from ...setup.responses import ACTION, Success, action_result, success
from ..orders import orders


class Orders(DocumentApi):
    """Customer orders, from draft to billing.

    {states} Billed is a flag beside the state: `setinvoiced` sets it; `setuninvoiced` and `reopen` clear it.

    PUT of a line resets fields you don't send. PATCH keeps them.
    """

    group = "Sales"

    documents = orders

    def create_from_proposal(self, proposalid: int) -> DocumentRecord:
        """Create an order from a proposal.

        Copies third party, lines, payment terms, notes, contacts and shared extra fields, with today's date.

        :url: POST createfromproposal/{proposalid}
        :raises NotFound: no such proposal, or you may not see it
        :raises Refused: the proposal is refused or has no lines
        :after: proposals signed|billed: Create the order
        :permission: proposals.read and orders.write
        """
        return orders.create_from_proposal(proposalid)

    # States ----------------------------------------------------------------------------------------------------------

    def validate(self, id: int, notrigger: int = 0, idwarehouse: int = 0) -> DocumentRecord:
        """Validate an order.

        Assigns the final reference. The third party becomes a customer.

        :param idwarehouse: no effect
        """
        return self._act(id, "validate")

    def close(self, id: int, notrigger: int = 0) -> DocumentRecord:
        """Close an order.

        Marks it as delivered.

        :url: POST {id}/close
        :param notrigger: no effect
        :raises Refused: neither validated nor in shipment
        :permission: close
        """
        return self._act(id, "close")

    def reopen(self, id: int) -> Annotated[DocumentRecord | int, ACTION]:
        """Reopen a closed or cancelled order.

        It is validated again, not billed.

        :url: POST {id}/reopen
        :raises Refused: neither closed nor cancelled
        :permission: close
        """
        orders.act(id, "reopen")
        return action_result(lambda: self._acted(id))

    def cancel(self, id: int) -> DocumentRecord:
        """Cancel a validated order.

        You can reopen it. If it has an invoice, a `Warning` lists it.

        :url: POST {id}/cancel
        :raises Refused: not validated
        :permission: close
        """
        return self._act(id, "cancel")

    def setinvoiced(self, id: int) -> DocumentRecord:
        """Mark an order as billed.

        :url: POST {id}/setinvoiced
        :raises Refused: neither validated nor closed, or already billed
        :after: orders validated|closed: Mark as billed
        :after: orders billed=0
        :permission: close
        """
        orders.set_billed(id)
        return self._acted(id)

    def setuninvoiced(self, id: int) -> DocumentRecord:
        """Mark an order as not billed.

        Undoes `setinvoiced`.

        :url: POST {id}/setuninvoiced
        :raises Refused: not billed
        :after: orders billed=1
        :permission: close
        """
        orders.set_unbilled(id)
        return self._acted(id)

    # Contacts: in Dolibarr 16, other kinds return the record ----------------------------------------------------------

    def link_contact(  # type: ignore[override]
        self, id: int, contactid: int, type: str
    ) -> Annotated[DocumentRecord | Success, ACTION]:
        """Add a contact to an order.

        :param contactid: contact ID; for SALESREPFOLL, user ID
        :param type: BILLING, CUSTOMER or SHIPPING; for users SALESREPFOLL
        """
        orders.add_contact(id, contactid, type)
        return action_result(lambda: orders.read(id), lambda: success("Contact linked to the order"))

    def unlink_contact(self, id: int, contactid: int, type: str) -> Success:
        """Remove a contact from an order.

        :param contactid: contact ID; for SALESREPFOLL, user ID
        :param type: BILLING, CUSTOMER or SHIPPING; for users SALESREPFOLL
        """
        orders.remove_contact(id, contactid, type)
        return success("Contact unlinked from order")
