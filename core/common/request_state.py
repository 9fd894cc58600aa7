"""The state of a request: its caller, the warnings for its response, the caches that it may use.

A `contextvar` holds it, so that a model can apply row rules without receiving the caller. Outside of a request (command
line, tests, demonstration data) there is no caller and every row is visible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import perf_counter
from typing import Any


@dataclass
class NotifiedRecord:
    """A record after a change, as modules received it; the response uses it without another read.

    :param records: the `Records` of the record
    :param writes: the number of writing statements when it was read; after another one it may be stale
    :param is_unhidden: True if it has fields that `Meta.internal` hides from the caller
    """

    records: object
    identifier: Any
    record: dict[str, Any]
    writes: int
    is_unhidden: bool = False


class RequestState:
    """The state of one request."""

    __slots__ = (
        "address",
        "allowance",
        "began",
        "cache",
        "cache_version",
        "caller",
        "database_time",
        "generation",
        "has_unhidden",
        "headers",
        "if_match",
        "is_unhidden",
        "keyed",
        "notified",
        "operation",
        "read",
        "request_id",
        "seen",
        "statements",
        "strict",
        "verb",
        "warnings",
        "writes",
    )

    def __init__(
        self, caller: Any = None, address: Callable[[], str] = str, if_match: str = "", request_id: str = ""
    ) -> None:
        #: start of the request, from `time.perf_counter`
        self.began = perf_counter()
        #: ID of the request in responses and logs
        self.request_id = request_id
        #: the route, such as /invoices/{id}; empty before routing, or if no route matches
        self.operation = ""
        #: the verb of the request
        self.verb = ""
        #: seconds spent in the database, and the number of statements
        self.database_time = 0.0
        self.statements = 0
        #: the `access.callers.Caller`; None outside of a request and before the key has been checked
        self.caller = caller
        #: the ETag in If-Match; empty without the header
        self.if_match = if_match
        #: True if a key was checked, so that the response is private
        self.keyed = False
        #: the key's `access.limits.Allowance`; None without a rate limit
        self.allowance: Any = None
        #: returns the client address
        self.address = address
        #: the number of `storage/cache_version.py` that this request has read; None before
        self.cache_version: int | None = None
        #: the table generation that its models were loaded for; -1 disables the check
        self.generation = -1
        #: entries of `storage/cache_version.py` for this request only
        self.cache: dict[int, dict[Any, Any]] = {}
        #: number of statements of this request that may have written
        self.writes = 0
        #: the last record that modules received
        self.notified: NotifiedRecord | None = None
        #: in a batch: (model, ID) of records known to exist, until a write; None outside of a batch
        self.seen: set[tuple[Any, Any]] | None = None
        #: True while the server reads fields that `Meta.internal` hides from the caller
        self.is_unhidden = False
        #: True if the last such read found a hidden field
        self.has_unhidden = False
        #: unknown fields of the body are rejected, not ignored
        self.strict = False
        #: the last record read, and the function that reads it again
        self.read: tuple[dict[str, Any], Callable[[], dict[str, Any]]] | None = None
        self.warnings: list[str] = []
        self.headers: dict[str, str] = {}

    def forget(self) -> None:
        """Reset the state before a retry of the request."""
        self.cache_version, self.notified, self.seen, self.read = None, None, None, None
        self.cache, self.warnings, self.headers = {}, [], {}
        self.writes = 0


_state: ContextVar[RequestState | None] = ContextVar("comptoir_request", default=None)


def current_state() -> RequestState | None:
    """Return the state of the current request, or None."""
    return _state.get()


def begin(state: RequestState | None) -> None:
    """Set the current request; None clears it."""
    _state.set(state)


@contextmanager
def acting_as(caller: Any) -> Iterator[RequestState]:
    """Act on behalf of a caller outside of a request, as tests and commands do."""
    state = RequestState(caller)
    token = _state.set(state)
    try:
        yield state
    finally:
        _state.reset(token)


def warn(text: str) -> None:
    """Add a `Warning` header to the response."""
    state = _state.get()
    if state is not None and len(state.warnings) < 20:
        state.warnings.append(text)


#: how a method gives its answer another type than that of JSON
RETURN_A_FILE = "return a `File` to send another type"


def set_header(name: str, value: str) -> None:
    """Add a header to the response of the current request.

    :raises ValueError: the header is Content-Type, which could make a browser execute a JSON response
    """
    if name.strip().lower() == "content-type":
        raise ValueError(f"set_header can't set Content-Type; {RETURN_A_FILE}")
    state = _state.get()
    if state is not None:
        state.headers[name] = value


def client_address() -> str:
    """Return the client address of the current request; behind a trusted proxy, that of the proxy's client."""
    state = _state.get()
    return state.address() if state else ""
