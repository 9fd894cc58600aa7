"""Searching records: `q` of lists, and `like` in the middle of words without reading the whole table.

The indexes are made by `schema/search_tables.py`. Without them, the same rows are found by reading the table: by `q` on
MariaDB and PostgreSQL, and by `like` everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import peewee

from ..common.errors import wrong_fields
from ..storage.database import backend, query, rows_of
from ..storage.database_errors import classify_error
from ..storage.error_kinds import MISSING
from ..storage.model import Model
from ..storage.search import fold, search_digest, searched_fields, searched_table, words_of
from ..storage.search_names import kept_name
from .lists import ListQuery, page_size
from .row_rules import NOTHING, Condition

#: characters of a search
LONGEST = 200
#: maximum number of ranked records
RANKED = 1000
#: maximum rows for a part of a pattern so that they are compared one by one, instead of reading the whole table
FEW = 5_000


class Search:
    """The search of one model's records; cached with the plan that reads them."""

    def __init__(self, model: type[Model]) -> None:
        self.searched = searched = searched_table(model)
        self._places = {field.column_name: place for place, field in enumerate(searched_fields(model))}
        self.key = f"t.{searched.key}"
        #: the texts of a row that determine its rank
        self.columns = searched.texts("t.")
        made = _made(searched.name) if self.columns else ""
        searched.is_made = made in ((search_digest(model), search_digest(model, trigrams=False)) if made else ())

    def words(self, text: str) -> list[str]:
        """Return the words of a search.

        :raises BadRequest: the records or the database can't be searched, or the text is too long
        """
        if not self.columns:
            raise wrong_fields([("q", "these records have no fields to search; use sqlfilters")])
        if not self.searched.is_made and not backend().searches_unindexed:
            raise wrong_fields([("q", "this database can't search; use sqlfilters")])
        if len(text) > LONGEST:
            raise wrong_fields([("q", f"expected at most {LONGEST} characters, got {len(text)}")])
        return list(dict.fromkeys(words_of(text)))

    def condition(self, words: Sequence[str]) -> Condition:
        """The condition for rows that have all of these words, or words that begin with them."""
        if not words:
            return NOTHING
        return backend().words_condition(self.searched, words, whole=False)

    def among(self, column: str) -> Callable[[str], Condition | None] | None:
        """Return a function that narrows a `like` on a column to few rows; None: the column has no such index."""
        place = self._places.get(column)
        if place is None or not self.searched.is_made or not backend().has_trigram_table:
            return None
        return lambda pattern: backend().trigram_condition(self.searched, place, pattern, FEW)


def _made(table: str) -> str:
    """Return the digest of the search index of a table; empty: it has none."""
    try:
        found = query("SELECT digest FROM comptoir_table WHERE name = ?", (kept_name(table),))
    except peewee.DatabaseError as error:
        if classify_error(error) is not MISSING:
            raise
        return ""
    return str(found[0][0]) if found else ""


# Ranking: whole words come before words that only begin so, then what is found in an earlier field of `Meta.searched`,
# then the lower ID. It is computed here, so that it is alike on every database. Of more than `RANKED` records only the
# first that the database finds are put in order, because all would have to be read; the others follow by ID.


def closeness(words: Sequence[str], texts: Sequence[str | None]) -> tuple[int, int]:
    """Return the distance of a record from a search; the smallest is the best.

    :param texts: its searched fields, in their order
    :return: the number of words that it doesn't contain as whole words, and the sum of the indexes of the fields that
        contain the words
    """
    of_fields = [_words_among(words, text) for text in texts]
    unlike = distance = 0
    for word in words:
        whole = next((place for place, held in enumerate(of_fields) if word in held), None)
        begun = (place for place, held in enumerate(of_fields) if any(each.startswith(word) for each in held))
        unlike += whole is None
        distance += next(begun, len(of_fields)) if whole is None else whole
    return unlike, distance


def _words_among(words: Sequence[str], text: str | None) -> Sequence[str]:
    """The words of a text, if it has any of these."""
    if not text:
        return ()
    folded = fold(text)
    return words_of(text) if any(word in folded for word in words) else ()


def ranked(
    search: Search, words: Sequence[str], source: str, visible: Callable[..., Condition], query: ListQuery
) -> list[Any]:
    """The identifiers of one page, the best first, and of one more if there is a further page.

    :param visible: puts conditions together with those of the list and the caller
    :raises BadRequest: a cursor is set; a rank isn't a column
    """
    if query.after:
        raise wrong_fields([("after", "set `sortfield` to use a cursor with `q`")])
    size = page_size(query.limit)
    begin = 0 if size is None else size * max(query.page, 0)
    most = None if size is None else max(RANKED, size + 1)
    if not words:
        return []
    found = _found(search, words, source, visible, most, whole=True)
    if most is None or len(found) < most:
        known = {row[0] for row in found}
        begun = _found(search, words, source, visible, most, whole=False)
        found = [*found, *(row for row in begun if row[0] not in known)][:most]
    found = sorted(found, key=lambda row: (*closeness(words, row[1:]), row[0]))
    best = [row[0] for row in found]
    end = None if size is None else begin + size + 1
    if end is None or most is None or end <= most or len(best) < most:
        return best[begin:end]
    return [*best[begin:], *_others(search, words, source, visible, best, max(begin - most, 0), end - max(begin, most))]


def _others(
    search: Search,
    words: Sequence[str],
    source: str,
    visible: Callable[..., Condition],
    best: list[Any],
    offset: int,
    limit: int,
) -> list[Any]:
    """Return the IDs after the ranked ones, the lowest first."""
    mark = backend().placeholder
    others = f"{search.key} NOT IN ({', '.join([mark] * len(best))})", tuple(best)
    where, params = visible(search.condition(words), others)
    sql = f"SELECT {search.key} FROM {source} WHERE {where} ORDER BY {search.key} LIMIT {limit} OFFSET {mark}"
    return [row[0] for row in rows_of(sql, (*params, min(offset, 2**62)))]


def _found(
    search: Search,
    words: Sequence[str],
    source: str,
    visible: Callable[..., Condition],
    most: int | None,
    *,
    whole: bool,
) -> list[tuple[Any, ...]]:
    tables, condition = backend().words_source(search.searched, words, source, whole=whole)
    where, params = visible(condition)
    columns = ", ".join([search.key, *search.columns])
    order = backend().words_order
    sql = f"SELECT {columns} FROM {tables} WHERE {where}" + (f" ORDER BY {order}" if order else "")
    return rows_of(sql if most is None else f"{sql} LIMIT {most}", params)
