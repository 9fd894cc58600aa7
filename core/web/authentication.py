"""Who calls: the key that a request came with, and how often that may still be used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import falcon

from ..access.callers import ANONYMOUS, Caller
from ..access.keys import find_caller
from ..access.limits import Allowance, limiter
from ..common.errors import TooManyRequests, Unauthorized
from ..common.request_state import RequestState
from ..common.settings import settings
from ..storage.database import end_of_request, ensure_connected
from .request_states import STATE

#: parameters that a key in the URL may come in
KEYS_IN_URL = ("DOLAPIKEY", "api_key")

CHALLENGE = {"WWW-Authenticate": 'Bearer realm="comptoir"'}
NO_KEY = "an API key is required; send it in the header DOLAPIKEY or as Authorization: Bearer"
#: what Dolibarr's clients know, before our advice
DOLIBARR_NO_KEY = "Failed to login to API. No key: send it in the header DOLAPIKEY or as Authorization: Bearer"


def key_of(request: falcon.Request) -> str:
    """Return the key of a request, or an empty text. A key in the URL is ignored unless the profile allows it."""
    env = request.env
    key: str = env.get("HTTP_DOLAPIKEY", "")
    if not key:
        authorization: str = env.get("HTTP_AUTHORIZATION", "")
        if authorization[:7].lower() == "bearer ":
            key = authorization[7:].strip()
    if not key and settings().profile.key_in_url:
        key = next(filter(None, map(request.get_param, KEYS_IN_URL)), "")
    return key


def identify(request: falcon.Request, access: str) -> Caller:
    """Return the caller of a request.

    :param access: ``protected``: a valid key is required; ``hybrid``: a key is optional; ``public``: keys are ignored
    :raises Unauthorized: a key is missing or not valid
    """
    if access == "public":
        return ANONYMOUS
    request.env[STATE].keyed = True
    key = key_of(request)
    if not key:
        if access == "hybrid":
            return ANONYMOUS
        raise Unauthorized(NO_KEY, dolibarr=DOLIBARR_NO_KEY, reason="missing_key", headers=CHALLENGE)
    ensure_connected()
    caller = find_caller(key)
    if caller is None:
        raise Unauthorized(reason="invalid_key", headers=CHALLENGE)
    return caller


def count(state: RequestState, caller: Caller, more: int = 0, reason: str = "") -> None:
    """Count a request for the allowance of its key, once, if the key has a limit.

    :param more: the further requests that it counts as
    :param reason: why it does, for the message
    :raises TooManyRequests: the allowance is used up
    """
    limit = caller.restriction.rate or settings().rate
    if not limit or caller.key_id is None:
        return
    for _ in range(more + (state.allowance is None)):
        state.allowance = limiter.value.take(caller.key_id, limit)
        if state.allowance.is_spent:
            break
    allowance: Allowance = state.allowance
    if allowance.is_spent:
        message = f"this key allows {limit} requests per minute{reason}; try again in {allowance.seconds} s"
        raise TooManyRequests(message, headers={"Retry-After": str(allowance.seconds)})


@contextmanager
def authenticated(request: falcon.Request, access: str) -> Iterator[Caller]:
    """Run a request that isn't an API method on behalf of its caller.

    :raises Unauthorized: a key is missing or not valid
    """
    state = request.env[STATE]
    try:
        ensure_connected()
        state.caller = identify(request, access)
        yield state.caller
    finally:
        end_of_request()


def is_overseen(request: falcon.Request) -> bool:
    """Return whether a request has an administrator's key, even if its operation ignores keys."""
    # Without a key, no database is needed. Whatever fails here, the response is about another error
    if key_of(request):
        with suppress(Exception), authenticated(request, "protected") as caller:
            return caller.oversees
    return False
