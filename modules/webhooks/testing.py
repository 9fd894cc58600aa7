"""Test events."""

from __future__ import annotations

import secrets
from typing import Annotated, TypedDict

from core import transaction
from core.for_natives import unix_now

from .deliveries import note_test, send
from .models import TEST
from .webhooks import webhooks


class Tested(TypedDict):
    """The response to a test event."""

    status: Annotated[int | None, "HTTP status; null: there was no response"]
    error: Annotated[str, "why the test failed; empty: it succeeded"]


def send_test(identifier: int) -> Tested:
    """Send a test event to a webhook, once, and list it among the deliveries."""
    webhook = webhooks.load(identifier)
    data = {"message": "This is a test", "webhook": identifier}
    answer = send(webhook, ".".join(TEST), unix_now(), data, f"test_{secrets.token_hex(8)}")
    with transaction():
        # It may have been deleted meanwhile
        note_test(webhooks.load(identifier, lock=True), answer)
    return {"status": answer.status, "error": answer.error}
