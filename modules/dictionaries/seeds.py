"""What an empty dictionary begins with."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import peewee

from core import Model, bump, transaction

M = TypeVar("M", bound=Model)

_DATA = Path(__file__).parent / "data"


class NotFilled(peewee.DatabaseError):
    """An empty dictionary could not be filled, since the disk is full or can only be read, say."""

    #: the driver's own error, by which the caller is told what it was
    orig: object = None


def seed(model: type[Model]) -> None:
    """Fill a dictionary that is empty; another worker may be doing the same at this moment.

    :raises NotFilled: the database did not take the rows
    """
    try:
        # Columns the file does not name take the model's defaults
        with transaction():
            model.insert_many(_rows(model)).on_conflict_ignore().execute()
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


def _as_read(model: Any, name: str, text: str) -> Any:
    field = model._meta.fields[name]
    return field.python_value(field.db_value(text))


def _rows(model: Any) -> list[dict[str, str]]:
    file = _DATA / f"{model._meta.table_name}.csv"
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))
