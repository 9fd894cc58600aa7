"""Lines of documents, priced or not: checking, adding, changing, removing and copying them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from core import BadRequest, NotFound, RecordField, Records, Values, query, shown
from core.for_natives import Problems

from .models import PlainDocument, PlainLine

L = TypeVar("L", bound=PlainLine)

#: values of a line and of its extra fields, ready to be written
AcceptedLine = tuple[Values, dict[str, Any] | None]
#: a function that replaces texts of a copied document
Reword = Callable[[str], str]

#: the last position a line can have: those after it still fit their column
MAX_RANK = 1_000_000

#: lines of one document, and characters of all their texts. The slowest texts then print in a third of the default
#: COMPTOIR_TIMEOUT
MAX_LINES, MAX_TEXT_CHARS = 10_000, 500_000
#: lines of all documents of a page
MAX_PAGE_LINES = 100_000

#: position of a line in messages, such as ``lines[2].qty``
PLACE = "lines[{}]"
#: key for the terms of the document, next to the fields that `prepare` gets
TERMS = "terms"
#: key for the fields whose IDs are known to exist
KNOWN = "known"


class PlainLines(Records[L]):
    """The lines of a kind of document without prices; `Lines` have prices.

    :cvar put_replaces: whether PUT of a line resets fields that are not sent to their defaults
    :ivar parent: the field of a line that leads to its document
    """

    noun = "Line"
    sort = "t.rang"
    second_alias = "d"
    put_replaces = False

    def __init__(self, model: type[L] | None = None) -> None:
        super().__init__(model)
        fields = self.model._meta.fields.items()
        self.parent = next((name for name, field in fields if _leads_to_document(field)), "")
        if not self.parent:
            raise TypeError(f"{self.model.__name__} must have a RecordField of its document")
        # No body moves a line to another document
        self.managed = (*self.managed, self.parent)

    # Totals ----------------------------------------------------------------------------------------------------------

    def terms(self, document: Mapping[str, Any]) -> Any:
        """Return the common terms of the lines of a document, such as for pricing.

        :param document: its fields
        """
        return None

    def first_totals(self, lines: Sequence[AcceptedLine], terms: Any, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return the totals of the lines of a new document, by its field, before they are written.

        :param document: its fields
        """
        return {}

    def totals_of(self, identifier: int, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return the totals of the lines of a document, by its field.

        :param document: its fields
        """
        return {}

    # Checking --------------------------------------------------------------------------------------------------------

    def unfit(self, values: Values, body: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the errors beyond types and choices: field and reason."""
        if (values.get("rang") or 0) > MAX_RANK:
            return [("rang", f"expected a position up to {MAX_RANK}, got {shown(body['rang'])}")]
        return []

    def accept_all(self, sent: Any, problems: Problems, place: str = PLACE) -> list[AcceptedLine]:
        """Check a list of lines; return the values to write.

        :param problems: gets what is wrong with them
        :param place: position of a line in messages, with ``{}`` for its number
        """
        if sent in (None, "", [], {}):
            return []
        if not isinstance(sent, list):
            problems.add("", "lines", f"expected a list of lines, got {shown(sent)}")
            return []
        if len(sent) > MAX_LINES:
            problems.add("", "lines", f"expected at most {MAX_LINES} lines, got {len(sent)}")
            return []
        accepted = []
        for number, body in enumerate(sent):
            if not isinstance(body, dict):
                problems.add("", PLACE.format(number), f"expected an object, got {shown(body)}")
                continue
            try:
                accepted.append(self.accept_new(body))
                wrong = self.lacking(accepted[-1][0])
            except BadRequest as error:
                # Added one by one, so that the message has the place as well
                wrong = error.errors
            problems.extend(wrong, place.format(number))
        return accepted

    def lacking(self, values: Values) -> list[tuple[str, str]]:
        """Return the missing fields of a new line: field and reason."""
        return []

    # Writing ---------------------------------------------------------------------------------------------------------

    def prepare_first(self, lines: Sequence[AcceptedLine], document: Values) -> dict[str, Any]:
        """Complete and check the lines of a new document before it is written; return their totals, by its field.

        Positions are stored as sent.

        :param lines: returned by `accept_all`
        :param document: its fields
        :raises NotFound: a referenced record does not exist
        """
        terms = self.terms(document)
        self.fill(lines, terms)
        self.place(lines, terms)
        self.check_all(lines, self.known, place=PLACE)
        return self.first_totals(lines, terms, document)

    def add_first(self, document: int, lines: Sequence[AcceptedLine]) -> None:
        """Write the lines of a document that has just been written, as `prepare_first` has completed them."""
        for values, _ in lines:
            values[self.parent] = document
        if lines:
            self.insert_all(lines, checked=True)

    def add(self, document: int, lines: Sequence[AcceptedLine], terms: Any, *, place: str = PLACE) -> list[int]:
        """Write further lines of a document, inside the transaction that has locked it; returns their IDs.

        :param lines: returned by `accept_all`
        :param place: position of a line in messages, with ``{}`` for its number
        :raises NotFound: a referenced record does not exist
        """
        self.fill(lines, terms)
        last, ids = self.last_rank(document), list[int]()
        for values, extras in lines:
            if (values.get("rang") or 0) > 0:
                self._make_room(document, values["rang"])
            values[self.parent] = document
            last = self.place([(values, extras)], terms, last)
            problems = Problems()
            with problems.at(place.format(len(ids))):
                ids.append(self.insert(values, extras, known=self.known(values)))
            problems.check()
        return ids

    def fill(self, lines: Sequence[AcceptedLine], terms: Any) -> None:
        """Fill in missing values of new lines.

        :param terms: those of their document
        """

    def place(self, lines: Sequence[AcceptedLine], terms: Any, last: int = 0) -> int:
        """Set terms and position of new lines; return the last position.

        :param last: the last position so far
        """
        for values, _ in lines:
            rank = values.get("rang") or 0
            rank = rank if rank > 0 else last + 1
            last = max(last, rank)
            values["rang"] = rank
            values.context[TERMS] = terms
        return last

    def known(self, values: Values) -> Collection[str]:
        """Return the fields of a new line that hold the IDs of records that are known to exist."""
        return (self.parent, *values.context.get(KNOWN, ()))

    def alter(self, line: L, body: Mapping[str, Any], terms: Any, *, replace: bool) -> bool:
        """Change a line, inside the transaction that has locked its document; returns whether anything has changed.

        Extra fields that are not sent stay.

        :param replace: fields that are not sent get what a new line would have; position and product stay
        """
        sent = dict(body)
        ranked, rank = "rang" in sent, sent.pop("rang", None)
        given = {TERMS: terms}
        changed = self.change(line.id, sent | {"rang": line.rang}, merge_extras=True, replace=replace, context=given)
        if ranked:
            moved = self._rerank(line, self.accept({"rang": rank}, creating=False)[0].get("rang"))
        return changed or (ranked and moved)

    def remove(self, line: L) -> None:
        """Delete a line."""
        self.delete(line.id)

    def _rerank(self, line: L, rank: int | None) -> bool:
        """Move a line to a position, the last one for None, 0 and below; the lines from there on are shifted."""
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

    def copy(self, source: PlainLines[Any], document: int, target: int, reword: Reword | None = None) -> None:
        """Copy the lines of another kind's document with their amounts, and the extra fields both kinds have.

        :param document: the document they are copied from
        :param target: the document they are copied to
        """
        shared = self.shared_with(source)
        records = source.every({source.parent: document}) if self.extra_names() else []
        extras = {int(record["id"]): same_extras(self, record) for record in records}
        made: dict[int, int] = {}
        for line in source.rows({source.parent: document}, "t.rang"):
            values = {name: getattr(line, name) for name in shared} | {self.parent: target}
            if reword is not None:
                values |= {name: reword(values[name]) for name in ("desc", "label") if values.get(name)}
            if (parent := getattr(line, "fk_parent_line", None)) in made:
                values["fk_parent_line"] = made[parent]
            made[line.id] = self.insert(values, extras.get(line.id), known=(self.parent, "fk_product", "fk_unit"))

    def shared_with(self, source: PlainLines[Any]) -> list[str]:
        """Return the fields that are copied from a line of another kind."""
        left_out = ("id", "fk_parent_line", "fk_remise_except", self.parent)
        return [name for name in self.model._meta.fields if name in source.model._meta.fields and name not in left_out]

    # Reading --------------------------------------------------------------------------------------------------------

    def of(self, document: int, identifier: Any) -> L:
        """Return a line of a document.

        :raises BadRequest: the ID is empty
        :raises NotFound: the document has no such line
        """
        if identifier in ("", 0, "0", None):
            raise BadRequest("Line ID is mandatory")
        found = self.rows({"id": identifier, self.parent: document})
        if not found:
            raise NotFound(f"Line {identifier} not found in this record")
        return found[0]

    def last_rank(self, document: int) -> int:
        """Return the highest position among the lines of a document; 0 if it has none."""
        sql = f"SELECT MAX(rang) FROM {self.model._meta.table_name} WHERE {self.parent} = ?"
        ((highest,),) = query(sql, (document,))
        return highest or 0

    def _make_room(self, document: int, rank: int) -> None:
        mine = getattr(self.model, self.parent) == document
        if self.model.select().where(mine & (self.model.rang == rank)).exists():
            self.model.update(rang=self.model.rang + 1).where(mine & (self.model.rang >= rank)).execute()


def _leads_to_document(field: Any) -> bool:
    """Return whether a field of a line leads to its document."""
    return isinstance(field, RecordField) and issubclass(field.target(), PlainDocument)


def same_extras(target: Records[Any], record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the extra fields of a record that records of another kind also have, ready to be written there.

    :param target: the other kind
    """
    known = {f"options_{name}" for name in target.extra_names()}
    values = {name: value for name, value in dict(record.get("array_options") or {}).items() if name in known}
    return target.accept({"array_options": values}, creating=False)[1] if values else None
