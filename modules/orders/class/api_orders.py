"""Orders over HTTP. Most operations are those of every document (`commercial/api.py`)."""

from __future__ import annotations

from typing import Annotated

from ...answers.responses import ACTION, Success, action_result, success
from ...commercial.api import DocumentApi, DocumentRecord
from ..orders import orders


class Orders(DocumentApi):
    """Customer orders, from draft to billing.

    {states} Being billed is a flag beside the state: `setinvoiced` sets it, and `reopen` clears it.

    PUT of a line resets fields you don't send to the defaults of a new line. PATCH keeps them.
    """

    group = "Sales"

    documents = orders

    def create_from_proposal(self, proposalid: int) -> DocumentRecord:
        """Create an order from a proposal.

        Copies the third party, lines, terms of payment, notes, contacts and the extra fields that orders share. The
        date is today, and the proposal doesn't change. Returns the order.

        :url: POST createfromproposal/{proposalid}
        :param proposalid: ID of the proposal
        :raises BadRequest: the ID is 0
        :raises NotFound: there is no such proposal, or the caller may not see it
        :raises Refused: the customer has refused the proposal, or it has no lines
        :after: proposals signed|billed: Create the order
        :permission: proposals.read and orders.write
        """
        return orders.create_from_proposal(proposalid)

    # States ----------------------------------------------------------------------------------------------------------

    def validate(self, id: int, notrigger: int = 0, idwarehouse: int = 0) -> DocumentRecord:
        """Validate an order.

        Assigns the final reference to a draft. The third party becomes a customer.

        :param idwarehouse: no effect, kept for compatibility
        """
        return self._act(id, "validate")

    def close(self, id: int, notrigger: int = 0) -> DocumentRecord:
        """Close an order.

        Marks the order as delivered.

        :url: POST {id}/close
        :param id: ID of the order
        :param notrigger: no effect, kept for compatibility
        :raises Refused: it is neither validated nor in shipment
        :permission: close
        """
        return self._act(id, "close")

    def reopen(self, id: int) -> Annotated[DocumentRecord | int, ACTION]:
        """Reopen a closed or cancelled order.

        The order is validated again and not billed.

        :url: POST {id}/reopen
        :param id: ID of the order
        :raises Refused: it is neither closed nor cancelled
        :permission: close
        """
        orders.act(id, "reopen")
        return action_result(lambda: orders.answer(id))

    def cancel(self, id: int) -> DocumentRecord:
        """Cancel a validated order.

        A cancelled order can be reopened.

        :url: POST {id}/cancel
        :param id: ID of the order
        :raises Refused: it is not in the state validated
        :permission: close
        """
        return self._act(id, "cancel")

    def setinvoiced(self, id: int) -> DocumentRecord:
        """Mark an order as billed.

        The state doesn't change.

        :url: POST {id}/setinvoiced
        :param id: ID of the order
        :raises Refused: it is neither validated nor closed, or it is billed already
        :permission: close
        """
        orders.set_billed(id)
        return orders.answer(id)

    # Contacts: in release 16 other kinds answer the record ------------------------------------------------------------

    def link_contact(  # type: ignore[override]
        self, id: int, contactid: int, type: str
    ) -> Annotated[DocumentRecord | Success, ACTION]:
        """Add a contact to an order.

        The contact gets the given role.

        :param type: the role: BILLING, CUSTOMER or SHIPPING
        """
        orders.add_contact(id, contactid, type)
        return action_result(lambda: orders.read(id), lambda: success("Contact linked to the order"))

    def unlink_contact(self, id: int, contactid: int, type: str) -> Success:
        """Remove a contact from an order.

        The contact loses the given role.

        :param type: the role: BILLING, CUSTOMER or SHIPPING
        """
        orders.remove_contact(id, contactid, type)
        return success("Contact unlinked from order")
