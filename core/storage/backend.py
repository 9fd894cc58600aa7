"""The contract of a database: `sqlite.py`, `postgresql.py` and `mysql.py` implement it.

Nothing else asks which database it is: whatever differs is a method or an attribute here. `RetryingDatabase` has what
all of them do alike. A further database is a further file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from .retrying_database import RetryingDatabase
from .search_names import SearchedTable

#: the SQL of a condition, and what it binds
Condition = tuple[str, tuple[Any, ...]]


class Backend(RetryingDatabase):
    """A kind of database.

    :ivar name: what URLs, tests and copies call it
    """

    name = ""

    # Statements ------------------------------------------------------------------------------------------------------

    #: what a statement has for a value that is bound
    placeholder = "%s"

    def driver_sql(self, sql: str) -> str:
        """Return portable SQL, with ``?`` for each value, as the driver takes it."""
        raise NotImplementedError

    #: whether one transaction writes at a time, and the others wait: rows need no locks
    one_writer = False

    def lock_rows(self, sql: str, *, skip_locked: bool = False) -> str:
        """Return a SELECT that locks the rows it finds until the transaction ends.

        :param skip_locked: leave out the rows that others have locked
        """
        return sql if self.one_writer else f"{sql} FOR UPDATE{' SKIP LOCKED' if skip_locked else ''}"

    #: whether a foreign key is checked after each row of a DELETE, and not after all of them
    checks_references_by_row = False

    def returning(self, key: str, rows: int = 1) -> str:
        """Return what an INSERT must end with so that `inserted_ids` finds the IDs of its rows.

        :param key: the SQL of the primary key
        """
        return ""

    def inserted_ids(self, cursor: Any, rows: int, key: str = "") -> list[Any]:
        """Return the IDs of the rows that an INSERT has just written, in their order; empty: unknown.

        :param key: the column of the primary key, if the INSERT returns columns of its author's choice. The rows that
            it returns can still be fetched
        """
        returned = cursor.fetchall()
        if not key:
            return [row[0] for row in returned]
        cursor.scroll(0, mode="absolute")
        place = next((at for at, each in enumerate(cursor.description) if each[0] == key), None)
        return [] if place is None else [row[place] for row in returned]

    def upsert(self, insert: str, key: str, changes: str) -> str:
        """Return an INSERT that changes the row with the same key instead if there is one.

        :param key: the columns of the unique key
        :param changes: assignments as after SET; ``excluded`` is the row that can't be inserted. A column is read
            before it is assigned: some databases assign from left to right
        """
        return f"{insert} ON CONFLICT ({key}) DO UPDATE SET {changes}"

    #: the statement after which a transaction is committed without waiting for the disk; empty: there is none
    asynchronous_commit = ""

    @contextmanager
    def synchronous_off(self) -> Iterator[None]:
        """Commit without waiting for the disk, if a connection can; begin outside of a transaction."""
        yield

    def asynchronous_insert(self, table: str, columns: Sequence[str]) -> str:
        """Return an INSERT, in portable SQL, that is committed without waiting for the disk.

        If the row is there already, it inserts nothing or fails with an `IntegrityError`.
        """
        return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"

    #: the query for about how many rows a table has, by its name; empty: only a count can say
    estimate_query = ""

    def estimate_rows(self, table: str) -> int:
        """Return about how many rows a table has, without reading it; 0: unknown."""
        found = self.execute_sql(self.estimate_query, (table,)).fetchone() if self.estimate_query else None
        return int(found[0] or 0) if found else 0

    # Values and columns ----------------------------------------------------------------------------------------------

    #: the type of a column for several of the longest texts
    long_text_type = "TEXT"

    def sum_columns(self, sql: str) -> tuple[str, ...]:
        """Return what to select for the exact sum of a number: the sum, or its upper part and its lower 32 bits.

        :param sql: the SQL of a column
        """
        return (f"SUM({sql})",)

    # Comparing and sorting text --------------------------------------------------------------------------------------

    #: the operator of patterns that ignores case, and what makes the backslash the escape character of a pattern
    like, escape = "LIKE", ""
    #: the type that `CAST` has for a text
    text_type = "TEXT"

    def like_operand(self, sql: str) -> str:
        """Return the SQL of what a pattern is compared with.

        :param sql: the SQL of a text
        """
        return sql

    def like_pattern(self, pattern: str) -> str:
        """Return a pattern as it is bound."""
        return pattern

    def like_condition(self, sql: str, pattern: str) -> tuple[str, tuple[str, ...]] | None:
        """Return the condition, with what it binds, for a pattern that `like` alone doesn't express; None: it does.

        :param sql: the SQL of a text
        """
        return None

    def ordering_operand(self, sql: str) -> str:
        """Return the SQL of a text that is compared as less or greater."""
        return sql

    def sort_key(self, sql: str) -> str:
        """Return the SQL of what a text is sorted by: case is ignored, accents count."""
        raise NotImplementedError

    def sort_index(self, sql: str, *, null: bool) -> str:
        """Return the SQL of a text in an index for sorted lists; empty: the database can't have such an index.

        :param null: whether the column may be NULL
        """
        return ""

    def nulls_order(self, *, descending: bool) -> str:
        """Return what follows ASC or DESC so that NULL is less than every value."""
        return ""

    # Searching words -------------------------------------------------------------------------------------------------
    #
    # `storage/search.py` says what a word is. In conditions the table that is searched is `t`

    #: whether words are also found without what `make_search` makes, by reading the table
    searches_unindexed = True
    #: what rows found by words are sorted by, at no cost; empty: nothing
    words_order = ""
    #: what `make_search` makes for a table: the kind, as in DROP
    search_parts = "TABLE"
    #: whether `trigram_condition` finds rows; elsewhere an index, if there is one, serves `like` directly
    has_trigram_table = False

    def can_make_searches(self) -> bool:
        """Return whether the database has what `make_search` needs; log what is missing, once."""
        return True

    def has_trigrams(self, *, make: bool = False) -> bool:
        """Return whether nothing is left to install that trigrams need.

        :param make: try to install it
        """
        return True

    def make_search(self, searched: SearchedTable) -> bool:
        """Create what finds the words and trigrams of a table; return whether it has trigrams.

        :raises peewee.OperationalError: the database isn't set up for it
        """
        raise NotImplementedError

    def fill_search(self, searched: SearchedTable) -> list[str]:
        """Return the statements that enter the rows of a range of IDs: above the first value, up to the second."""
        return []

    def words_condition(self, searched: SearchedTable, words: Sequence[str], *, whole: bool) -> Condition:
        """Return the condition for rows with all of these words.

        :param whole: only whole words, not words that begin so
        """
        raise NotImplementedError

    def words_source(
        self, searched: SearchedTable, words: Sequence[str], source: str, *, whole: bool
    ) -> tuple[str, Condition]:
        """Return the tables and the condition to find the first of many rows with all of these words.

        :param source: the tables to read, `t` among them
        """
        return source, self.words_condition(searched, words, whole=whole)

    def trigram_condition(self, searched: SearchedTable, column: int, pattern: str, most: int) -> Condition | None:
        """Return a condition that every row fitting a pattern meets; None: more than `most` rows do, or all.

        :param column: its position among those that are searched
        """
        return None

    # Errors ----------------------------------------------------------------------------------------------------------

    # Tables ----------------------------------------------------------------------------------------------------------

    #: what a generated key needs so that no ID is given again; empty: nothing
    key_constraint = ""

    def table_settings(self) -> list[str]:
        """Return what a `CREATE TABLE` ends with."""
        return []

    # Changing tables -------------------------------------------------------------------------------------------------

    # Audit trail -----------------------------------------------------------------------------------------------------

    #: whether creating a trigger may need a privilege that the owner of the tables lacks
    restricts_triggers = False

    #: the query for the names of the triggers of a table, by its name, without those that are disabled
    triggers_query = ""

    def trigger_names(self, table: str) -> list[str]:
        """Return the names of the triggers of a table."""
        return [name for (name,) in self.run(self.triggers_query, (table,)).fetchall()]

    def append_only(self, table: str, message: str) -> dict[str, list[str]]:
        """Return the statements that make a table append-only, by the name of the trigger or table they create.

        Its rows can't be changed or deleted except within `changes_allowed`, and it can't be emptied.

        :param message: what such a statement fails with
        """
        raise NotImplementedError

    def changes_allowed(self, table: str, message: str) -> AbstractContextManager[None]:
        """Let a transaction that has begun change and delete rows of an append-only table."""
        raise NotImplementedError

    # Copies ----------------------------------------------------------------------------------------------------------
