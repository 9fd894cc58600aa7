"""Audit events without a changed row, such as a failed login."""

from __future__ import annotations

from typing import Any

from ..storage.database import database, transaction
from ..storage.model import Model, meta_of
from .notes import Event
from .recorder import note_event as note


def note_event(kind: str, model: type[Model] | None = None, record: Any = None, **details: Any) -> None:
    """Write an event to the audit trail, in the open transaction or in a new one.

    :param kind: the event, up to 32 characters, such as ``login_failed``
    :param model: the model of the event's record; None if the event has no record
    :param record: the ID of that record
    :param details: more facts, as plain data; never a password or a key, because entries can't be changed
    """
    table = meta_of(model).table_name if model is not None else ""
    with transaction():
        note(database.obj, Event(kind[:32], table, "" if record is None else str(record)[:64], details))
