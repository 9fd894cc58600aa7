"""Subscriptions follow their third party, and let go of drafts that are deleted."""

from typing import Any

from core import on

from .models import Invoiced, subscriptions


@on("thirdparties.changed", when="before")
def follow_thirdparty(record: dict[str, Any]) -> None:
    """A third party may have been closed or opened."""
    subscriptions.follow(record["id"])


@on("invoices.deleted", when="before")
def forget_draft(record: dict[str, Any]) -> None:
    """A draft may be deleted; its month stays invoiced."""
    Invoiced.update(invoice=None).where(Invoiced.invoice == record["id"]).execute()
