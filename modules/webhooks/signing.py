"""Secrets and signatures, as the Standard Webhooks specification defines them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import Any

PREFIX = "whsec_"
#: bytes of a secret
LEAST, MOST = 24, 64


def make_secret() -> str:
    """Return a new secret."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def check_secret(text: Any) -> None:
    """Check a secret that a client has chosen.

    :raises ValueError: it has another form
    """
    try:
        is_secret = isinstance(text, str) and text.startswith(PREFIX)
        size = len(base64.b64decode(text.removeprefix(PREFIX), validate=True)) if is_secret else 0
    except ValueError:
        size = 0
    if not LEAST <= size <= MOST:
        # Without what was sent: the message is logged
        raise ValueError(f"expected {PREFIX} and {LEAST} to {MOST} bytes in base64")


def signature(secret: str, identifier: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a request with one secret: ``v1,`` and the HMAC-SHA256 in base64."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    digest = hmac.digest(key, f"{identifier}.{timestamp}.".encode() + body, hashlib.sha256)
    return f"v1,{base64.b64encode(digest).decode()}"


def headers_of(secrets: Iterable[str], identifier: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers of a signed request.

    :param secrets: the present secret, and the former one while it is being changed
    :param identifier: the same for each attempt to deliver an event
    :param timestamp: of this attempt, in Unix seconds
    """
    return {
        "Content-Type": "application/json",
        "User-Agent": "Comptoir",
        "webhook-id": identifier,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signature(each, identifier, timestamp, body) for each in secrets),
    }
