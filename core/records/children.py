"""The records of another kind that name these, as a list in each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .loaders import Loader
from .reader import Reader


class Children(Loader):
    """Adds to each record a list of the records of another kind that name it, as far as the caller may see them.

    :param children: the `Records` of the other kind
    :param field: the field of theirs that holds the ID
    :param key: the key of the list in a record
    :param sort: the order of the list, as in `Records.every`
    :param most: children of all records together, at most; 0: any number
    """

    def __init__(self, children: Reader[Any], field: str, key: str, *, sort: str = "", most: int = 0) -> None:
        self._children, self._field, self._key = children, field, key
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
            record[self._key] = lists.get(int(record["id"]), [])
