"""Changing the lines of a document: adding, changing and removing them keeps its totals right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import Refused, transaction, wrong_fields

from .records import DocumentRecords


class LineEditor:
    """What changes the lines of one kind of document.

    :param documents: the kind; it says which of its documents permit it
    """

    def __init__(self, documents: DocumentRecords[Any]) -> None:
        self._documents = documents
        self._lines = documents.lines

    def add(self, identifier: int, bodies: list[Any]) -> list[int]:
        """Add lines to a draft, all or none; answers their identifiers.

        :raises BadRequest: a field does not fit; those of all lines are named
        :raises Refused: the document is no draft
        """
        lines, wrong = self._lines.accept_all(bodies)
        if len(bodies) == 1:
            wrong = [(name.partition(".")[2] or name, reason) for name, reason in wrong]
        if wrong:
            raise wrong_fields(wrong)
        with transaction():
            row = self._documents.load(identifier, lock=True, if_match=True)
            self._require_draft(row)
            ids, _ = self._lines.add(identifier, lines, self._documents.terms(row.__data__))
            self._documents.recount(row)
        return ids

    def change(self, identifier: int, line_id: int, body: Mapping[str, Any], *, merge: bool = False) -> None:
        """Change a line of a draft.

        :param merge: what is not sent stays; otherwise as PUT of the kind's lines does
        :raises NotFound: the document has no such line
        :raises Refused: the document is no draft
        """
        with transaction():
            row = self._documents.load(identifier, lock=True, if_match=True)
            line = self._lines.of(identifier, line_id)
            self._require_draft(row)
            replace = self._lines.put_replaces and not merge
            changed = self._lines.alter(line, body, self._documents.terms(row.__data__), replace=replace)
            self._documents.recount(row, touched=changed)

    def remove(self, identifier: int, line_id: int) -> None:
        """Delete a line of a draft.

        :raises NotFound: the document has no such line
        :raises Refused: the document is no draft
        """
        with transaction():
            row = self._documents.load(identifier, lock=True, if_match=True)
            line = self._lines.of(identifier, line_id)
            self._require_draft(row)
            self._lines.remove(line)
            self._documents.recount(row)

    def list(self, identifier: int, sqlfilters: str = "") -> list[dict[str, Any]]:
        """The lines of a document, all that a filter finds."""
        self._documents.load(identifier)
        return self._lines.every({self._lines.parent: identifier}, sqlfilters=sqlfilters)

    def _require_draft(self, row: Any) -> None:
        if not self._documents.lines_change(row):
            noun = self._documents.noun.lower()
            raise Refused(f"can't change the lines of {noun} {row.ref}: it is not a draft")
