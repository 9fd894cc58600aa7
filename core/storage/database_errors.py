"""The meaning of an error of the current database."""

from __future__ import annotations

from .database import database
from .error_kinds import UNREACHABLE, DatabaseErrorKind


def classify_error(error: BaseException) -> DatabaseErrorKind | None:
    """Return the kind of an error of the database, or of its driver; None: unknown."""
    return database.obj.classify(error) if database.obj is not None else None


def is_unreachable(error: BaseException) -> bool:
    """Return whether an error says that the database is unreachable, which is logged elsewhere."""
    return classify_error(error) is UNREACHABLE


def is_temporary(error: BaseException) -> bool:
    """Return whether another attempt may succeed."""
    kind = classify_error(error)
    return kind is not None and bool(kind.retry_after)
