"""Entries of dictionaries, read from memory: what other modules look up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, TypeVar

from core import Model, cached

from .models import Country
from .seeds import NotFilled, first_entries, seed

M = TypeVar("M", bound=Model)


def entries(model: type[M]) -> Mapping[int, M]:
    """All entries of a dictionary by identifier, filled first if it is empty. They are shared: do not change them.

    Where the database does not take the rows, they are what it would be filled with: whoever reads a record that names
    one must not be told that the disk is full.
    """
    try:
        return _reader(model)()
    except NotFilled:
        return first_entries(model)


def fill(model: type[Model]) -> None:
    """See to it that a dictionary whose table is read next is filled.

    :raises NotFilled: the database did not take the rows
    """
    _reader(model)()


def entry(model: type[M], identifier: Any) -> M | None:
    """The entry with an identifier; None when there is none, or the identifier is empty. Do not change it."""
    return entries(model).get(int(identifier)) if identifier else None


def code_of(model: type[Model], identifier: Any) -> str | None:
    """The code of the entry with an identifier; None when there is none, or the identifier is empty."""
    found: Any = entry(model, identifier)
    return found.code if found is not None else None


def add_codes(records: Iterable[dict[str, Any]], key: str, model: type[Model], field: str, said: str = "code") -> None:
    """Add the code of the entry that each record names; null where it names none.

    :param key: what the code is called in the records
    :param field: what holds the entry's identifier
    :param said: the field of the entry that is told, instead of its code
    """
    known: Mapping[int, Any] = entries(model)
    for record in records:
        found = known.get(int(record[field])) if record[field] else None
        record[key] = getattr(found, said) if found is not None else None


def coded(model: type[M]) -> Mapping[str, M]:
    """All entries of a dictionary by code. They are shared: do not change them."""
    return _coder(model)()


def find_by_code(model: type[M], code: str, **more: Any) -> M | None:
    """The first entry with a code, offered or not; None when there is none. Do not change it.

    :param more: what the entry must have besides: ``element="propal", source="external"``
    """
    wanted = {"code": code, **more}
    rows = entries(model).values()
    return next((row for row in rows if all(getattr(row, name) == value for name, value in wanted.items())), None)


def country_code(country_id: Any) -> str | None:
    """The code of a country that a record names; None when it names none, or one that is not in the dictionary."""
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
