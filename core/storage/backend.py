"""The contract of a database: `sqlite.py`, `postgresql.py` and `mysql.py` implement it.

Nothing else asks which database it is: whatever differs is a method or an attribute here. `RetryingDatabase` has what
all of them do alike. A further database is a further file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .error_kinds import (
    UNKNOWN_OUTCOME,
    UNREACHABLE,
    DatabaseErrorKind,
    IntegrityProblem,
    OutcomeUnknown,
    Unreachable,
)
from .retrying_database import RetryingDatabase


class Backend(RetryingDatabase):
    """A kind of database.

    :ivar name: what URLs, tests and copies call it
    """

    name = ""

    # Statements ------------------------------------------------------------------------------------------------------

    #: what a statement has for a value that is bound
    placeholder = "%s"

    def data_version(self) -> Any:
        """Return a value that changes when another connection commits."""
        raise NotImplementedError

    def driver_sql(self, sql: str) -> str:
        """Return portable SQL, with ``?`` for each value, as the driver takes it."""
        raise NotImplementedError

    # Values and columns ----------------------------------------------------------------------------------------------

    #: whether exact decimals are kept as whole numbers, in units of their last decimal place
    scaled_decimals = False
    #: whether dates and times are kept as text
    dates_as_text = False
    #: bytes that a text column without a length holds; 0: any number
    max_text_bytes = 0

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

    #: what the code of an error means
    error_kinds: Mapping[str, DatabaseErrorKind] = {}
    #: codes of errors after which nothing of the transaction is left once it has been rolled back
    undone_codes: frozenset[str] = frozenset()
    #: codes of errors that another attempt to connect doesn't change
    refused_codes: frozenset[str] = frozenset()

    def error_code(self, error: BaseException) -> str:
        """Return the code of an error, or of peewee's error about it; empty: it isn't one of this database."""
        raise NotImplementedError

    def closed_code(self, error: BaseException, drivers: Sequence[str]) -> str:
        """Return `closed` if an error without a code says that the connection is closed, or can't be made.

        :param drivers: names of the modules that raise such errors; peewee also does
        """
        names = {base.__name__ for base in type(error).__mro__}
        raised_by = type(error).__module__.partition(".")[0]
        is_closed = names & {"OperationalError", "InterfaceError"} and raised_by in ("peewee", *drivers)
        return "closed" if is_closed else ""

    def classify(self, error: BaseException) -> DatabaseErrorKind | None:
        """Return what an error of the database, or of its driver, means; None: something else."""
        original = getattr(error, "orig", error)
        if isinstance(original, Unreachable):
            return UNREACHABLE
        if isinstance(original, OutcomeUnknown):
            return UNKNOWN_OUTCOME
        return self.error_kinds.get(self.error_code(error))

    def is_worth_waiting(self, error: BaseException) -> bool:
        """Return whether a database that could not be connected to may respond soon, rather than reject for good."""
        return self.error_code(error) not in self.refused_codes

    def integrity_problem(self, error: BaseException, table: str) -> IntegrityProblem:
        """Return which constraint a row breaks.

        :param error: an error of peewee
        :param table: the table that was written
        """
        raise NotImplementedError

    # Tables ----------------------------------------------------------------------------------------------------------

    #: what a generated key needs so that no ID is given again; empty: nothing
    key_constraint = ""

    def table_settings(self) -> list[str]:
        """Return what a `CREATE TABLE` ends with."""
        return []

    # Changing tables -------------------------------------------------------------------------------------------------

    # Audit trail -----------------------------------------------------------------------------------------------------

    # Copies ----------------------------------------------------------------------------------------------------------
