"""What an empty dictionary begins with."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import peewee

from core import Model, bump, transaction

from .models import DictionaryNote

M = TypeVar("M", bound=Model)

_DATA = Path(__file__).parent / "data"


class NotFilled(peewee.DatabaseError):
    """An empty dictionary could not be filled, since the disk is full or can only be read, say."""

    #: the driver's own error, by which the caller is told what it was
    orig: object = None


def seed(model: type[Model]) -> None:
    """Fill a dictionary that is empty; another worker may be doing the same at this moment.

    One that somebody has emptied stays so.

    :raises NotFilled: the database did not take the rows
    """
    rows = _rows(model)
    if not rows or DictionaryNote.get_or_none(name=_table(model)) is not None:
        return
    try:
        # Columns the file does not name take the model's defaults
        with transaction():
            model.insert_many(rows).on_conflict_ignore().execute()
            # What is read in this transaction is not kept beyond it
            bump()
    except peewee.PeeweeException as error:
        failure = NotFilled(*error.args)
        failure.orig = getattr(error, "orig", error)
        raise failure from error


@cache
def first_entries(model: type[M]) -> dict[int, M]:
    """What a dictionary is filled with, by identifier. They are shared: do not change them."""
    made: list[Any] = [
        model(**{name: _as_read(model, name, text) for name, text in row.items()}) for row in _rows(model)
    ]
    return {entry.id: entry for entry in made}


def _as_read(model: Any, name: str, text: str | None) -> Any:
    field = model._meta.fields[name]
    return field.python_value(None if text is None else field.db_value(text))


def _rows(model: Any) -> list[dict[str, str | None]]:
    """What is shipped; nothing in a column that may hold nothing is nothing."""
    file, fields = _DATA / f"{_table(model)}.csv", model._meta.fields
    if not file.is_file():
        return []
    with file.open(newline="", encoding="utf-8") as lines:
        return [
            {name: text if text or not fields[name].null else None for name, text in row.items()}
            for row in csv.DictReader(lines)
        ]


def note_deletion(model: type[Model], identifier: int) -> None:
    """Note that an entry has been deleted: what was shipped is not shipped again, and no identifier given twice."""
    last = max(identifier, last_deleted(model))
    DictionaryNote.insert(name=_table(model)).on_conflict_ignore().execute()
    DictionaryNote.update(last=last).where(DictionaryNote.name == _table(model)).execute()


def last_deleted(model: type[Model]) -> int:
    """The highest identifier of a dictionary that was deleted; 0: none was."""
    note = DictionaryNote.get_or_none(name=_table(model))
    return int(note.last) if note is not None else 0


def _table(model: Any) -> str:
    return str(model._meta.table_name)
