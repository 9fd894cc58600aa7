"""Proposals over HTTP. Most operations are those of every document (`commercial/api.py`)."""

from __future__ import annotations

from core import current_caller, warn

from ...commercial.api import DocumentApi, DocumentRecord, LineRecord
from ..proposals import proposals


class Proposals(DocumentApi):
    """Commercial proposals (quotes) to customers.

    {states}

    To invoice a proposal, create an order from it, then an invoice from the order.
    """

    group = "Sales"

    documents = proposals

    def post(self, request_data: DocumentRecord) -> int:
        """Create a proposal.

        Creates a draft with your `lines`; `linked_objects` links other records, such as `{"commande": [12, 13]}`.
        Without `duree_validite` (days) or `fin_validite`, `fin_validite` stays 0. Returns its ID.
        """
        return proposals.create(request_data)

    def add_line(self, id: int, request_data: LineRecord) -> int:
        """Add a single line to a proposal.

        Returns the line's ID.

        :url: POST {id}/line
        :raises Refused: not a draft
        :permission: write
        """
        return proposals.add_lines(id, [request_data])[0]

    def close(self, id: int, status: int, note_private: str = "", notrigger: int = 0) -> DocumentRecord:
        """Accept or refuse a proposal.

        If you accept it, the third party becomes a customer.

        :url: POST {id}/close
        :param status: new state, number or word {@values 2 signed, 3 refused} {@min 2} {@max 3}
        :param note_private: text added to the private note; ignored for external users
        :param notrigger: no effect
        :raises Refused: not validated
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
        :raises Refused: not signed
        :permission: close
        """
        return self._act(id, "setinvoiced")

    def setuninvoiced(self, id: int) -> DocumentRecord:
        """Mark a billed proposal as signed again.

        Undoes `setinvoiced`.

        :url: POST {id}/setuninvoiced
        :raises Refused: not billed
        :permission: close
        """
        return self._act(id, "setuninvoiced")
