"""Lines of documents, priced or not: adding, changing, removing, ranking."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from core import BadRequest, NotFound, Records, Values, query, wrong_fields

from .plain_models import PlainLine

P = TypeVar("P", bound=PlainLine)

#: what is to be written of a line, and of its extra fields
AcceptedLine = tuple[Values, dict[str, Any] | None]

#: the last place a line can ask for: those behind it still fit their column
LAST_PLACE = 1_000_000

#: lines of one document, and characters of all their texts. The slowest texts then print in a third of the default
#: COMPTOIR_TIMEOUT
MOST_LINES, LONGEST_TEXTS = 10_000, 500_000
#: lines of all documents of a page
MOST_LINES_OF_A_PAGE = 100_000

#: what `prepare` is told besides the fields: what the document's lines are measured by, such as how they are priced
TERMS = "terms"
#: and which fields name records that are known to exist
KNOWN = "known"


class PlainLines(Records[P]):
    """The lines of a kind of document, with or without prices.

    :cvar parent: the field of a line that leads to its document
    :cvar put_replaces: whether PUT of a line sets what is not sent back to its default
    """

    noun = "Line"
    sort = "t.rang"
    second_alias = "d"
    parent = ""
    put_replaces = False

    def __init__(self, model: type[P] | None = None, *, parent: str = "") -> None:
        super().__init__(model)
        self.parent = parent or self.parent
        # No body moves a line to another document
        self.managed = (*self.managed, self.parent)

    # Checking --------------------------------------------------------------------------------------------------------

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check the body of a line.

        :raises BadRequest: a field is missing or does not fit; all of them are named
        """
        wrong: list[tuple[str, str]] = []
        try:
            values, extras = super().accept(body, creating=creating, replace=replace)
        except BadRequest as error:
            values, extras, wrong = Values(), None, error.errors
        wrong += self.unfit(values, body)
        if wrong:
            raise wrong_fields(wrong)
        return values, extras

    def unfit(self, values: Mapping[str, Any], body: Mapping[str, Any]) -> list[tuple[str, str]]:
        """What does not fit beyond types and choices: field and reason.

        :param values: those that were accepted
        :param body: what was sent
        """
        if (values.get("rang") or 0) > LAST_PLACE:
            return [("rang", f"expected a position up to {LAST_PLACE}, got {body['rang']!r:.60}")]
        return []

    def accept_all(self, sent: Any, *, key: str = "lines") -> tuple[list[AcceptedLine], list[tuple[str, str]]]:
        """Check a list of lines; answers what is to be written, and every wrong field, such as ``lines[2].qty``.

        :param key: what the list is called in messages
        """
        if sent in (None, "", [], {}):
            return [], []
        if not isinstance(sent, list):
            return [], [(key, f"expected a list of lines, got {sent!r:.60}")]
        if len(sent) > MOST_LINES:
            return [], [(key, f"expected at most {MOST_LINES} lines, got {len(sent)}")]
        accepted, wrong = [], []
        for number, body in enumerate(sent):
            if not isinstance(body, dict):
                wrong.append((f"{key}[{number}]", f"expected an object, got {body!r:.60}"))
                continue
            try:
                accepted.append(self.accept(body))
            except BadRequest as error:
                wrong += [(f"{key}[{number}].{name}", reason) for name, reason in error.errors]
        return accepted, wrong

    # Writing ---------------------------------------------------------------------------------------------------------

    def add(
        self, document: int, lines: Sequence[AcceptedLine], terms: Any, *, ranked: bool = False
    ) -> tuple[list[int], list[Any]]:
        """Write new lines of a document, inside the transaction that has locked it.

        :param lines: what `accept_all` answered
        :param terms: what the document's lines are measured by
        :param ranked: the document had no lines: ranks are taken as they are sent
        :returns: their identifiers, and of lines with prices what they come to
        :raises NotFound: a record that one names does not exist
        """
        last = 0 if ranked else self.last_rank(document)
        ids = []
        for values, extras in lines:
            rank = values.get("rang") or 0
            if rank <= 0:
                rank = last + 1
            elif not ranked:
                self._make_room(document, rank)
            last = max(last, rank)
            values |= {"rang": rank, self.parent: document}
            values.context[TERMS] = terms
            if not ranked:
                ids.append(self.insert(values, extras, known=self._known(values)))
        return self.insert_all(lines, self._known) if ranked else ids, []

    def _known(self, values: Values) -> Collection[str]:
        return (self.parent, *values.context.get(KNOWN, ()))

    def alter(self, line: P, body: Mapping[str, Any], terms: Any, *, replace: bool) -> bool:
        """Change a line, inside the transaction that has locked its document; extra fields one by one.

        Answers whether anything is another than before.

        :param terms: what the document's lines are measured by
        :param replace: what is not sent becomes what a new line would have; its place, product and extra fields stay
        """
        sent = dict(body)
        ranked, rank = "rang" in sent, sent.pop("rang", None)
        given = {TERMS: terms}
        changed = self.change(line.id, sent | {"rang": line.rang}, merge_extras=True, replace=replace, context=given)
        if ranked:
            moved = self._rerank(line, self.accept({"rang": rank}, creating=False)[0].get("rang"))
        return changed or (ranked and moved)

    def remove(self, line: P) -> None:
        """Delete a line."""
        self.delete(line.id)

    def _rerank(self, line: P, rank: int | None) -> bool:
        """Move a line to a place, the last one for None, 0 and below; the lines from there on make room."""
        document = getattr(line, self.parent)
        last = self.last_rank(document)
        if not rank or rank < 0:
            rank = last + (line.rang != last)
        elif rank != line.rang:
            self._make_room(document, rank)
        if rank == line.rang:
            return False
        self.write_unchecked(line.id, rang=rank)
        return True

    # Together --------------------------------------------------------------------------------------------------------

    def of(self, document: int, identifier: Any) -> P:
        """A line of a document.

        :raises BadRequest: the identifier is empty
        :raises NotFound: the document has no such line
        """
        if identifier in ("", 0, "0", None):
            raise BadRequest("Line ID is mandatory")
        found = self.rows({"id": identifier, self.parent: document})
        if not found:
            raise NotFound(f"Line {identifier} not found in this record")
        return found[0]

    def last_rank(self, document: int) -> int:
        """The highest rank among the lines of a document; 0 when it has none."""
        sql = f"SELECT MAX(rang) FROM {self.model._meta.table_name} WHERE {self.parent} = ?"
        ((highest,),) = query(sql, (document,))
        return highest or 0

    def _make_room(self, document: int, rank: int) -> None:
        mine = getattr(self.model, self.parent) == document
        if self.model.select().where(mine & (self.model.rang == rank)).exists():
            self.model.update(rang=self.model.rang + 1).where(mine & (self.model.rang >= rank)).execute()
