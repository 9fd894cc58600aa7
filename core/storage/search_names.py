"""The names of search tables, indexes and triggers, which differ from those of records."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

#: how the names of search tables and indexes begin; the second is only dropped, an older server may have made it
WORDS, TRIGRAMS = "comptoir_words_", "comptoir_trigrams_"


def search_name(start: str, table: str, end: str = "") -> str:
    """Return the name of a search table, index or trigger, short enough for every database."""
    name = f"{start}{table}{end}"
    if len(name) <= 55:
        return name
    return f"{name[:46]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def is_search_name(name: str) -> bool:
    """Return whether a table or an index, or a part of one, is for searching."""
    return name.startswith((WORDS, TRIGRAMS))


def kept_name(table: str) -> str:
    """Return the name of the row of `comptoir_table` about what is made to search a table."""
    return f"{table} search"


class SearchedTable:
    """A table whose texts are searched.

    :param columns: the columns that are searched, and how many of their characters; 0: all
    :param quote: quotes a name for the current database
    :ivar name: its name; all other names are quoted
    :ivar words: the table or index of its words
    :ivar is_made: whether the database has what `Backend.make_search` makes
    """

    def __init__(self, name: str, key: str, columns: Mapping[str, int], quote: Callable[[str], str]) -> None:
        self.name, self._quote = name, quote
        self.table, self.key = quote(name), quote(key)
        self.words = quote(search_name(WORDS, name))
        self.columns = [quote(column) for column in columns]
        self._lengths = [*columns.values()]
        self.is_made = False

    def texts(self, alias: str) -> list[str]:
        """Return the SQL of what is searched of each column.

        :param alias: what is before a column, with its dot
        """
        return [
            f"SUBSTR({alias}{column}, 1, {length})" if length else f"{alias}{column}"
            for column, length in zip(self.columns, self._lengths, strict=True)
        ]

    def trigger(self, event: str) -> str:
        """Return the name of the trigger that keeps the words.

        :param event: INSERT, UPDATE or DELETE
        """
        return self._quote(search_name(WORDS, self.name, f"_{event.lower()}"))
