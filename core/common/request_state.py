"""What belongs to one request: its caller, the warnings for its answer, the state of the caches it may use.

Held in a `contextvar`, so that a model can apply the row rules without being handed the caller. Outside of a
request (command line, tests, demonstration data) there is no caller and every row is visible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import perf_counter
from typing import Any


@dataclass
class ToldRecord:
    """A record as a change has left it: what modules were told, and what the answer need not read again.

    :param records: the `Records` it belongs to
    :param writes: how many statements had written when it was read; after a further one it may be another
    :param is_unhidden: whether it holds what `Meta.internal` hides from the caller
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
        "kept",
        "keyed",
        "operation",
        "overseen",
        "read",
        "request_id",
        "seen",
        "statements",
        "strict",
        "told",
        "verb",
        "warnings",
        "writes",
    )

    def __init__(
        self, caller: Any = None, address: Callable[[], str] = str, if_match: str = "", request_id: str = ""
    ) -> None:
        #: when it came, as `time.perf_counter` counts
        self.began = perf_counter()
        #: names the request in answers and logs
        self.request_id = request_id
        #: the path of what answers it, with names for its values; empty before that is known, or where nothing does
        self.operation = ""
        #: the verb with which that was called
        self.verb = ""
        #: the seconds that the database has taken, and for how many statements
        self.database_time = 0.0
        self.statements = 0
        #: who calls, an `access.callers.Caller`; None outside of a request and before the key has been looked up
        self.caller = caller
        #: the state of the record that the caller means to change; empty: whatever it is
        self.if_match = if_match
        #: whether something that it wrote has been committed, so that it cannot be begun anew
        self.kept = False
        #: whether a key was looked for, so that the answer is for whoever sent it
        self.keyed = False
        #: whether an administrator asks of a public operation, whose key is looked at only when it has failed
        self.overseen = False
        #: what the key is still allowed, an `access.limits.Allowance`; None: it is bound by no number of requests
        self.allowance: Any = None
        #: answers where the request comes from
        self.address = address
        #: the number of `storage/cache_version.py` that this request saw, None until it looked
        self.cache_version: int | None = None
        #: the generation of the tables that its models were loaded for; -1: nobody minds it
        self.generation = -1
        #: what `storage/cache_version.py` keeps for this request alone
        self.cache: dict[int, dict[Any, Any]] = {}
        #: how many statements this request has run that may have written
        self.writes = 0
        #: the record that modules were told of last
        self.told: ToldRecord | None = None
        #: of a batch: (model, identifier) of records that exist, until something is written; None: it is none
        self.seen: set[tuple[Any, Any]] | None = None
        #: whether the server reads for itself what `Meta.internal` hides from the caller
        self.is_unhidden = False
        #: whether the last such reading found anything hidden
        self.has_unhidden = False
        #: what the body names and nobody knows is refused, not ignored
        self.strict = False
        #: the record that was read last, and what reads it anew
        self.read: tuple[dict[str, Any], Callable[[], dict[str, Any]]] | None = None
        self.warnings: list[str] = []
        self.headers: dict[str, str] = {}

    def forget(self) -> None:
        """Forget what was read, written and said, for a request that is begun anew."""
        self.cache_version, self.told, self.seen, self.read = None, None, None, None
        self.cache, self.warnings, self.headers = {}, [], {}
        self.writes = 0


_state: ContextVar[RequestState | None] = ContextVar("comptoir_request", default=None)


def current_state() -> RequestState | None:
    """The request being answered, or None outside of one."""
    return _state.get()


def begin(state: RequestState | None) -> None:
    """Make a request the current one (None: there is none any more)."""
    _state.set(state)


@contextmanager
def acting_as(caller: Any) -> Iterator[RequestState]:
    """Do something on behalf of a caller outside of a request, as tests and commands do."""
    state = RequestState(caller)
    token = _state.set(state)
    try:
        yield state
    finally:
        _state.reset(token)


def warn(text: str) -> None:
    """Tell the caller something in the `Warning` header of the answer."""
    state = _state.get()
    if state is not None and len(state.warnings) < 20:
        state.warnings.append(text)


#: how a method gives its answer another type than that of JSON
RETURN_A_FILE = "the type follows from what the method returns; return a `File` for another one"


def set_header(name: str, value: str) -> None:
    """Add a header to the response of the current request.

    :raises ValueError: it is Content-Type, which would have a browser run what is in a JSON answer
    """
    if name.strip().lower() == "content-type":
        raise ValueError(f"set_header: expected another header than Content-Type: {RETURN_A_FILE}")
    state = _state.get()
    if state is not None:
        state.headers[name] = value


def client_address() -> str:
    """Where the current request comes from; behind a trusted proxy the address that it names."""
    state = _state.get()
    return state.address() if state else ""
