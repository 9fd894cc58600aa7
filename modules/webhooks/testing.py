"""Test events."""

from __future__ import annotations

import secrets
from typing import Annotated, TypedDict

from core.for_natives import unix_now

from .deliveries import send
from .webhooks import webhooks


class Tested(TypedDict):
    """The response to a test event."""

    status: Annotated[int | None, "HTTP status; null: there was no response"]
    error: Annotated[str, "why the test failed; empty: it succeeded"]


def send_test(identifier: int) -> Tested:
    """Send a test event to a webhook, once."""
    webhook = webhooks.load(identifier)
    data = {"message": "This is a test", "webhook": identifier}
    answer = send(webhook, "webhooks.test", unix_now(), data, f"test_{secrets.token_hex(8)}")
    return {"status": answer.status, "error": answer.error}
