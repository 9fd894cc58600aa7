"""The state of a request: its caller, the warnings for its response, the caches that it may use; or the running job.

A `contextvar` holds it, so that a model can apply row rules without receiving the caller. Outside of a request (command
line, tests, demonstration data) there is no caller and every row is visible.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from time import perf_counter
from typing import Any

from .errors import MAX_MESSAGE_CHARS, MAX_NAMES, joined, near_name, shortened


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


@dataclass(eq=False, slots=True)
class RequestState:
    """The state of one request."""

    #: the `access.callers.Caller`; None outside of a request and before the key has been checked
    caller: Any = None
    #: returns the client address
    address: Callable[[], str] = str
    #: the ETag in If-Match; None without the header
    if_match: str | None = None
    #: whether a record was compared with it
    is_compared: bool = False
    #: ID of the request in responses and logs
    request_id: str = ""
    #: start of the request, from `time.perf_counter`
    began: float = field(default_factory=perf_counter)
    #: the route, such as /invoices/{id}; empty before routing, or if no route matches
    operation: str = ""
    #: the verb of the request
    verb: str = ""
    #: seconds spent in the database, and the number of statements
    database_time: float = 0.0
    statements: int = 0
    #: seconds for which the method has only waited
    waited: float = 0.0
    #: True if a key was checked, so that the response is private
    keyed: bool = False
    #: the key's `access.limits.Allowance`; None without a rate limit
    allowance: Any = None
    #: the number of `storage/cache_version.py` that this request has read; None before
    cache_version: int | None = None
    #: the table generation that its models were loaded for; -1 disables the check
    generation: int = -1
    #: entries of `storage/cache_version.py` for this request only
    cache: dict[int, dict[Any, Any]] = field(default_factory=dict)
    #: number of statements of this request that may have written
    writes: int = 0
    #: the last record that modules received
    notified: NotifiedRecord | None = None
    #: in a batch: (model, ID) of records known to exist, until a write; None outside of a batch
    seen: set[tuple[Any, Any]] | None = None
    #: True while the server reads fields that `Meta.internal` hides from the caller
    is_unhidden: bool = False
    #: True if the last such read found a hidden field
    has_unhidden: bool = False
    #: unknown fields of the body are rejected, not ignored
    strict: bool = False
    #: the client or the operator wants every unknown name to be rejected
    asks_strict: bool = False
    #: the last record read, and the function that reads it again
    read: tuple[dict[str, Any], Callable[[], dict[str, Any]]] | None = None
    warnings: list[str] = field(default_factory=list)
    #: ignored names → the known name that each probably stands for, or an empty text; one warning lists them
    ignored: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    def forget(self) -> None:
        """Reset the state before a retry of the request."""
        initial = RequestState()
        for name in _FORGOTTEN:
            setattr(self, name, getattr(initial, name))

    def all_warnings(self) -> list[str]:
        """Return the warnings; the first one lists the ignored names."""
        return [*([f"ignored: {joined(self.ignored, self.ignored)}"] if self.ignored else ()), *self.warnings]


#: the fields that a retry keeps: what the request is, its caller, and what is measured or counted once
_KEPT = (
    "caller", "address", "if_match", "request_id", "began", "operation", "verb", "database_time", "statements",
    "waited", "keyed", "allowance", "generation",
)  # fmt: skip
_FORGOTTEN = [each.name for each in fields(RequestState) if each.name not in _KEPT]

_state: ContextVar[RequestState | None] = ContextVar("comptoir_request", default=None)


#: returns the state of the current request, or None
current_state: Callable[[], RequestState | None] = _state.get


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
    text = shortened(text, MAX_MESSAGE_CHARS)
    if state is not None and len(state.warnings) < 20 and text not in state.warnings:
        state.warnings.append(text)


def warn_ignored(names: Iterable[str], unknown: Container[str], known: tuple[str, ...]) -> None:
    """Add names to the warning that lists the ignored ones, each once.

    :param unknown: those that stand for nothing; the warning adds the known name that each probably stands for
    """
    state = _state.get()
    if state is None:
        return
    # Those that stand for nothing come first: the list may be cut
    for name in sorted(names, key=lambda name: name not in unknown):
        if name not in state.ignored:
            hints = len(state.ignored) < MAX_NAMES and name in unknown
            state.ignored[name] = near_name(name, known) if hints else ""


def asks_strict() -> bool:
    """Return whether the client or the operator wants every unknown name to be rejected."""
    state = _state.get()
    return state is not None and state.asks_strict


#: the hint for a method whose response isn't JSON
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


# Jobs -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Background:
    """A running job.

    :param name: the module and the function, such as `reminders.send_reminder`
    :param user: the user whose request enqueued it; None for a schedule or a command
    :param login: that user's login
    """

    id: int
    name: str
    user: int | None = None
    login: str = ""


_background: ContextVar[Background | None] = ContextVar("comptoir_background", default=None)


def current_background() -> Background | None:
    """Return the job that this thread runs, or None."""
    return _background.get()


@contextmanager
def in_background(background: Background) -> Iterator[None]:
    """Mark the job as running in this context."""
    token = _background.set(background)
    try:
        yield
    finally:
        _background.reset(token)
