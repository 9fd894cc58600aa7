"""Words that many records have, on MariaDB: found by reading, for its index reads all that it has of a word first.

Of a word that every one of a million records has, the first thousand take 1.4 s by the index and 6 ms by reading. So a
few rows are looked at, in places all over the table: what is found in half of them is common.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..storage.database import query
from ..storage.search import PREFIX, wanted_words
from .row_rules import Condition

#: places that are looked at, and the rows at each
PLACES, ROWS = 10, 50
#: words of a search that are looked for there
MOST = 8


def held_words(table: str, alias: str, words: Sequence[str], *, whole: bool) -> Condition:
    """The condition for rows of a table of words that hold all of some.

    :param table: its name, quoted
    :param alias: what it is called in the statement
    :param whole: only whole words
    """
    common, together = _common(table, words[:MOST], whole=whole)
    rare = [word for word in words if word not in common]
    if not rare and not together:
        # Each is common, but seldom beside the others
        rare, common = list(words), []
    held, conditions, params = f"CONCAT(' ', {alias}.words, ' ')", [], []
    if rare:
        conditions.append(f"MATCH({alias}.words) AGAINST (%s IN BOOLEAN MODE)")
        params.append(wanted_words(rare, whole=whole))
    for word in common:
        conditions.append(f"{held} LIKE %s")
        params.append(_pattern(word, whole=whole))
    return " AND ".join(conditions), tuple(params)


def _pattern(word: str, *, whole: bool) -> str:
    return f"% {PREFIX}{word}{' ' if whole else ''}%"


def _common(table: str, words: Sequence[str], *, whole: bool) -> tuple[list[str], bool]:
    """Which words are common, and whether all of them together are; none are in a table of few rows."""
    places = " UNION ALL ".join(
        f"(SELECT {place} AS place, CONCAT(' ', words, ' ') AS held FROM {table} "
        f"WHERE id >= (SELECT MIN(id) + (MAX(id) - MIN(id)) * {place} DIV {PLACES} FROM {table}) "
        f"ORDER BY id LIMIT {ROWS})"
        for place in range(PLACES)
    )
    tests = ["held LIKE ?"] * len(words)
    counts = ", ".join(f"COUNT(DISTINCT IF({test}, place, NULL))" for test in (*tests, " AND ".join(tests)))
    patterns = [_pattern(word, whole=whole) for word in words]
    ((rows, *found, together),) = query(f"SELECT COUNT(*), {counts} FROM ({places}) AS looked_at", patterns * 2)
    if rows < PLACES * ROWS:
        return [], False
    enough = PLACES // 2
    return [word for word, number in zip(words, found, strict=True) if number >= enough], together >= enough
