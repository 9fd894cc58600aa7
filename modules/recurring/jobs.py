"""The scheduled job that makes recurring invoices."""

from __future__ import annotations

from core import job, progress, schedule, transaction

from .making import due_templates, make_due


@job(attempts=5)
def make_invoices(template: int) -> list[int]:
    """Make the due invoices of a template; return their IDs. A second run finds none."""
    return make_due(template, lambda done, most: progress(done, most, f"{done} invoices"))


@schedule("30 4 * * *")
def make_recurring_invoices() -> int:
    """Queue a job for each template with due invoices; a failed job is retried, and the others don't wait for it."""
    due = due_templates()
    with transaction():
        for template in due:
            make_invoices.later(template)
    return len(due)
