"""Moving a document from state to state; a draft gets its reference thereby."""

from __future__ import annotations

from typing import Any

from core import current_user_id, settings, transaction, utc_now

from ..numbers import is_provisional
from ..states import VALIDATED


class Mover:
    """What moves the documents of one kind.

    :param documents: the kind, a `Documents`: it has the table of states, and says what goes with a move
    """

    def __init__(self, documents: Any) -> None:
        self._documents = documents

    def act(self, identifier: int, name: str, end: int | None = None, **values: Any) -> dict[str, Any]:
        """Make a move from one state to another, in one transaction, and tell the modules that wait for it.

        Answers what is told of it beside the record, as the profile says: `oldref`, where it has a new reference.

        :param name: what the move is called
        :param end: the state it ends in, where several of that name begin in one
        :param values: further fields to set
        :raises Refused: the table of moves forbids it, or the kind does
        """
        with transaction():
            return self.move(self._documents.load(identifier, lock=True, if_match=True), name, end, **values)

    def move(self, row: Any, name: str, end: int | None = None, **values: Any) -> dict[str, Any]:
        """Make a move of a document that is locked already, inside the transaction that has locked it; as `act`.

        :param row: the document as it stands
        """
        documents = self._documents
        made = documents.states.move(name, row.statut, end, document=f"{documents.noun.lower()} {row.ref}")
        values |= {
            "statut": made.ends,
            "fk_user_modif": current_user_id(),
            "date_modification": utc_now(),
        }
        documents.moving(made, row, values)
        if made.ends == VALIDATED and is_provisional(row.ref):
            # Last: the counter is locked from here to the end of the transaction
            values["ref"] = documents.number(row)
        documents.write_unchecked(row.id, **values)
        documents.moved(made, row)
        documents.notify(made.event, row.id)
        told = settings().profile.documents_as_recorded and "ref" in values
        return {"oldref": row.ref} if told else {}
