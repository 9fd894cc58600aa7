"""What may go wrong with a database: a table of its errors, with what the caller and the log are told of each."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass

import peewee

from ..common.errors import ApiError, InsufficientStorage, Unavailable


class Unreachable(peewee.OperationalError):
    """The database could not be reached a moment ago, so nobody tries now."""


class OutcomeUnknown(peewee.OperationalError):
    """The connection was lost while a transaction was being committed: it may have been, or not."""


@dataclass(frozen=True)
class DatabaseErrorKind:
    """A kind of trouble.

    :param codes: the errors that mean it, separated by spaces: SQLSTATEs of PostgreSQL (``08`` is all that begin so),
        numbers of MariaDB and MySQL, names of SQLite, words of ours
    :param error: what the caller is answered
    :param message: what the caller is told, with what to do
    :param advice: what the log says to do
    :param lost: whether the connection is of no use any more
    :param retry_after: seconds after which to try again; 0: trying again is of no use
    """

    codes: str
    error: type[ApiError]
    message: str
    advice: str
    lost: bool = False
    retry_after: int = 0

    def answer(self) -> ApiError:
        """The error that is answered."""
        return self.error(self.message, headers={"Retry-After": str(self.retry_after)} if self.retry_after else {})


UNREACHABLE = DatabaseErrorKind(
    "unreachable closed 08 57P01 57P02 57P03 57P05 25P03 53300 3D000 28P01 28000 "
    "0 1040 1042 1043 1044 1045 1047 1049 1053 1129 1130 1158 1159 1160 1161 1203 1226 1698 1927 2002 2003 2005 2006 "
    "2013 2055 3169 4031 SQLITE_CANTOPEN SQLITE_IOERR SQLITE_CORRUPT SQLITE_NOTADB SQLITE_READONLY_DBMOVED",
    Unavailable,
    "the database can't be reached; try again in a second",
    "check that it runs and accepts connections",
    lost=True,
    retry_after=1,
)
UNKNOWN_OUTCOME = DatabaseErrorKind(
    "unknown",
    Unavailable,
    "the connection to the database was lost during the change; check whether the change was made before you try again",
    "one change may have been made even though its caller got an error",
    lost=True,
)
CONFLICT = DatabaseErrorKind(
    "40001 40P01 1020 1213 SQLITE_BUSY_SNAPSHOT",
    Unavailable,
    "another request changed the same data; nothing was changed. Try again.",
    "the database rolled back one of two conflicting changes",
    retry_after=1,
)
TOO_LONG = DatabaseErrorKind(
    "57014 1317 1969 3024 SQLITE_INTERRUPT",
    Unavailable,
    "the database took too long; nothing was changed. Request fewer records, or use a narrower filter.",
    "COMPTOIR_STATEMENT_TIMEOUT limits how long a statement may take; an index may help",
)
MISSING = DatabaseErrorKind(
    "missing 42P01 42703 1054 1146 1932",
    ApiError,
    "",
    "a table or a column is missing: the database is older than the modules, or belongs to another server. "
    "Restart the server to create it, and run `comptoir check` to see which files can't be loaded.",
)
DENIED = DatabaseErrorKind(
    "1142 1143 1227 1370 1419 42501",
    ApiError,
    "",
    "the database user lacks a privilege; grant it (for triggers, MariaDB with a binary log needs "
    "log_bin_trust_function_creators = 1)",
)
DISK_FULL = DatabaseErrorKind(
    "53100 1021 1026 1114 SQLITE_FULL",
    InsufficientStorage,
    "the database's disk is full; nothing was changed",
    "free space on the database's disk",
)
READ_ONLY = DatabaseErrorKind(
    "25006 1290 1792 1836 SQLITE_READONLY",
    Unavailable,
    "the database is currently read-only; nothing was changed. Try again later.",
    "check whether it is a replica, and whether the server may write its files",
    # Behind one name there may be another server by now
    lost=True,
    retry_after=10,
)
ERROR_KINDS = (
    UNREACHABLE,
    UNKNOWN_OUTCOME,
    DatabaseErrorKind(
        "replanned",
        Unavailable,
        "a table has just changed; nothing was changed by this request. Try again.",
        "PostgreSQL had prepared statements for the table as it was before",
        # A new one has prepared nothing
        lost=True,
        retry_after=1,
    ),
    DatabaseErrorKind(
        "55P03 1205 3572 SQLITE_BUSY SQLITE_LOCKED",
        Unavailable,
        "another request holds a lock on this data; nothing was changed. Try again.",
        "a lock was held too long; COMPTOIR_STATEMENT_TIMEOUT limits the wait for it",
        retry_after=1,
    ),
    CONFLICT,
    TOO_LONG,
    DISK_FULL,
    READ_ONLY,
    MISSING,
    DENIED,
)

_BY_CODE = {code: trouble for trouble in ERROR_KINDS for code in trouble.codes.split()}
#: those after which nothing of a transaction is left once it has been rolled back, so that it may be done again
UNDONE = frozenset(["40001", "40P01", "1020", "1205", "1213", "SQLITE_BUSY_SNAPSHOT"])
#: those of UNREACHABLE that stay: no right, no such user, no such database, no such file
REFUSED = frozenset(["3D000", "28P01", "28000", "1044", "1045", "1049", "1698", "SQLITE_CANTOPEN"])
#: whose errors the table is about, besides SQLite's
_DRIVERS = ("peewee", "psycopg", "pymysql", "MySQLdb")
#: numbers of MariaDB that one of its drivers takes for another kind of error
DATA_ERRORS = {1118, 1264, 1265, 1292, 1366, 1406}


def classify_error(error: BaseException) -> DatabaseErrorKind | None:
    """The kind of trouble that an error of a database, or of its driver, means; None: none that we know."""
    code = _code(error)
    known = _BY_CODE.get(code) or _BY_CODE.get(code[:2]) or _BY_CODE.get(_without_detail(code))
    return known if code else None


def _without_detail(code: str) -> str:
    """`SQLITE_IOERR` of `SQLITE_IOERR_WRITE`."""
    return "_".join(code.split("_")[:2])


def _code(error: BaseException) -> str:
    """What stands for an error in the table."""
    original = getattr(error, "orig", error)
    if isinstance(original, Unreachable):
        return "unreachable"
    if isinstance(original, OutcomeUnknown):
        return "unknown"
    if isinstance(original, sqlite3.Error):
        return _sqlite_code(original)
    if type(original).__module__.partition(".")[0] not in _DRIVERS:
        return ""
    if error.args and isinstance(error.args[0], int):
        return str(error.args[0])
    state = getattr(original, "sqlstate", None) or getattr(original, "pgcode", None)
    if state == "0A000" and getattr(getattr(original, "diag", None), "source_function", "") == "RevalidateCachedQuery":
        return "replanned"
    # What a driver finds out by itself has no state: that the connection is gone, or cannot be made
    kinds = {base.__name__ for base in type(original).__mro__}
    return str(state or ("closed" if kinds & {"OperationalError", "InterfaceError"} else ""))


def _sqlite_code(error: sqlite3.Error) -> str:
    text = str(error)
    if "no such table" in text or "no such column" in text or "has no column" in text:
        return "missing"
    if "closed database" in text:
        return "closed"
    return str(getattr(error, "sqlite_errorname", None) or "")


def is_unreachable(error: BaseException) -> bool:
    """Whether an error says that the database is away: that has been logged, and passes."""
    return classify_error(error) is UNREACHABLE


def is_temporary(error: BaseException) -> bool:
    """Whether an error may be gone by itself, so that it makes sense to try again."""
    trouble = classify_error(error)
    return trouble is not None and bool(trouble.retry_after)


def is_undone(error: BaseException) -> bool:
    """Return whether an error says that the database undid the transaction, or does once it is rolled back."""
    return _code(error) in UNDONE


#: what PostgreSQL says when it is there and waiting helps; every other FATAL stays
_PASSING = re.compile(r"starting up|shutting down|recovery|too many|connection slots|terminating connection")


def is_worth_waiting(error: BaseException) -> bool:
    """Whether a database that could not be connected to may answer in a moment, rather than refuse for good."""
    if _without_detail(_code(error)) in REFUSED:
        return False
    return "FATAL" not in str(error) or bool(_PASSING.search(str(error)))


def reason_of(error: BaseException) -> str:
    """What a database, or Python, says was wrong, in one line."""
    said = error.args[1] if len(error.args) > 1 and isinstance(error.args[1], str) else str(error)
    return said.strip().partition("\n")[0][:500] or type(error).__name__
