"""Row rules: users see their own webhooks and deliveries; a webhook has the permissions of its owner."""

from __future__ import annotations

from core import Caller, Rows

from .models import Delivery, Webhook


def own_webhooks(caller: Caller) -> Rows:
    """Return the user's own webhooks; administrators see all."""
    return Rows.ALL if caller.oversees else Rows("{user} = ?", caller.id, seen="the user's own webhooks")


def own_deliveries(caller: Caller) -> Rows:
    """Return the deliveries to the user's own webhooks; administrators see all."""
    return (
        Rows.ALL if caller.oversees else Rows("{webhook.user} = ?", caller.id, seen="those of the user's own webhooks")
    )


RULES = {Webhook: own_webhooks, Delivery: own_deliveries}
