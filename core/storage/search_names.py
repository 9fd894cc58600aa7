"""What is made for searches is called so that nobody takes it for a table of records."""

from __future__ import annotations

import hashlib

#: what the names of search tables and indexes begin with: nobody else's tables do
WORDS, TRIGRAMS = "comptoir_words_", "comptoir_trigrams_"


def search_name(start: str, table: str, end: str = "") -> str:
    """The name of a search table, index or trigger, as short as every database wants it."""
    name = f"{start}{table}{end}"
    if len(name) <= 55:
        return name
    return f"{name[:46]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def is_search_name(name: str) -> bool:
    """Whether a table or an index is one that is made here, or a part of one."""
    return name.startswith((WORDS, TRIGRAMS))


def kept_name(table: str) -> str:
    """The row of `comptoir_table` that says what is made for a table."""
    return f"{table} search"
