"""The state of a request: made when it comes, found by all that answer it or tell of it afterwards.

It lies in the environment of the request, where what writes the log finds it, too.
"""

from __future__ import annotations

import itertools
import os
import re
import secrets
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from ..common.client_addresses import proxies_of
from ..common.request_state import RequestState, begin
from ..common.runtime import active
from ..common.settings import settings

#: where the state lies in the environment of its request
STATE = "comptoir.state"
#: where the allowance lies that the request has taken: one that is answered in two goes takes it once
ALLOWANCE = "comptoir.allowance"
#: bytes that the body of the request may have, once it is asked for
BODY_LIMIT = "comptoir.body_limit"

_PLAIN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


def begin_request(environ: dict[str, Any]) -> RequestState:
    """Make the state of a request, and the request the current one."""
    sent = environ.get("HTTP_X_REQUEST_ID")
    name = sent if sent is not None and _PLAIN_ID.fullmatch(sent) else new_id()
    state = RequestState(
        address=partial(address_of, environ),
        if_match=environ.get("HTTP_IF_MATCH", ""),
        request_id=name,
        # Before the operation is looked up: a reload may come between
        generation=active.runtime.generation,
    )
    environ[STATE] = state
    begin(state)
    return state


def state_of(environ: dict[str, Any]) -> RequestState:
    """The state of a request."""
    return environ.get(STATE) or begin_request(environ)


# Names of requests ---------------------------------------------------------------------------------------------------


class _RequestIds:
    """IDs for requests that no other process uses, not even one that is started later."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self.take_another_prefix()

    def take_another_prefix(self) -> None:
        self._prefix = f"{secrets.token_hex(5)}-"

    def new(self) -> str:
        return f"{self._prefix}{next(self._numbers):x}"


_request_ids = _RequestIds()
#: returns an ID for a request that came without one
new_id = _request_ids.new
os.register_at_fork(after_in_child=_request_ids.take_another_prefix)


# Where it comes from -------------------------------------------------------------------------------------------------


def address_of(environ: Mapping[str, Any]) -> str:
    """Return the client address of a request: the one in a trusted proxy's header, else the peer's.

    It is empty if the peer is a program on this host that uses a Unix domain socket.
    """
    configuration = settings()
    said = environ.get(_variable_of(configuration.client_header), "")
    return proxies_of(configuration.proxies).client(environ.get("REMOTE_ADDR") or "", said)


@cache
def _variable_of(header: str) -> str:
    """What a header is called in the environment of a request."""
    return "HTTP_" + header.upper().replace("-", "_") if header else ""
