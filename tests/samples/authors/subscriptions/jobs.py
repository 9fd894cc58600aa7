"""Each day, a draft of an invoice for each subscription that is due."""

from core import job, schedule

from .models import subscriptions


@job
def invoice(subscription: int) -> int:
    """Make the drafts of one subscription; several, when months were missed. Answers how many."""
    made = 0
    while subscriptions.invoice(subscription):
        made += 1
    return made


@schedule("0 5 * * *")
def invoice_all() -> int:
    """A job for each subscription: one that fails is tried again, and the others do not wait for it."""
    due = subscriptions.due()
    for subscription in due:
        invoice.later(subscription)
    return len(due)
