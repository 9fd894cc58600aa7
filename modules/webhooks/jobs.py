"""The jobs of webhooks: number events, deliver them, remove old ones."""

from __future__ import annotations

import secrets

from core import job, repeat, schedule, transaction

from .deliveries import deliver_to, due_webhooks, has_more, leave_behind, take
from .feed import last_old_number, number_events, pruned_number, remove_events
from .followers import forget_followers


@repeat(seconds=10)
def dispatch() -> None:
    """Number the committed events, and start a job for each webhook that has something to deliver."""
    last = number_events()
    for webhook in due_webhooks(last):
        if not has_more(webhook, last):
            continue
        token = secrets.token_hex(16)
        with transaction():
            if take(webhook, token):
                deliver.later(webhook, token)


@job(share=0.5)
def deliver(webhook: int, token: str) -> None:
    """Deliver to a webhook for a while."""
    if deliver_to(webhook, token):
        deliver.later(webhook, token)


@schedule("17 3 * * *")
def remove_old() -> None:
    """Remove events and deliveries that are no longer kept."""
    until = last_old_number()
    if until > pruned_number():
        leave_behind(until)
        remove_events(until)
    forget_followers()
