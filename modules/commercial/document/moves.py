"""The moves of documents from state to state, and the reference that a draft gets thereby."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from peewee import DateTimeField

from core import Refused, current_caller, transaction, utc_now

from ...setup.company import today
from ...thirdparties.thirdparties import thirdparties
from ..numbers import is_provisional
from ..states import VALIDATED, Move, States
from .lines import DocumentLines
from .records import D


class DocumentMoves(DocumentLines[D]):
    """The moves of the documents of a kind; see `Documents`."""

    states: States
    needs_lines = False

    def act(self, identifier: int, name: str, end: int | None = None, **values: Any) -> None:
        """Make a move from one state to another, in one transaction, and tell the modules that wait for it.

        :param name: what the move is called
        :param end: the state it ends in, where several of that name begin in one
        :param values: further fields to set
        :raises Refused: the table of moves forbids it, or the kind does
        """
        with transaction():
            row = self.load_for_change(identifier)
            made = self.states.move(name, row.statut, end)
            caller = current_caller()
            values |= {
                "statut": made.ends,
                "fk_user_modif": caller.id if caller else None,
                "date_modification": utc_now(),
            }
            self.moving(made, row, values)
            if made.ends == VALIDATED and is_provisional(row.ref):
                # Last: the counter is locked from here to the end of the transaction
                values["ref"] = self.number(row)
            self.write(row.id, **values)
            self.moved(made, row)
            self.tell(made.event, row.id)

    def moving(self, made: Move, row: D, values: dict[str, Any]) -> None:
        """Set what goes with a move, or refuse it by raising.

        :param row: the document as it stands, locked
        :param values: what will be written; change it in place
        """
        if made.name == "validate":
            caller = current_caller()
            if self.needs_lines and self.lines.last_rank(row.id) == 0:
                raise Refused(f"{self.noun} {row.ref} must have lines to be validated")
            values.setdefault("date_validation", self.moment("date_validation"))
            values["user_valid_id"] = caller.id if caller else None

    def moved(self, made: Move, row: D) -> None:
        """Do what follows a move, in its transaction.

        :param row: the document as it stood before
        """

    def moment(self, name: str) -> datetime | date:
        """Now, as a field keeps it."""
        return utc_now() if isinstance(self.model._meta.fields[name], DateTimeField) else today()

    def number(self, row: D) -> str:
        """Take the final reference of a document."""
        return self.series_of(row).take(self.model.ref, self.number_day(row), thirdparties.load(row.socid))
