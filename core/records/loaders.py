"""Loaders add related rows to records: each reads them for all records with one statement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..storage.database import backend, driver_sql


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
