"""Documents without prices, and what those with prices share with them: states, references, lines, people."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Any

from peewee import DateTimeField

from core import Refused, Values, current_user_id, settings, utc_now

from ..setup.company import today
from .document.agreed import insist_on_no_heirs, insist_on_same
from .document.line_editor import LineEditor
from .document.mover import Mover
from .document.people import People
from .document.records import DocumentRecords, P, element_of
from .states import DRAFT, FIXED, KEPT, LINES, Move, States


class PlainDocuments(DocumentRecords[P]):
    """A kind of document, with or without prices.

    :cvar element: what the kind is called in links and in the roles of contacts, such as ``commande``: by its
        model's `extrafields`
    :cvar lines: its lines
    :cvar states: its states and moves
    :cvar series: how it is numbered
    :cvar roles: what contacts can be to it, code → label; only for kinds that the dictionary of roles does not know
    :cvar put_replaces: whether PUT sets what is not sent back to its default where the profile says so
    :cvar needs_lines: whether it is validated only with lines
    :cvar agreed: fields that, once set, fix and keep a document as the states do that permit `FIXED` and `KEPT`
    :cvar kept_by: kinds of document (their `element`) of which one that is no draft keeps what it was made of
    :ivar line_editor: adds, changes and removes lines
    :ivar mover: moves it from state to state
    :ivar people: gives and takes roles
    """

    states: States
    needs_lines = False
    roles: Mapping[str, str] = {}
    agreed: Collection[str] = ()
    kept_by: Collection[str] = ()

    def __init__(self) -> None:
        super().__init__()
        self.element = self.element or element_of(self.model)
        missing = [name for name in ("lines", "states", "series", "element") if not getattr(self, name, None)]
        if missing:
            raise TypeError(f"{type(self).__name__} must set {missing[0]}")
        self.owned = (*self.owned, (self.lines.model, self.lines.parent))
        self.line_editor = LineEditor(self)
        self.mover = Mover(self)
        self.people = People(self, self.roles)

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add what dictionaries know, and whether each is a draft."""
        super().complete(records)
        for record in records:
            record["brouillon"] = 1 if int(record["statut"]) == DRAFT else None

    def lines_change(self, row: P) -> bool:
        """Whether the state of a document permits other lines."""
        return self.states.permits(row.statut, LINES)

    def prepare(self, values: Values, before: P | None) -> None:
        """Refuse another third party or day of what both sides have agreed on.

        :raises Refused: one of them would change
        """
        if before is not None and self.is_agreed(before, FIXED):
            insist_on_same(self.noun, values, before)
        super().prepare(values, before)

    def removing(self, row: P) -> None:
        """Refuse to delete what both sides have agreed on, and what was made of goes on.

        :raises Refused: either is so
        """
        if settings().profile.agreed_documents_stay and self.is_agreed(row, KEPT):
            named = next((name for name in self.agreed if getattr(row, name)), self.states.described(row.statut))
            raise Refused(f"can't delete {self.noun.lower()} {row.ref}: it is {named}")
        if self.kept_by:
            insist_on_no_heirs(self.noun, row, self.element, self.kept_by)
        super().removing(row)

    def is_agreed(self, row: P, deed: str) -> bool:
        """Whether the state of a document, or a field beside it, fixes or keeps it.

        :param deed: `FIXED` or `KEPT`
        """
        return self.states.permits(row.statut, deed) or any(getattr(row, name) for name in self.agreed)

    # Moves -----------------------------------------------------------------------------------------------------------

    def act(self, identifier: int, name: str, end: int | None = None, **values: Any) -> dict[str, Any]:
        """Make a move from one state to another, in one transaction, and tell the modules that wait for it.

        Answers what is told of it beside the record, as the profile says: `oldref`, where it has a new reference.

        :param name: what the move is called
        :param end: the state it ends in, where several of that name begin in one
        :param values: further fields to set
        :raises Refused: the table of moves forbids it, or the kind does
        """
        return self.mover.act(identifier, name, end, **values)

    def moving(self, made: Move, row: P, values: dict[str, Any]) -> None:
        """Set what goes with a move, or refuse it by raising.

        :param row: the document as it stands, locked
        :param values: what will be written; change it in place
        """
        if made.name == "validate":
            if self.needs_lines and self.lines.last_rank(row.id) == 0:
                raise Refused(f"{self.noun} {row.ref} must have lines to be validated")
            values.setdefault("date_validation", self.moment("date_validation"))
            values["user_valid_id"] = current_user_id()

    def moved(self, made: Move, row: P) -> None:
        """Do what follows a move, in its transaction.

        :param row: the document as it stood before
        """

    def moment(self, name: str) -> datetime | date:
        """Now, as a field keeps it."""
        return utc_now() if isinstance(self.model._meta.fields[name], DateTimeField) else today()

    def number(self, row: P) -> str:
        """Take the final reference of a document."""
        return self.series_of(row).take(self.model.ref, self.number_day(row), self.customer_of(row))
