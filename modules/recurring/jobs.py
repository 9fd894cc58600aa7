"""What makes recurring invoices while nobody looks."""

from __future__ import annotations

from core import job, progress, schedule, transaction

from .making import due_templates, make_due


@job(attempts=5)
def make_invoices(template: int) -> list[int]:
    """Make the invoices of a template that are due; answers their identifiers. Done twice, it finds nothing to do."""
    return make_due(template, lambda done, most: progress(done, most, f"{done} invoices"))


@schedule("30 4 * * *")
def make_recurring_invoices() -> int:
    """A job for each template that has something due: one that fails is tried again, and the others do not wait."""
    due = due_templates()
    with transaction():
        for template in due:
            make_invoices.later(template)
    return len(due)
