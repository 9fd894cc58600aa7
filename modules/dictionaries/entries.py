"""Entries of dictionaries from memory, for other modules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, TypeVar

from core import Model
from core.for_natives import cached

from .models import Country
from .seeds import NotFilled, first_entries, seed

M = TypeVar("M", bound=Model)


def entries(model: type[M]) -> Mapping[int, M]:
    """Return all entries of a dictionary by ID; fill it first if it is empty. They are shared: don't change them.

    If the database rejects the rows, return the predefined entries: reading a record that references an entry must
    not fail because the disk is full.
    """
    try:
        return _reader(model)()
    except NotFilled:
        return first_entries(model)


def fill(model: type[Model]) -> None:
    """Fill a dictionary if it is empty, before its table is read.

    :raises NotFilled: the database rejected the rows
    """
    _reader(model)()


def entry(model: type[M], identifier: Any) -> M | None:
    """Return the entry with an ID; None if it doesn't exist or the ID is empty. Don't change it."""
    return entries(model).get(int(identifier)) if identifier else None


def code_of(model: type[Model], identifier: Any) -> str | None:
    """Return the code of the entry with an ID; None if it doesn't exist or the ID is empty."""
    found: Any = entry(model, identifier)
    return found.code if found is not None else None


def add_codes(records: Iterable[dict[str, Any]], key: str, model: type[Model], field: str, said: str = "code") -> None:
    """Add the code of the referenced entry to each record; null without an entry.

    :param key: key of the code in the records
    :param field: key of the entry's ID in the records
    :param said: the field of the entry to add instead of its code
    """
    known: Mapping[int, Any] = entries(model)
    for record in records:
        found = known.get(int(record[field])) if record[field] else None
        record[key] = getattr(found, said) if found is not None else None


def coded(model: type[M]) -> Mapping[str, M]:
    """Return all entries of a dictionary by code. They are shared: don't change them."""
    return _coder(model)()


def find_by_code(model: type[M], code: str, **more: Any) -> M | None:
    """Return the first entry with a code, active or not, or None. Don't change the entry.

    :param more: further values that the entry must have: ``element="propal", source="external"``
    """
    wanted = {"code": code, **more}
    rows = entries(model).values()
    return next((row for row in rows if all(getattr(row, name) == value for name, value in wanted.items())), None)


def country_code(country_id: Any) -> str | None:
    """Return the code of a country; None if the ID is empty or not in the dictionary."""
    return code_of(Country, country_id)


@cache
def _reader(model: type[M]) -> Callable[[], dict[int, M]]:
    @cached
    def read() -> dict[int, M]:
        found = _rows(model)
        if not found:
            seed(model)
            found = _rows(model)
        return found

    return read


@cache
def _coder(model: type[M]) -> Callable[[], dict[str, M]]:
    @cached
    def read() -> dict[str, M]:
        rows: Iterable[Any] = entries(model).values()
        return {str(row.code): row for row in rows}

    return read


def _rows(model: Any) -> dict[int, Any]:
    return {row.id: row for row in model.select().order_by(model.id)}
