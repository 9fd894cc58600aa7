"""Contracts over HTTP. What every document can is inherited."""

from ...commercial.api import DocumentApi, DocumentRecord
from ..contracts import contracts


class Contracts(DocumentApi):
    """Contracts. {states}"""

    documents = contracts

    def start(self, id: int) -> DocumentRecord:
        """Let a validated contract run.

        :url: POST {id}/start
        :raises Refused: it is not validated, or its first day is yet to come
        :permission: write
        """
        return self._act(id, "start")

    def close(self, id: int) -> DocumentRecord:
        """Close a contract.

        :url: POST {id}/close
        :raises Refused: it is neither validated nor running
        :permission: close
        """
        return self._act(id, "close")

    def reopen(self, id: int) -> DocumentRecord:
        """Let a closed contract run again.

        :url: POST {id}/reopen
        :raises Refused: it is not closed
        :permission: close
        """
        return self._act(id, "reopen")
