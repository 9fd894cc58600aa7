"""Named errors: what a module raises, and the status each is answered with.

A module raises the error that says what is wrong; only ``core/web/answers.py`` turns it into an answer. Which status
means what is told in ``modules/BEHAVIOUR.md``, section "Errors".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cache
from itertools import islice
from typing import Any

#: what a message begins with, as clients of the reference expect; a status that is not here shows only its own text
STANDARD_TEXTS = {
    304: "Not Modified",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    406: "Not Acceptable",
    408: "Request Timeout",
    409: "Conflict",
    412: "Precondition Failed",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    422: "Unprocessable Content",
    429: "Too Many Requests",
    500: "Internal Server Error",
    501: "Not Implemented",
    503: "Service Unavailable",
    507: "Insufficient Storage",
}


#: wrong fields that an answer names; a body may hold many more
MOST_ERRORS = 1000


class ApiError(Exception):
    """A failure with a status that the caller is told.

    :param message: what is wrong and what was expected; shown to the caller
    :param errors: several wrong fields at once, each a field name and a message
    :param details: further keys of the ``error`` object of the answer
    :param headers: further headers of the answer
    :param status: another status than the class's own
    """

    status = 500
    #: whether the message begins with the status's standard text
    standard = True

    def __init__(
        self,
        message: str = "",
        *,
        errors: list[tuple[str, str]] | None = None,
        details: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status or type(self).status
        self.message = message
        self.errors = errors or []
        self.details = details or {}
        self.headers = headers or {}

    def body(self) -> dict[str, Any]:
        """The object that is answered, in the reference's shape: ``{"error": {"code": …, "message": …}}``."""
        standard = STANDARD_TEXTS.get(self.status, "") if self.standard else ""
        error: dict[str, Any] = {
            "code": self.status,
            "message": ": ".join(part for part in (standard, self.message or self._first()) if part),
        }
        if self.errors:
            error["errors"] = [{"field": field, "message": message} for field, message in self.errors[:MOST_ERRORS]]
        return {"error": {**error, **self.details}}

    def _first(self) -> str:
        """The message of an error that has none of its own: that of its first field."""
        return self.errors[0][1] if self.errors else ""


class Unchanged(ApiError):
    """The action had been done before, so nothing changed; only the profile ``dolibarr16`` answers 304."""

    status = 304


class BadRequest(ApiError):
    """The request is malformed: a mandatory value is empty, or a value does not fit."""

    status = 400


class Unauthorized(ApiError):
    """No valid key, or the caller lacks the right."""

    status = 401


class Forbidden(ApiError):
    """A login was refused."""

    status = 403


class NotFound(ApiError):
    """The record, or the service, does not exist or is not the caller's to see."""

    status = 404


class Refused(ApiError):
    """The operation was refused while being carried out; the message carries the reason."""

    status = 405


class NotAcceptable(ApiError):
    """None of the formats the caller accepts can be made."""

    status = 406


class RequestTimeout(ApiError):
    """The request did not arrive in time."""

    status = 408


class Conflict(ApiError):
    """The record exists already."""

    status = 409


class PreconditionFailed(ApiError):
    """The record is no longer the one that ``If-Match`` names."""

    status = 412


class TooLarge(ApiError):
    """The body, or a number in it, is larger than the settings allow."""

    status = 413


class UnsupportedMediaType(ApiError):
    """The body has a content type that is not understood."""

    status = 415


class Unprocessable(ApiError):
    """An idempotency key was used again with another body."""

    status = 422


class TooManyRequests(ApiError):
    """The caller tried too often; ``Retry-After`` says when to try again, in seconds."""

    status = 429


class NotLoadable(ApiError):
    """A service's file exists and cannot be loaded. Its message stands alone, for clients compare it."""

    status = 501
    standard = False


class Unavailable(ApiError):
    """The database cannot be reached now, or cannot do now what is asked."""

    status = 503


class InsufficientStorage(ApiError):
    """There is no room left on a disk."""

    status = 507


def wrong_fields(wrong: list[tuple[str, str]], message: str = "") -> BadRequest:
    """The error that names every wrong field.

    :param wrong: field and reason of each, such as ``("qty", "Expecting numeric value")``
    :param message: what the answer says; when empty, the first reason, behind the field's name unless it begins with it
    """
    name, reason = wrong[0]
    named = reason.startswith((f"{name} ", f"`{name}`"))
    told = message or (reason if named else f"Invalid value specified for `{name}`. {reason}")
    return BadRequest(told, errors=wrong)


#: unknown names that an answer tells of at the most: a body may hold a million
MOST_UNKNOWN = 20


def unknown_fields(names: Iterable[str], known: Sequence[str]) -> list[tuple[str, str]]:
    """What is wrong with those names that nothing is called by, for `wrong_fields`."""
    unknown = islice((str(name) for name in names if name not in known), MOST_UNKNOWN)
    there = ", ".join(known) or "none"
    return [(name[:80], f"`{name:.80}` is unknown; there is {there}") for name in unknown]


@cache
def named_errors() -> dict[str, type[ApiError]]:
    """Every error of this file by its name, as ``:raises Name:`` may name it."""
    return {name: value for name, value in globals().items() if isinstance(value, type) and issubclass(value, ApiError)}


def shown(value: Any) -> str:
    """What came, for a message: cut where it is long."""
    text = str(value) if isinstance(value, Decimal) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
