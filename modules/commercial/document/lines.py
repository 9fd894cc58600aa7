"""The lines of a document over its whole: adding, changing and removing them keeps its totals right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import Refused, transaction, wrong_fields

from ..states import DRAFT
from .records import D, DocumentRecords


class DocumentLines(DocumentRecords[D]):
    """The lines of the documents of a kind; see `Documents`."""

    def add_lines(self, identifier: int, bodies: list[Any]) -> list[int]:
        """Add lines to a draft, all or none; answers their identifiers.

        :raises BadRequest: a field does not fit; those of all lines are named
        :raises Refused: the document is no draft
        """
        lines, wrong = self.lines.accept_all(bodies)
        if len(bodies) == 1:
            wrong = [(name.partition(".")[2] or name, reason) for name, reason in wrong]
        if wrong:
            raise wrong_fields(wrong)
        with transaction():
            row = self.load_for_change(identifier)
            self._require_draft(row)
            ids, _ = self.lines.add(identifier, lines, self.terms(row.__data__))
            self.recount(row)
        return ids

    def change_line(self, identifier: int, line_id: int, body: Mapping[str, Any], *, merge: bool = False) -> None:
        """Change a line of a draft.

        :param merge: what is not sent stays; otherwise as PUT of the kind's lines does
        :raises NotFound: the document has no such line
        :raises Refused: the document is no draft
        """
        with transaction():
            row = self.load_for_change(identifier)
            line = self.lines.of(identifier, line_id)
            self._require_draft(row)
            self.lines.alter(line, body, self.terms(row.__data__), replace=self.lines.put_replaces and not merge)
            self.recount(row)

    def remove_line(self, identifier: int, line_id: int) -> None:
        """Delete a line of a draft.

        :raises NotFound: the document has no such line
        :raises Refused: the document is no draft
        """
        with transaction():
            row = self.load_for_change(identifier)
            line = self.lines.of(identifier, line_id)
            self._require_draft(row)
            self.lines.remove(line)
            self.recount(row)

    def list_lines(self, identifier: int, sqlfilters: str = "") -> list[dict[str, Any]]:
        """The lines of a document, all that a filter finds."""
        self.load(identifier)
        return self.lines.every({self.lines.parent: identifier}, sqlfilters=sqlfilters)

    def _require_draft(self, row: D) -> None:
        if row.statut != DRAFT:
            raise Refused(f"{self.noun} {row.ref} is no draft: its lines cannot change")
