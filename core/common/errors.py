"""The errors that modules raise, each with its status, and the body of an error.

``core/web/answers.py`` makes the response. ``explorer/guide/errors.md`` explains the statuses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from difflib import get_close_matches
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from .reasons import REASONS, reason_of_status

#: how a message begins, as clients of Dolibarr expect; with any other status, a message has only its own text
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
    502: "Bad Gateway",
    503: "Service Unavailable",
    507: "Insufficient Storage",
}


#: wrong fields that a response lists; a body may hold many more
MOST_ERRORS = 1000
#: characters of a message
MAX_MESSAGE_CHARS = 2000
#: names that a message lists, and the characters of each; a body may have a million
MAX_NAMES = 20
MAX_NAME_CHARS = 80
#: characters of the path of a field, such as `lines[2].label`
MAX_PATH_CHARS = 200

#: the body that `error_body` makes, as JSON Schema; a response may have further keys
ERROR_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "description": "what went wrong",
            "required": ["code", "message", "reason"],
            "properties": {
                "code": {"type": "integer", "description": "the status"},
                "message": {"type": "string", "description": "what is wrong, for people"},
                "reason": {"$ref": "#/components/schemas/Reason"},
                "state": {"type": "string", "description": "the state that doesn't allow the operation"},
                "allowed": {
                    "type": "array",
                    "description": "the operations that depend on the record's state, and that this state and your "
                    "permissions allow",
                    "items": {"$ref": "#/components/schemas/AllowedOperation"},
                },
                "errors": {
                    "type": "array",
                    "description": "every invalid field",
                    "items": {
                        "type": "object",
                        "required": ["field", "message"],
                        "properties": {
                            "field": {"type": "string", "description": "the name of the field"},
                            "message": {"type": "string", "description": "what is wrong with it"},
                        },
                    },
                },
                "request_id": {"type": "string", "description": "the ID of the request in the log"},
                "raised": {
                    "type": "object",
                    "description": "an unexpected exception of a method; only administrators see it",
                    "required": ["message"],
                    "properties": {
                        "file": {"type": "string", "description": "path within the modules folder"},
                        "line": {"type": "integer", "description": "line of the file"},
                        "message": {"type": "string", "description": "the exception and its message"},
                    },
                },
                "cause": {
                    "type": "string",
                    "description": "why the service's file can't be loaded (501); only administrators see it",
                },
                "trace": {
                    "type": "string",
                    "description": "the traceback of `cause`; only administrators see it",
                },
                "entry": {"type": "integer", "description": "the failed entry of a batch, from 0"},
                "line": {"type": "integer", "description": "the line of the failed entry in CSV"},
                "done": {
                    "type": "boolean",
                    "description": "true: the first request with this `Idempotency-Key` made its change",
                },
                "parts": {
                    "type": "object",
                    "description": "the state of each part of the server, if it is not ready",
                    "additionalProperties": {"type": "string"},
                },
            },
        }
    },
}

#: the schemas that `ERROR_SCHEMA` refers to, by name; the OpenAPI document adds the reasons of states
ERROR_PARTS: dict[str, dict[str, Any]] = {
    "Reason": {"type": "string", "description": "a stable word for programs", "enum": list(REASONS)},
    "AllowedOperation": {
        "type": "object",
        "required": ["operation", "method", "path"],
        "properties": {
            "operation": {"type": "string", "description": "as in this document, such as `POST /orders/{id}/reopen`"},
            "method": {"type": "string", "description": "the HTTP method, such as `POST`"},
            "path": {"type": "string", "description": "with the ID of the record, such as `/orders/12/reopen`"},
        },
    },
}


def error_body(
    status: int,
    message: str = "",
    errors: Sequence[tuple[str, str]] = (),
    request_id: str = "",
    *,
    standard: str | None = None,
    reason: str = "",
    details: Mapping[str, Any] | None = None,
    debug: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the body of an error. This is the only place that makes one; its shape is Dolibarr's.

    :param message: what is wrong and what was expected
    :param errors: the wrong fields, each a name and a reason; without a message, the first reason is the message
    :param standard: what the message begins with; None: the standard text of the status
    :param reason: a word of `REASONS`; if empty, that of the status
    :param details: further keys
    :param debug: the lines of a traceback
    """
    standard = STANDARD_TEXTS.get(status, "") if standard is None else standard
    message = message or (errors[0][1] if errors else "")
    error: dict[str, Any] = {
        "code": status,
        "message": ": ".join(part for part in (standard, message) if part),
        "reason": reason or reason_of_status(status),
    }
    if errors:
        error["errors"] = [{"field": name, "message": text} for name, text in errors]
    error |= details or {}
    if request_id:
        error["request_id"] = request_id
    if debug:
        error["debug"] = list(debug)
    return {"error": error}


class ApiError(Exception):
    """An error with its status.

    :param message: what is wrong and what was expected; shown to the caller; if empty, the first of `errors`
    :param dolibarr: the message in the profile `dolibarr16`, if Dolibarr has a text of its own
    :param errors: every wrong field with its reason, such as ``("qty", 'expected a number, got "abc"')``
    :param reason: the stable word for clients, one of `REASONS`; if empty, it follows from the fields or the status
    :param details: further keys of the ``error`` object of the response
    :param headers: further headers of the response
    :param status: a status that replaces the one of the class, from 300 to 599
    """

    status = 500
    #: whether the message begins with the status's standard text
    standard = True

    def __init__(
        self,
        message: str = "",
        *,
        dolibarr: str = "",
        errors: list[tuple[str, str]] | None = None,
        reason: str = "",
        details: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        status: int | None = None,
    ) -> None:
        if errors and not message:
            message, dolibarr = _first_of(errors, dolibarr)
        self.message = shortened(message, MAX_MESSAGE_CHARS)
        super().__init__(self.message)
        self.status = status or type(self).status
        if not 300 <= self.status < 600:
            raise ValueError(f"expected a status from 300 to 599, got {self.status}")
        self.dolibarr = shortened(dolibarr, MAX_MESSAGE_CHARS)
        self.errors = errors or []
        #: empty: `reason` finds one
        self.own_reason = reason
        self.details = details or {}
        self.headers = headers or {}

    @property
    def reason(self) -> str:
        """The stable word for clients: the error's own, or the one that fits its fields or its status."""
        if self.own_reason or self.status != 400 or not self.errors:
            return self.own_reason or reason_of_status(self.status)
        found = {reason.word if isinstance(reason, Reason) else "invalid_value" for _, reason in self.errors}
        return found.pop() if len(found) == 1 else "invalid_value"

    def body(
        self, dolibarr: bool = False, request_id: str = "", debug: Sequence[str] = (), most: int = MOST_ERRORS
    ) -> dict[str, Any]:
        """Return the body of the response.

        :param dolibarr: use Dolibarr's words (``Profile.dolibarr_messages``)
        :param debug: the lines of a traceback
        :param most: the number of wrong fields that it lists
        """
        listed = (
            (shortened(name, MAX_PATH_CHARS), shortened(reason, MAX_MESSAGE_CHARS))
            for name, reason in self.errors[:most]
        )
        wrong = [(name, dolibarr_reason(reason) if dolibarr else reason) for name, reason in listed]
        message = (self.dolibarr if dolibarr else "") or self.message
        standard = None if self.standard else ""
        return error_body(
            self.status,
            message,
            wrong,
            request_id,
            standard=standard,
            reason=self.reason,
            details=self.details,
            debug=debug,
        )


class Unchanged(ApiError):
    """Nothing was changed, because the action was done before; only the profile ``dolibarr16`` has the status 304."""

    status = 304


class BadRequest(ApiError):
    """The request is malformed: a mandatory value is empty, or a value doesn't fit.

    ``BadRequest(errors=[("qty", "expected 1 or more, got 0"), BadRequest.missing("socid")])`` lists every wrong field.
    """

    status = 400

    @staticmethod
    def missing(name: str, rest: str = "") -> tuple[str, str]:
        """Return a field without a value, and the reason, for `errors`; if all are such, the reason is `missing_field`.

        :param rest: the rest of the sentence, such as `` because `paid` is set``
        """
        return name, Reason(f"`{name}` is required{rest}", "" if rest else f"{name} field missing", "missing_field")

    @staticmethod
    def unknown(parameter: str, name: str, rest: str = "") -> tuple[str, str]:
        """Return a parameter that contains the name of an unknown field, and the reason, for `errors`."""
        return parameter, Reason(f"unknown field {name!r:.80}{rest}", word="unknown_field")


class Unauthorized(ApiError):
    """The key is invalid, or the caller lacks the permission."""

    status = 401


class Forbidden(ApiError):
    """A login was rejected."""

    status = 403


class NotFound(ApiError):
    """The record or service doesn't exist, or the caller may not see it."""

    status = 404


class Refused(ApiError):
    """The operation was rejected; the message has the reason."""

    status = 405


class NotAcceptable(ApiError):
    """The server can't make any format that the caller accepts."""

    status = 406


class RequestTimeout(ApiError):
    """The request didn't arrive in time."""

    status = 408


class Conflict(ApiError):
    """The record already exists."""

    status = 409


class PreconditionFailed(ApiError):
    """The record has changed: ``If-Match`` has an older state."""

    status = 412


class TooLarge(ApiError):
    """The body, or a number in it, is larger than the settings allow."""

    status = 413


class UnsupportedMediaType(ApiError):
    """The content type of the body isn't supported."""

    status = 415


class Unprocessable(ApiError):
    """An idempotency key was reused with another body."""

    status = 422


class TooManyRequests(ApiError):
    """The caller tried too often; ``Retry-After`` is the number of seconds to wait."""

    status = 429


class NotLoadable(ApiError):
    """A service's file can't be loaded. The message has no standard text before it, because clients compare it."""

    status = 501
    standard = False


class BadGateway(ApiError):
    """Another server gave no valid response in time."""

    status = 502


class Unavailable(ApiError):
    """The database can't be reached, or can't do this now."""

    status = 503


class InsufficientStorage(ApiError):
    """A disk is full."""

    status = 507


class Reason(str):
    """The reason for a wrong field, with what its text doesn't show.

    :ivar dolibarr: its text in Dolibarr's words; empty: `dolibarr_reason` makes it
    :ivar word: the reason of an error whose wrong fields all have this word
    """

    __slots__ = ("dolibarr", "word")
    dolibarr: str
    word: str

    def __new__(cls, text: str, dolibarr: str = "", word: str = "invalid_value") -> Reason:
        """Make one."""
        made = super().__new__(cls, text)
        made.dolibarr, made.word = dolibarr, word
        return made


def _first_of(errors: list[tuple[str, str]], dolibarr: str) -> tuple[str, str]:
    """Return the message of an error without one: its first field with the reason, and the same in Dolibarr's words.

    :param dolibarr: Dolibarr's message, if it has one of its own
    """
    name, reason = errors[0]
    words = dolibarr or dolibarr_reason(reason)
    if reason.startswith((f"{name} ", f"`{name}`")):
        return reason, words
    return f"`{name}`: {reason}", dolibarr or f"Invalid value specified for `{name}`. {words}"


def reason_of(error: ValueError, value: Any) -> str:
    """Return the reason for a value that a reader refused, such as ``expected a whole number, got "abc"``.

    :param error: ``expected a whole number``; it may end with ``, got …`` of its own
    """
    reason = str(error)
    if _GOT.search(reason):
        return reason
    # A comma after a list would make the value part of it
    text = f"{reason}{',' if reason.startswith('expected ') and ', ' not in reason else ';'} got {shown(value)}"
    words = error.args[0] if error.args else ""
    return Reason(text, f"{words.dolibarr} (got {shown(value)})") if isinstance(words, Reason) else text


_GOT = re.compile("[,;] got ")
_EXPECTED = re.compile(r"(?P<before>|`?[\w.\[\]]+`?: )expected (?P<what>.+?)(?:[,;] got (?P<got>.*))?", re.DOTALL)
#: what is expected, in Dolibarr's words; other texts keep ours
_DOLIBARR_WORDS = (
    (re.compile("a whole number(.*)", re.DOTALL), r"Expecting integer value\1"),
    (re.compile(r"a number( (?:above|at|below|from|up)\b.*)?", re.DOTALL), r"Expecting numeric value\1"),
    (re.compile("true or false"), "Expecting boolean value"),
    (re.compile(r"at least (-?[\d.]+)"), r"Minimum required value is \1."),
    (re.compile(r"at most (-?[\d.]+)"), r"Maximum allowed value is \1."),
)


def dolibarr_reason(reason: str) -> str:
    """Return a reason in Dolibarr's words: ``Expecting integer value (got "abc")``."""
    if isinstance(reason, Reason) and reason.dolibarr:
        return reason.dolibarr
    found = _EXPECTED.fullmatch(reason)
    if found is None:
        return reason
    what = found["what"]
    if what.startswith("one of "):
        words = f"Expected one of ({what.removeprefix('one of ').replace(', ', ',')})."
    else:
        near = ((pattern.fullmatch(what), words) for pattern, words in _DOLIBARR_WORDS)
        words = next((match.expand(words) for match, words in near if match), f"Expecting {what}")
    return f"{found['before']}{words}" + (f" (got {found['got']})" if found["got"] is not None else "")


def unknown_fields(names: Iterable[str], known: Sequence[str]) -> list[tuple[str, str]]:
    """Return the names that are not known, each with the reason, for `wrong_fields`."""
    unknown = [str(name)[:MAX_NAME_CHARS] for name in names if name not in known]
    texts = [f"`{name}` is unknown. {known_names(name, known)}" for name in unknown[:MAX_NAMES]]
    if len(unknown) > MAX_NAMES:
        texts[-1] = f"`{unknown[MAX_NAMES - 1]}`{_and_more(unknown)} are unknown"
    return [(name, Reason(text, word="unknown_field")) for name, text in zip(unknown, texts, strict=False)]


def known_names(name: str, known: Sequence[str]) -> str:
    """Return what to use instead of an unknown name: the one that is close to it, then all of them."""
    close = near_name(name, tuple(known))
    return f"{f'Did you mean `{close}`? ' if close else ''}Known names: {joined(known) or 'none'}"


@lru_cache(maxsize=2048)
def near_name(name: str, known: tuple[str, ...]) -> str:
    """Return the known name that is spelt much like an unknown one, such as ``fk_product`` for ``product_id``."""
    name = name[:MAX_NAME_CHARS]
    plain = _plain(name)
    return next((each for each in known if _plain(each) == plain), next(iter(get_close_matches(name, known, 1)), ""))


def _plain(name: str) -> str:
    """Return a name without what differs between spellings: ``product`` of ``fk_product`` and ``productId``."""
    return name.lower().replace("_", "").removeprefix("fk").removesuffix("id")


def meant(name: str, known: Iterable[str]) -> str:
    """Return the one known name that is close to an unknown one, as the end of a message; empty if none is close."""
    close = near_name(name, tuple(known))
    return f"; did you mean {close.removeprefix('t.')}?" if close else ""


@cache
def named_errors() -> dict[str, type[ApiError]]:
    """Return the errors of this file by name, for ``:raises Name:``."""
    return {name: value for name, value in globals().items() if isinstance(value, type) and issubclass(value, ApiError)}


def shown(value: Any) -> str:
    """Return a value for a message: as JSON, shortened."""
    text = str(value) if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False, default=str)
    return shortened(text if text.isprintable() else json.dumps(value, default=str), 60)


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` characters; a longer one ends with three points."""
    return text if len(text) <= most else text[: most - 3] + "..."


def joined(names: Iterable[Any], near: Mapping[Any, str] = MappingProxyType({})) -> str:
    """Return names for a message: the first ones, shortened, and the number of the others.

    :param near: name → the known name that it probably stands for, or an empty text
    """
    listed = [*names]
    hints = [f" (did you mean {near[name]}?)" if near.get(name) else "" for name in listed[:MAX_NAMES]]
    texts = [f"{name!s:.{MAX_NAME_CHARS}}{hint}" for name, hint in zip(listed, hints, strict=False)]
    return ", ".join(texts) + _and_more(listed)


def _and_more(names: Sequence[Any]) -> str:
    return f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
