"""Loaders add related rows to records: each reads them for all records with one statement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..storage.database import backend, driver_sql

if TYPE_CHECKING:
    from .records import Records


class Loader:
    """Adds to records the rows that one statement finds by their IDs."""

    def sql(self, ids: Sequence[int]) -> tuple[str, Sequence[Any]]:
        """Return a SELECT with ``?`` for each value, as `query` takes it, and its values.

        :param ids: those of the records
        """
        raise NotImplementedError

    def apply(self, rows: Sequence[tuple[Any, ...]], records: list[dict[str, Any]]) -> None:
        """Add the rows of the statement to the records."""
        raise NotImplementedError

    def statement(self, ids: Sequence[int]) -> tuple[str, tuple[Any, ...]]:
        """Return the statement as the database's driver takes it."""
        text, values = self.sql(ids)
        return driver_sql(text), tuple(values)


def run_loaders(
    loaders: Sequence[Loader], records: list[dict[str, Any]], found: Sequence[Sequence[tuple[Any, ...]]] | None = None
) -> None:
    """Add the results of loaders to records.

    :param found: the rows of each loader, if they have been read
    """
    if loaders and found is None:
        ids = [int(record["id"]) for record in records]
        found = backend().read_together([each.statement(ids) for each in loaders])
    for loader, rows in zip(loaders, found or (), strict=True):
        loader.apply(rows, records)


class Children(Loader):
    """Adds to each record a list of the records of another kind that refer to it, as far as the caller may see them.

    :param children: the `Records` of the other kind
    :param field: the field of theirs that holds the ID
    :param key: the key of the list in a record
    :param sort: the order of the list, as in `Records.every`
    :param most: children of all records together, at most; 0: any number
    """

    def __init__(self, children: Records[Any], field: str, key: str, *, sort: str = "", most: int = 0) -> None:
        self._children, self._field, self.key = children, field, key
        self._sort, self._most = sort, most

    def statement(self, ids: Sequence[int]) -> tuple[str, tuple[Any, ...]]:
        """Return the statement that reads the children."""
        return self._children.select({self._field: ids}, self._sort, most=self._most)

    def apply(self, rows: Sequence[tuple[Any, ...]], records: list[dict[str, Any]]) -> None:
        """Add the lists."""
        lists: dict[int, list[dict[str, Any]]] = {}
        for child in self._children.records_of(rows, most=self._most):
            lists.setdefault(int(child[self._field]), []).append(child)
        for record in records:
            record[self.key] = lists.get(int(record["id"]), [])
