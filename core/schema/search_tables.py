"""Search indexes: made from `Meta.searched` when modules load, and kept up to date by the database.

Each backend makes its own tables, indexes and triggers (`Backend.make_search`). A row of `comptoir_table` holds the
digest of what a search index was made from. If the model has changed, the index is built again.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping

import peewee

from ..common.repeated_failures import is_news
from ..storage.database import backend, database, quote
from ..storage.error_kinds import reason_of
from ..storage.model import Model, meta_of, search_digest, searched_table
from ..storage.texts import TRIGRAMS, WORDS, SearchedTable, is_search_name, kept_name, search_name
from .known_tables import KnownTable, forget_rows, known_digests, write_all
from .table import Table, number, owner_of, table_name

_log = logging.getLogger("comptoir.tables")

#: rows that one statement fills in
_SLICE = 100_000
#: rows from which on the log shows the progress
_MANY = 500_000


def to_be_searched(models: Iterable[type[Model]], known: Mapping[str, str]) -> list[type[Model]]:
    """Return the models whose search indexes are missing or were made for another `Meta.searched`.

    :param known: digests of the search indexes, by name
    """
    if not backend().can_make_searches():
        return []
    return [model for model in _chosen(models).values() if not _is_made(model, known)]


def _chosen(models: Iterable[type[Model]]) -> dict[str, type[Model]]:
    """Return one model for each table: the one with `Meta.searched` if there are several."""
    chosen: dict[str, type[Model]] = {}
    for model in models:
        if table_name(model) not in chosen or meta_of(model).searched:
            chosen[table_name(model)] = model
    return chosen


def _is_made(model: type[Model], known: Mapping[str, str]) -> bool:
    made = known.get(kept_name(table_name(model)), "")
    if not meta_of(model).searched:
        return not made or KnownTable.get(KnownTable.name == kept_name(table_name(model))).owner != owner_of(model)
    return made == search_digest(model)


def make_searches(models: Iterable[type[Model]], left: Collection[str], new: Collection[str] = ()) -> bool:
    """Make missing search indexes, under the schema lock; return whether one had another form before.

    :param left: modules whose tables don't fit their models yet
    :param new: tables that were just created
    """
    changed = False
    known = known_digests()
    made: dict[str, tuple[str, Table | None, str]] = {}
    for model in to_be_searched(models, known):
        table = table_name(model)
        if owner_of(model) in left or not (table in new or database.table_exists(table)):
            continue
        if drop_search(table, known):
            changed = True
        if meta_of(model).searched:
            if table not in new:
                # If each statement commits, a part may be left of one that was interrupted
                _remove(table)
            if _make(model, fill=table not in new):
                made[kept_name(table)] = search_digest(model), None, owner_of(model)
    write_all(made)
    return changed


def drop_search(table: str, known: Mapping[str, str] | None = None) -> bool:
    """Drop the search index of a table, before its columns change or it is dropped; return whether it had one."""
    if kept_name(table) not in (known_digests() if known is None else known):
        return False
    _remove(table)
    forget_rows([kept_name(table)])
    return True


def _remove(table: str) -> None:
    # Listed first: MariaDB may refuse to drop a trigger that doesn't exist
    for name in filter(is_search_name, backend().trigger_names(table)):
        backend().run(f"DROP TRIGGER {quote(name)}")
    for start in (WORDS, TRIGRAMS):
        backend().run(f"DROP {backend().search_parts} IF EXISTS {quote(search_name(start, table))}")


def _make(model: type[Model], *, fill: bool) -> bool:
    """Make the search index of a table; return False if it can't be made.

    :param fill: the table may have rows
    """
    table, searched = table_name(model), searched_table(model)
    rows = number(f"SELECT COUNT(*) FROM {searched.table}") if fill else 0
    if rows >= _MANY:
        _log.info("%s: building the search index for %s rows", table, f"{rows:,}")
    try:
        backend().make_search(searched)
        if rows and (statement := backend().fill_search(searched)):
            _in_slices(searched, statement)
    except peewee.OperationalError as error:
        if not backend().restricts_triggers:
            raise
        _remove(table)
        _log.warning("%s: without search tables, searches read the whole table", table)
        # Once, not for each table
        if is_news(reason := f"can't create search tables: {reason_of(error)}"):
            _log.error("%s. Until you fix this and restart the server, searches read whole tables", reason)
        return False
    return True


def _in_slices(searched: SearchedTable, statement: str) -> None:
    """Fill in the existing rows, some at a time."""
    lowest, highest = backend().run(f"SELECT MIN({searched.key}), MAX({searched.key}) FROM {searched.table}").fetchone()
    if lowest is None:
        return
    for begin in range(lowest - 1, highest, _SLICE):
        backend().run(statement, (begin, begin + _SLICE))
        if highest - lowest >= _MANY:
            told = searched.name, f"{min(begin + _SLICE, highest):,}", f"{highest:,}"
            _log.info("%s: search index built up to ID %s of %s", *told)
