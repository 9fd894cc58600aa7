"""Searching records: `q` of lists, and what spares a `like` in the middle of words to read the whole table.

What finds rows here is made by `schema/search_tables.py`. Which rows are found never depends on it: where it is missing
they are found by reading, on MariaDB and PostgreSQL, and by `like` everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import peewee

from ..common.errors import wrong_fields
from ..storage.database import backend, database, dialect_name, query, quote, rows_of
from ..storage.database_errors import classify_error
from ..storage.error_kinds import MISSING
from ..storage.model import Model, meta_of
from ..storage.search import (
    BLIND,
    PREFIX,
    fold,
    looked_into,
    search_digest,
    searched_fields,
    trigram_phrases,
    wanted_words,
    words_expression,
    words_of,
)  # fmt: skip
from ..storage.search_names import TRIGRAMS, WORDS, kept_name, search_name
from .lists import ListQuery, page_size
from .row_rules import NOTHING, Condition

#: letters of a search
LONGEST = 200
#: records that are put in order
RANKED = 1000
#: rows that a part of a pattern may be in so that they are looked at one by one, instead of the whole table
FEW = 5_000

#: MariaDB's condition for rows of a table of words
_MATCHES = "MATCH(searched.words) AGAINST (%s IN BOOLEAN MODE)"


class Search:
    """How the records of one model are searched; kept with the plan that reads them."""

    def __init__(self, model: type[Model]) -> None:
        meta = meta_of(model)
        self.fields: list[Any] = searched_fields(model)
        table = str(meta.table_name)
        self.words_table, self._trigrams = quote(search_name(WORDS, table)), quote(search_name(TRIGRAMS, table))
        self.key = f"t.{quote(meta.primary_key.column_name)}"
        #: what of a row is looked at, to put it in order
        self.columns = [looked_into(field, "t.") for field in self.fields]
        # The indexes of others have an order of their own: all that is found would be read and sorted
        self.order = "searched.rowid" if dialect_name() == "sqlite" else ""
        made = _made(table) if self.fields else ""
        self.is_made = made in ((search_digest(model), search_digest(model, trigrams=False)) if made else ())
        self._finds_middles = self.is_made and dialect_name() == "sqlite"
        self._bits = {field.column_name: place for place, field in enumerate(self.fields)}

    def words(self, text: str) -> list[str]:
        """The words of a search.

        :raises BadRequest: nothing can be searched, or too much is asked for
        """
        if not self.fields:
            raise wrong_fields([("q", "these records have no fields to search; use sqlfilters")])
        if not self.is_made and dialect_name() == "sqlite":
            raise wrong_fields([("q", "this database can't search; use sqlfilters")])
        if len(text) > LONGEST:
            raise wrong_fields([("q", f"expected at most {LONGEST} characters, got {len(text)}")])
        return list(dict.fromkeys(words_of(text)))

    def condition(self, words: Sequence[str], *, whole: bool = False) -> Condition:
        """The condition for rows that have all of these words, or words that begin with them.

        :param whole: only whole words
        """
        if not words:
            return NOTHING
        wanted, table = wanted_words(words, whole=whole), self.words_table
        kind = dialect_name()
        if kind == "postgresql":
            return f"{words_expression(self.fields, 't.')} @@ CAST(%s AS tsquery)", (wanted,)
        if kind == "sqlite":
            return f"{self.key} IN (SELECT rowid FROM {table} WHERE {table} MATCH ?)", (wanted,)
        if self.is_made:
            return f"{self.key} IN (SELECT searched.id FROM {table} AS searched WHERE {_MATCHES})", (wanted,)
        held = f"CONVERT(CONCAT(' ', {words_expression(self.fields, 't.')}, ' ') USING utf8mb4)"
        text = f"{held} COLLATE {BLIND} LIKE %s"
        patterns = tuple(f"% {PREFIX}{word}{' ' if whole else ''}%" for word in words)
        return f"({' AND '.join([text] * len(words))})", patterns

    def found_first(self, words: Sequence[str], source: str, *, whole: bool) -> tuple[str, Condition]:
        """Where rows are taken from that have these words, some of many: the tables, and the condition."""
        wanted = (wanted_words(words, whole=whole),)
        # Row by row out of the index: whoever wants few does not wait for all
        if dialect_name() == "sqlite":
            found = f"searched.{self.words_table} MATCH ? AND {self.key} = searched.rowid"
            return f"{self.words_table} AS searched CROSS JOIN {source}", (found, wanted)
        if dialect_name() == "mysql" and self.is_made:
            found = f"{_MATCHES} AND {self.key} = searched.id"
            return f"{self.words_table} AS searched STRAIGHT_JOIN {source}", (found, wanted)
        return source, self.condition(words, whole=whole)

    def among(self, column: str) -> Callable[[str], Condition | None] | None:
        """What narrows a `like` on a column down, where few rows come into question; None: nothing ever does."""
        place = self._bits.get(column)
        if place is None or not self._finds_middles:
            return None
        table = self._trigrams

        def narrow(pattern: str) -> Condition | None:
            phrases = trigram_phrases(pattern)
            if not phrases:
                return None
            wanted = f"c{place} : ({' AND '.join(phrases)})"
            found = f"SELECT rowid FROM {table} WHERE {table} MATCH ?"
            if database.execute_sql(f"{found} LIMIT 1 OFFSET {FEW}", (wanted,)).fetchone():
                return None
            return f"{self.key} IN ({found})", (wanted,)

        return narrow


def _made(table: str) -> str:
    """What a table was made to be searched by; empty: nothing."""
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
    """How near a record is to what was searched for; the smallest is the nearest.

    :param texts: what it holds in the fields that are searched, in their order
    :return: how many words it has no whole word for, and the sum of the places of the fields that they are found in
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
    """The identifiers of one page, the best first.

    :param visible: puts conditions together with those of the list and the caller
    :raises BadRequest: a cursor, for a rank is no column
    """
    if query.after:
        raise wrong_fields([("after", "set `sortfield` to use a cursor with `q`")])
    size = page_size(query.limit)
    begin = 0 if size is None else size * max(query.page, 0)
    most = None if size is None else max(RANKED, size)
    if not words:
        return []
    found = _found(search, words, source, visible, most, whole=True)
    if most is None or len(found) < most:
        known = {row[0] for row in found}
        begun = _found(search, words, source, visible, most, whole=False)
        found = [*found, *(row for row in begun if row[0] not in known)][:most]
    found = sorted(found, key=lambda row: (*closeness(words, row[1:]), row[0]))
    best = [row[0] for row in found]
    end = None if size is None else begin + size
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
    """The identifiers behind those that are put in order, the lowest first."""
    mark = backend().placeholder
    besides = f"{search.key} NOT IN ({', '.join([mark] * len(best))})", tuple(best)
    where, params = visible(search.condition(words), besides)
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
    tables, condition = search.found_first(words, source, whole=whole)
    where, params = visible(condition)
    columns = ", ".join([search.key, *search.columns])
    order = f" ORDER BY {search.order}" if search.order else ""
    limit = "" if most is None else f" LIMIT {most}"
    return rows_of(f"SELECT {columns} FROM {tables} WHERE {where}{order}{limit}", params)
