"""The kinds of database errors, with what the caller and the log are told about each.

Each backend maps the codes of its errors to these kinds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import peewee

from ..common.errors import ApiError, InsufficientStorage, Unavailable


class Unreachable(peewee.OperationalError):
    """The database could not be reached a moment ago, so no attempt is made."""


class OutcomeUnknown(peewee.OperationalError):
    """The connection was lost during a COMMIT: the transaction may have been committed, or not."""


class TablesChanged(Unavailable):
    """Tables have changed since the models that a request or a job uses were loaded.

    :param is_written: something of it was committed before
    """

    def __init__(self, *, is_written: bool = False) -> None:
        super().__init__(CHANGED_SINCE if is_written else CHANGING, headers={} if is_written else {"Retry-After": "1"})


CHANGING = "the tables have just changed and the server is loading the new modules; try again in a second"
CHANGED_SINCE = "the change was made, but tables have changed since; read the record again"


class LockTimeout(peewee.OperationalError):
    """A lock that the backend itself waits for wasn't released in time; nothing was changed."""


@dataclass(frozen=True)
class DatabaseErrorKind:
    """A kind of error.

    :param error: the error that the caller gets
    :param message: its message, with what to do
    :param advice: what the log advises
    :param lost: whether the connection is no longer usable
    :param retry_after: seconds after which the caller may try again; 0: another attempt is pointless
    """

    error: type[ApiError]
    message: str
    advice: str
    lost: bool = False
    retry_after: int = 0

    def answer(self) -> ApiError:
        """Return the error that the caller gets."""
        return self.error(self.message, headers={"Retry-After": str(self.retry_after)} if self.retry_after else {})


UNREACHABLE = DatabaseErrorKind(
    Unavailable,
    "the database can't be reached; try again in a second",
    "check that it runs and accepts connections",
    lost=True,
    retry_after=1,
)
UNKNOWN_OUTCOME = DatabaseErrorKind(
    Unavailable,
    "the connection to the database was lost during the change; check whether the change was made before you try again",
    "one change may have been made even though its caller got an error",
    lost=True,
)
CONFLICT = DatabaseErrorKind(
    Unavailable,
    "another request changed the same data; nothing was changed. Try again.",
    "the database rolled back one of two conflicting changes",
    retry_after=1,
)
LOCKED = DatabaseErrorKind(
    Unavailable,
    "another request holds a lock on this data; nothing was changed. Try again.",
    "a lock was held too long; COMPTOIR_STATEMENT_TIMEOUT limits the wait for it",
    retry_after=1,
)
TOO_LONG = DatabaseErrorKind(
    Unavailable,
    "the database took too long; nothing was changed. Request fewer records, or use a narrower filter.",
    "COMPTOIR_STATEMENT_TIMEOUT limits how long a statement may take; an index may help",
)
MISSING = DatabaseErrorKind(
    ApiError,
    "",
    "a table or a column is missing: the database is older than the modules, or belongs to another server. "
    "Restart the server to create it, and run `comptoir check` to see which files can't be loaded.",
)
DENIED = DatabaseErrorKind(
    ApiError,
    "",
    "the database user lacks a privilege; grant it (for triggers, MariaDB with a binary log needs "
    "log_bin_trust_function_creators = 1)",
)
DISK_FULL = DatabaseErrorKind(
    InsufficientStorage,
    "the database's disk is full; nothing was changed",
    "free space on the database's disk",
)
READ_ONLY = DatabaseErrorKind(
    Unavailable,
    "the database is currently read-only; nothing was changed. Try again later.",
    "check whether it is a replica, and whether the server may write its files",
    # A new connection to the same name may lead to another server
    lost=True,
    retry_after=10,
)
TABLE_CHANGED = DatabaseErrorKind(
    Unavailable,
    "a table has just changed; nothing was changed by this request. Try again.",
    "PostgreSQL had prepared statements for the table as it was before",
    # A new connection has no prepared statements
    lost=True,
    retry_after=1,
)

#: the kinds of errors that backends raise themselves
OWN_KINDS: dict[type[BaseException], DatabaseErrorKind] = {
    Unreachable: UNREACHABLE,
    OutcomeUnknown: UNKNOWN_OUTCOME,
    LockTimeout: LOCKED,
}

UNIQUE, REFERENCE, NULL = "unique", "reference", "null"


class IntegrityProblem(NamedTuple):
    """The constraint that a row breaks.

    :param rule: `UNIQUE`, `REFERENCE`, `NULL`, or empty: another one
    :param table: the table of the row; empty: the database doesn't say
    :param columns: the columns of the constraint; empty: the database doesn't say
    """

    rule: str
    table: str = ""
    columns: tuple[str, ...] = ()


def kinds_by_code(codes: dict[DatabaseErrorKind, str]) -> dict[str, DatabaseErrorKind]:
    """Return the kind of each code.

    :param codes: the codes of each kind, separated by spaces
    """
    return {code: kind for kind, listed in codes.items() for code in listed.split()}


def reason_of(error: BaseException) -> str:
    """Return the message of an error of the database, or of Python, in one line."""
    said = error.args[1] if len(error.args) > 1 and isinstance(error.args[1], str) else str(error)
    return said.strip().partition("\n")[0][:500] or type(error).__name__
