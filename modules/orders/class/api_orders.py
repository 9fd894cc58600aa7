"""Orders over HTTP. Most operations are those of every document (`commercial/api.py`)."""

from __future__ import annotations

from typing import Annotated

from ...answers.deeds import ACTION, Success, acted, success
from ...commercial.api import DocumentApi, DocumentRecord
from ..orders import orders


class Orders(DocumentApi):
    """Customers' orders.

    {states} Whether an order is
    billed is a flag beside its state: `setinvoiced` sets it, `reopen` takes it away.

    PUT of a line sets what is not sent back to what a new line would have; PATCH keeps it.
    """

    noun = "order"
    documents = orders

    def create_from_proposal(self, proposalid: int) -> DocumentRecord:
        """Create an order from a proposal, which does not change; answers the order.

        Third party, lines with their amounts, terms of payment, notes, contacts and the extra fields that orders have,
        too, are those of the proposal; the date is today.

        :url: POST createfromproposal/{proposalid}
        :param proposalid: row identifier of the proposal
        :raises BadRequest: the identifier is 0
        :raises NotFound: there is no such proposal, or the caller may not see it
        :raises Refused: the customer has refused the proposal, or it has no lines
        :after: proposals signed|billed: Order from this
        :permission: proposals.read and orders.write
        """
        return orders.create_from_proposal(proposalid)

    # States ----------------------------------------------------------------------------------------------------------

    def validate(self, id: int, notrigger: int = 0, idwarehouse: int = 0) -> DocumentRecord:
        """Validate an order, a draft: it gets its final reference, and the third party is a customer from now on.

        :url: POST {id}/validate
        :param id: row identifier of the order
        :param notrigger: not used
        :param idwarehouse: not used
        :raises NotFound: there is no such order, or the caller may not see it
        :raises Refused: it is no draft, or its numbering is not configured
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: validate
        """
        return self._act(id, "validate")

    def close(self, id: int, notrigger: int = 0) -> DocumentRecord:
        """Close an order: all is delivered.

        :url: POST {id}/close
        :param id: row identifier of the order
        :param notrigger: not used
        :raises NotFound: there is no such order, or the caller may not see it
        :raises Refused: it is neither validated nor in shipment
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: close
        """
        return self._act(id, "close")

    def reopen(self, id: int) -> Annotated[DocumentRecord | int, ACTION]:
        """Open a closed or cancelled order again: it is validated, and not billed.

        :url: POST {id}/reopen
        :param id: row identifier of the order
        :raises NotFound: there is no such order, or the caller may not see it
        :raises Refused: it is neither closed nor cancelled
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: close
        """
        orders.act(id, "reopen")
        return acted(lambda: orders.answer(id))

    def cancel(self, id: int) -> DocumentRecord:
        """Cancel a validated order; it can be reopened.

        :url: POST {id}/cancel
        :param id: row identifier of the order
        :raises NotFound: there is no such order, or the caller may not see it
        :raises Refused: it is not in the state validated
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: close
        """
        return self._act(id, "cancel")

    def setinvoiced(self, id: int) -> DocumentRecord:
        """Note that an order is billed; its state stays.

        :url: POST {id}/setinvoiced
        :param id: row identifier of the order
        :raises NotFound: there is no such order, or the caller may not see it
        :raises Refused: it is neither validated nor closed, or it is billed already
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: close
        """
        orders.set_billed(id)
        return orders.answer(id)

    # Contacts: in release 16 other kinds answer the record ------------------------------------------------------------

    def link_contact(  # type: ignore[override]
        self, id: int, contactid: int, type: str
    ) -> Annotated[DocumentRecord | Success, ACTION]:
        """Give a contact a role in the order.

        :url: POST {id}/contact/{contactid}/{type}
        :param id: row identifier of the order
        :param contactid: row identifier of the contact
        :param type: the role: BILLING, CUSTOMER or SHIPPING
        :raises NotFound: there is no such order, contact or role
        :raises Unchanged: the contact has this role already
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        orders.people.give_role(id, contactid, type)
        return acted(lambda: orders.read(id), lambda: success("Contact linked to the order"))

    def unlink_contact(self, id: int, contactid: int, type: str) -> Success:
        """Take a role in the order from a contact.

        :url: DELETE {id}/contact/{contactid}/{type}
        :param id: row identifier of the order
        :param contactid: row identifier of the contact
        :param type: the role: BILLING, CUSTOMER or SHIPPING
        :raises NotFound: there is no such order or role, or the contact does not have it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        orders.people.take_role(id, contactid, type)
        return success("Contact unlinked from order")
