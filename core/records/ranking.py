"""Which of the records that a search has found come first: alike on every database, for it is worked out here.

Whole words come before words that only begin so, then what is found in an earlier field of `Meta.searched`, then the
lower identifier. Of more than `RANKED` the first that the database finds are put in order, those with whole words
before others, for all of a hundred thousand would have to be read; the rest follows by its identifiers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..common.errors import wrong_fields
from ..storage.database import dialect, rows_of
from ..storage.search import fold, words_of
from .lists import ListQuery, page_size
from .row_rules import Condition
from .search import Search

#: records that are put in order
RANKED = 1000


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
    mark = dialect().placeholder
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
