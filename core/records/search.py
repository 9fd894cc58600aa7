"""Searching records: `q` of lists.

`schema/search_tables.py` makes the indexes. Without one, PostgreSQL and MariaDB find the same rows by reading tables.
"""

from __future__ import annotations

import peewee

from ..common.errors import BadRequest
from ..storage.database import backend, classify_error, query
from ..storage.error_kinds import MISSING
from ..storage.model import Model, search_digest, searched_table
from ..storage.texts import kept_name, words_of
from .row_rules import NOTHING, Condition

#: characters of a search
LONGEST = 200


class Search:
    """The search of one model's records; cached with the plan that reads them."""

    def __init__(self, model: type[Model]) -> None:
        self.searched = searched_table(model)
        self.searched.is_made = bool(self.searched.columns) and _made(self.searched.name) == search_digest(model)

    def condition(self, text: str, *, by_id: bool | None = None) -> Condition:
        """Return the condition for rows that have all words of a text, or words that begin with them.

        :param by_id: whether the list is in the order of the ID; None: all rows are read, not only a page
        :raises BadRequest: the records or the database can't be searched, or the text is too long
        """
        if not self.searched.columns:
            raise BadRequest(errors=[("q", "these records have no fields to search; use sqlfilters")])
        if not self.searched.is_made and not backend().searches_unindexed:
            raise BadRequest(errors=[("q", "this database can't search; use sqlfilters")])
        if len(text) > LONGEST:
            raise BadRequest(errors=[("q", f"expected at most {LONGEST} characters, got {len(text)}")])
        words = list(dict.fromkeys(words_of(text)))
        if not words:
            return NOTHING
        if by_id is None:
            return backend().words_condition(self.searched, words)
        return backend().page_condition(self.searched, words, by_id=by_id)


def _made(table: str) -> str:
    """Return the digest of the search index of a table; empty: it has none."""
    try:
        found = query("SELECT digest FROM comptoir_table WHERE name = ?", (kept_name(table),))
    except peewee.DatabaseError as error:
        if classify_error(error) is not MISSING:
            raise
        return ""
    return str(found[0][0]) if found else ""
