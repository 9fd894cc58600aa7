"""The state of a request, which is in its environment from its beginning until it has been logged."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Mapping
from functools import partial
from time import perf_counter
from typing import Any

import falcon

from ..common.client_addresses import proxies_of
from ..common.request_state import RequestState, begin
from ..common.settings import settings
from ..storage.cache_version import loaded_generation

#: where the state is in the environment of its request
STATE = "comptoir.state"
#: where the route is that was found for a request before its body had arrived
ROUTE = "comptoir.route"

#: the verbs that a POST may stand for
OVERRIDES = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")

_PLAIN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


def begin_request(request: falcon.Request) -> RequestState:
    """Make a request the current one, with its verb and its state: a new one, or that of its admission."""
    env = request.env
    state: RequestState | None = env.get(STATE)
    if state is None:
        sent = env.get("HTTP_X_REQUEST_ID")
        request_id = sent if sent is not None and _PLAIN_ID.fullmatch(sent) else new_id()
        state = env[STATE] = RequestState(
            address=partial(address_of, env),
            if_match=env.get("HTTP_IF_MATCH"),
            request_id=request_id,
            # Before the operation is looked up: a reload may come between
            generation=loaded_generation.value,
        )
    else:
        state.forget()
        state.began = perf_counter()
    if request.method == "POST" and (verb := env.get("HTTP_X_HTTP_METHOD_OVERRIDE", "").upper()) in OVERRIDES:
        # It passes the same checks as that verb. A client that sends a POST expects a body
        request.method = "GET" if verb == "HEAD" else verb
    state.verb = request.method
    begin(state)
    return state


_numbers = itertools.count(1)


def new_id() -> str:
    """Return an ID for a request that came without one; no process gives it again."""
    return f"{os.urandom(5).hex()}-{next(_numbers):x}"


def address_of(environ: Mapping[str, Any]) -> str:
    """Return the client address of a request: the one in a trusted proxy's header, else the peer's.

    It is empty if the peer is a program on this host that uses a Unix domain socket.
    """
    configuration = settings()
    header = configuration.client_header.upper().replace("-", "_")
    forwarded = environ.get(f"HTTP_{header}", "") if header else ""
    return proxies_of(configuration.proxies).client(environ.get("REMOTE_ADDR") or "", forwarded)
