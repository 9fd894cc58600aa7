"""Secrets in a body: the password is hashed, all others are rejected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import BadRequest, Unauthorized, warn
from core.for_natives import asks_strict, hash_password

SHORTEST = 12
LONGEST = 1024

_CLOSED = ("pass_crypted", "pass_indatabase", "pass_indatabase_crypted", "pass_temp", "api_key")


def refuse_secrets(body: Mapping[str, Any]) -> None:
    """Reject a body with a field that clients may not set.

    `password`, which clients of Dolibarr send, is ignored with a warning, unless the client asks for strict handling.

    :raises Unauthorized: the body has such a field
    :raises BadRequest: it has `password`, and must be strict
    """
    for name in _CLOSED:
        if name in body:
            theirs = f"The property {name} can't be set/modified using the APIs"
            raise Unauthorized(f"`{name}` can't be set with the API", dolibarr=theirs, reason="forbidden")
    if "password" in body:
        if asks_strict():
            raise BadRequest(errors=[("password", "unknown field; use `pass` to set the password")])
        warn("ignored: password; use `pass` to set the password")


def hashed(password: Any, name: str = "pass") -> str:
    """Return the hash of a new password. Hashing is slow: never call this inside a transaction.

    :param name: its field in the body
    :raises BadRequest: it is not text, has a wrong length, or has spaces around it
    """
    if not isinstance(password, str):
        raise _wrong(name, "expected text, got another type of value")
    if not SHORTEST <= len(password) <= LONGEST:
        raise _wrong(name, f"expected {SHORTEST} to {LONGEST} characters, got {len(password)}")
    if password != password.strip():
        raise _wrong(name, "expected no spaces at the start or end")
    return hash_password(password)


def _wrong(name: str, reason: str) -> BadRequest:
    return BadRequest(errors=[(name, reason)])
