"""Documents: what proposals, orders, invoices and any further kind with prices share. A kind says how it differs."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from .document.copying import Reword, copy_into
from .document.records import DocumentRecords
from .plain_documents import PlainDocuments
from .priced_records import D, PricedRecords
from .roles import offer_roles


class Documents(PricedRecords[D], PlainDocuments[D]):
    """A kind of commercial document: one with prices, taxes and totals; see `PlainDocuments`, too.

    :cvar still_open: field → value that documents have besides a state that permits `OPEN`, while something is still
        expected of them
    """

    still_open: Mapping[str, Any] = {}

    def amount_open(self, thirdparty: int, identifiers: list[int], total: Decimal) -> Decimal:
        """What is still expected of the open documents of a third party, taxes included.

        :param identifiers: the open ones
        :param total: what they come to
        """
        return total

    def create_from(
        self,
        source: DocumentRecords[Any],
        row: Any,
        copied: tuple[str, ...],
        /,
        reword: Reword | None = None,
        **managed: Any,
    ) -> int:
        """Create a draft from another kind's document: its third party, lines, contacts and same-named extra fields.

        The amounts of the lines are taken over as they are. Call it inside the transaction that has locked the source.

        :param row: the document it is made from
        :param copied: the fields that are taken over
        :param reword: what becomes of each text that is taken over, of fields and of lines
        :param managed: further fields
        """
        offer_roles(self.element, self.roles)
        return copy_into(self, source, row, copied, managed, reword)
