"""Subscriptions follow their third party, and let go of drafts that are deleted."""

from typing import Any

from .models import Invoiced, subscriptions


def before_thirdparties_changed(record: dict[str, Any]) -> None:
    """A third party may have been closed or opened."""
    subscriptions.follow(record["id"])


def before_invoices_deleted(record: dict[str, Any]) -> None:
    """A draft may be deleted; its month stays invoiced."""
    Invoiced.update(invoice=None).where(Invoiced.invoice == record["id"]).execute()
