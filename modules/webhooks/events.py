"""Every event of every service is stored; paused webhooks show in the state of the server."""

from __future__ import annotations

from typing import Any

from core import SentEvent, on, query

from .feed import store
from .followers import note_readers, noted_readers


@on("any.any", when="commit")
def store_events(events: list[SentEvent]) -> None:
    """Store the events of a transaction."""
    store(events, noted_readers)


@on("any.deleted", when="checking")
def note_deletion(service: str, record: dict[str, Any], values: dict[str, Any]) -> None:
    """Note the users who may see a record, before anything of it is deleted."""
    note_readers(service, record["id"])


@on("health.degraded", when="before")
def tell_health(record: dict[str, Any]) -> None:
    """Add the number of webhooks that the server has paused."""
    paused = int(query("SELECT COUNT(*) FROM comptoir_webhook WHERE active = 0 AND reason <> ''")[0][0])
    if paused:
        record["parts"]["webhooks"] = f"{paused} {'is' if paused == 1 else 'are'} paused, because deliveries failed"
