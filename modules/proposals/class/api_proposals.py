"""Proposals over HTTP. Most operations are those of every document (`commercial/api.py`)."""

from __future__ import annotations

from core import current_caller, warn

from ...commercial.api import DocumentApi, DocumentRecord, LineRecord
from ..models import Proposal, ProposalLine
from ..proposals import proposals


class Proposals(DocumentApi):
    """Commercial proposals: offers to a customer.

    {states}

    No invoice is made from a proposal at once: make an order of it, and an invoice of the order.
    """

    noun = "proposal"
    model = Proposal
    line = ProposalLine
    documents = proposals

    def add_line(self, id: int, request_data: LineRecord) -> int:
        """Add a single line to a proposal; answers its identifier.

        :url: POST {id}/line
        :param id: row identifier of the proposal
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such proposal or product
        :raises Refused: the proposal is no draft
        :raises PreconditionFailed: `If-Match` names another state of the record
        :after: proposals draft: Add one line
        :permission: write
        """
        return proposals.line_editor.add(id, [request_data])[0]

    def close(self, id: int, status: int, note_private: str = "", notrigger: int = 0) -> DocumentRecord:
        """Note the customer's answer to a validated proposal. Who signs becomes a customer.

        :url: POST {id}/close
        :param id: row identifier of the proposal
        :param status: 2 signed, 3 refused {@min 2} {@max 3}
        :param note_private: text to append to the private note; ignored for external users
        :param notrigger: not used
        :raises NotFound: there is no such proposal, or the caller may not see it
        :raises Refused: it is not in the state validated
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: close
        """
        caller = current_caller()
        if note_private and caller is not None and not caller.is_internal:
            warn("ignored: note_private")
            note_private = ""
        return self._act(id, "close", status, note=note_private)

    def setinvoiced(self, id: int) -> DocumentRecord:
        """Note that a signed proposal is billed.

        :url: POST {id}/setinvoiced
        :param id: row identifier of the proposal
        :raises NotFound: there is no such proposal, or the caller may not see it
        :raises Refused: it is not signed
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: close
        """
        return self._act(id, "setinvoiced")
