"""Documents: what proposals, orders, invoices and any further kind share. A kind says only how it differs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from peewee import DateTimeField

from core import Refused, current_user_id, utc_now

from ..setup.company import today
from .document.copying import copy_into
from .document.line_editor import LineEditor
from .document.mover import Mover
from .document.people import People
from .document.records import D, DocumentRecords
from .roles import offer_roles
from .states import Move, States


class Documents(DocumentRecords[D]):
    """A kind of commercial document.

    :cvar element: what the kind is called in links and in the roles of contacts, such as ``commande``: `extrafields`
        of its model
    :cvar lines: its lines
    :cvar states: its states and moves
    :cvar series: how it is numbered
    :cvar roles: what contacts can be to it, code → label; only for kinds that the dictionary of roles does not know
    :cvar put_replaces: whether PUT sets what is not sent back to its default where the profile says so
    :cvar needs_lines: whether it is validated only with lines
    :ivar line_editor: adds, changes and removes lines
    :ivar mover: moves it from state to state
    :ivar people: gives and takes roles
    """

    states: States
    needs_lines = False
    roles: Mapping[str, str] = {}

    def __init__(self) -> None:
        super().__init__()
        meta: Any = self.model._meta
        self.element = self.element or meta.extrafields
        missing = [name for name in ("lines", "states", "series", "element") if not getattr(self, name, None)]
        if missing:
            raise TypeError(f"{type(self).__name__} names no {missing[0]}")
        self.owned = (*self.owned, (self.lines.model, self.lines.parent))
        self.line_editor = LineEditor(self, self.states)
        self.mover = Mover(self)
        self.people = People(self, self.roles)

    # Moves -----------------------------------------------------------------------------------------------------------

    def act(self, identifier: int, name: str, end: int | None = None, **values: Any) -> None:
        """Make a move from one state to another, in one transaction, and tell the modules that wait for it.

        :param name: what the move is called
        :param end: the state it ends in, where several of that name begin in one
        :param values: further fields to set
        :raises Refused: the table of moves forbids it, or the kind does
        """
        self.mover.act(identifier, name, end, **values)

    def moving(self, made: Move, row: D, values: dict[str, Any]) -> None:
        """Set what goes with a move, or refuse it by raising.

        :param row: the document as it stands, locked
        :param values: what will be written; change it in place
        """
        if made.name == "validate":
            if self.needs_lines and self.lines.last_rank(row.id) == 0:
                raise Refused(f"{self.noun} {row.ref} must have lines to be validated")
            values.setdefault("date_validation", self.moment("date_validation"))
            values["user_valid_id"] = current_user_id()

    def moved(self, made: Move, row: D) -> None:
        """Do what follows a move, in its transaction.

        :param row: the document as it stood before
        """

    def moment(self, name: str) -> datetime | date:
        """Now, as a field keeps it."""
        return utc_now() if isinstance(self.model._meta.fields[name], DateTimeField) else today()

    def number(self, row: D) -> str:
        """Take the final reference of a document."""
        return self.series_of(row).take(self.model.ref, self.number_day(row), self.customer_of(row))

    def create_from(self, source: Documents[Any], row: Any, copied: tuple[str, ...], /, **managed: Any) -> int:
        """Create a draft from another kind's document: its third party, lines, contacts and same-named extra fields.

        The amounts of the lines are taken over as they are. Call it inside the transaction that has locked the source.

        :param row: the document it is made from
        :param copied: the fields that are taken over
        :param managed: further fields
        """
        offer_roles(self.element, self.roles)
        return copy_into(self, source, row, copied, managed)
