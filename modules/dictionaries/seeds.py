"""Predefined entries of an empty dictionary."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import peewee

from core import Model, transaction
from core.for_natives import bump

from .models import DictionaryNote

M = TypeVar("M", bound=Model)

_DATA = Path(__file__).parent / "data"


class NotFilled(peewee.DatabaseError):
    """An empty dictionary could not be filled, for example because the disk is full or read-only."""

    #: the driver's own error, used to report the cause to the caller
    orig: object = None


def seed(model: type[Model]) -> None:
    """Fill an empty dictionary; another worker may be doing the same at the same time.

    A dictionary whose entries were deleted is not filled again.

    :raises NotFilled: the database rejected the rows
    """
    rows = _rows(model)
    if not rows or DictionaryNote.get_or_none(name=_table(model)) is not None:
        return
    try:
        # Columns that the file doesn't have take the model's defaults
        with transaction():
            model.insert_many(rows).on_conflict_ignore().execute()
            # Don't cache results of this transaction
            bump()
    except peewee.PeeweeException as error:
        failure = NotFilled(*error.args)
        failure.orig = getattr(error, "orig", error)
        raise failure from error


@cache
def first_entries(model: type[M]) -> dict[int, M]:
    """Return the predefined entries of a dictionary by ID. They are shared: don't change them."""
    made: list[Any] = [
        model(**{name: _as_read(model, name, text) for name, text in row.items()}) for row in _rows(model)
    ]
    return {entry.id: entry for entry in made}


def _as_read(model: Any, name: str, text: str | None) -> Any:
    field = model._meta.fields[name]
    return field.python_value(None if text is None else field.db_value(text))


def _rows(model: Any) -> list[dict[str, str | None]]:
    """Return the predefined rows; an empty value in a nullable column is None."""
    file, fields = _DATA / f"{_table(model)}.csv", model._meta.fields
    if not file.is_file():
        return []
    with file.open(newline="", encoding="utf-8") as lines:
        return [
            {name: text if text or not fields[name].null else None for name, text in row.items()}
            for row in csv.DictReader(lines)
        ]


def note_deletion(model: type[Model], identifier: int) -> None:
    """Record that an entry was deleted, so the dictionary isn't filled again and the ID isn't reused."""
    last = max(identifier, last_deleted(model))
    DictionaryNote.insert(name=_table(model)).on_conflict_ignore().execute()
    DictionaryNote.update(last=last).where(DictionaryNote.name == _table(model)).execute()


def last_deleted(model: type[Model]) -> int:
    """Return the highest deleted ID of a dictionary; 0 if no entry was deleted."""
    note = DictionaryNote.get_or_none(name=_table(model))
    return int(note.last) if note is not None else 0


def _table(model: Any) -> str:
    return str(model._meta.table_name)
