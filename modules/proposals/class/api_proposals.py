"""Proposals over HTTP. Most operations are those of every document (`commercial/api.py`)."""

from __future__ import annotations

from core import current_caller, warn

from ...commercial.api import DocumentApi, DocumentRecord, LineRecord
from ..proposals import proposals


class Proposals(DocumentApi):
    """Commercial proposals (quotes) to customers.

    {states}

    An invoice can't be created from a proposal. Create an order from the proposal, then an invoice from the order.
    """

    noun = "proposal"
    documents = proposals

    def add_line(self, id: int, request_data: LineRecord) -> int:
        """Add a single line to a proposal.

        Returns the line's ID.

        :url: POST {id}/line
        :param id: ID of the proposal
        :raises NotFound: there is no such proposal or product
        :raises Refused: the proposal is not a draft
        :after: proposals draft: Add one line
        :permission: write
        """
        return proposals.add_lines(id, [request_data])[0]

    def close(self, id: int, status: int, note_private: str = "", notrigger: int = 0) -> DocumentRecord:
        """Accept or refuse a proposal.

        `status` 2 marks a validated proposal as signed, and the third party becomes a customer. `status` 3 marks it as
        refused.

        :url: POST {id}/close
        :param id: ID of the proposal
        :param status: the new state, as a number or a word {@values 2 signed, 3 refused} {@min 2} {@max 3}
        :param note_private: text to append to the private note; ignored for external users
        :param notrigger: no effect, kept for compatibility
        :raises Refused: it is not in the state validated
        :permission: close
        """
        caller = current_caller()
        if note_private and caller is not None and not caller.is_internal:
            warn("ignored: note_private, because external users can't change it")
            note_private = ""
        return self._act(id, "close", status, note=note_private)

    def setinvoiced(self, id: int) -> DocumentRecord:
        """Mark a signed proposal as billed.

        :url: POST {id}/setinvoiced
        :param id: ID of the proposal
        :raises Refused: it is not signed
        :permission: close
        """
        return self._act(id, "setinvoiced")
