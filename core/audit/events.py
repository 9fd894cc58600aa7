"""Events that are no change of a row, and are to be accounted for all the same: a login that failed, say."""

from __future__ import annotations

from typing import Any

from ..storage.database import database, transaction
from ..storage.model import Model, meta_of
from .notes import Event
from .recorder import note_event as note


def note_event(kind: str, model: type[Model] | None = None, record: Any = None, **details: Any) -> None:
    """Put an event into the audit trail: in the transaction that is open, or in one of its own.

    :param kind: what has happened, up to 32 letters, such as ``login_failed``
    :param model: the model of the record that it has happened to; None: it has happened to none
    :param record: the identifier of that record
    :param details: what else is to be known, in plain data; neither passwords nor keys, nobody can take them out again
    """
    table = meta_of(model).table_name if model is not None else ""
    with transaction():
        note(database.obj, Event(kind[:32], table, "" if record is None else str(record)[:64], details))
