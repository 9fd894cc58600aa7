"""The contract of a database: `sqlite.py`, `postgresql.py` and `mysql.py` implement it.

Nothing else asks which database it is: whatever differs is a method or an attribute here. `RetryingDatabase` has what
all of them do alike. A further database is a further file.
"""

from __future__ import annotations

from .retrying_database import RetryingDatabase


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

    # Values and columns ----------------------------------------------------------------------------------------------

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

    # Searching words -------------------------------------------------------------------------------------------------

    # Errors ----------------------------------------------------------------------------------------------------------

    # Tables ----------------------------------------------------------------------------------------------------------

    #: what a generated key needs so that no ID is given again; empty: nothing
    key_constraint = ""

    def table_settings(self) -> list[str]:
        """Return what a `CREATE TABLE` ends with."""
        return []

    # Changing tables -------------------------------------------------------------------------------------------------

    # Audit trail -----------------------------------------------------------------------------------------------------

    # Copies ----------------------------------------------------------------------------------------------------------
