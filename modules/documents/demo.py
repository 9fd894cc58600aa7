"""Demonstration data: jobs that print the PDFs of all validated documents."""

from __future__ import annotations

from datetime import date
from random import Random
from typing import Any

from .files.index import PROVISIONAL
from .files.record_types import record_types
from .jobs import print_documents
from .printing.template_choice import can_print

AFTER = ("recurring", *sorted({each.module for each in record_types() if can_print(each)}))
#: number of documents per job
AT_ONCE = 50


def make(random: Random, today: date) -> None:
    """Enqueue jobs that generate the PDFs of all validated documents."""
    for each in record_types():
        model: Any = each.records.model
        if not can_print(each) or "statut" not in model._meta.fields:
            continue
        key = model._meta.primary_key
        rows = model.select(key).where(model.statut != 0, ~model.ref.startswith(PROVISIONAL)).order_by(key).tuples()
        ids = [identifier for (identifier,) in rows]
        for first in range(0, len(ids), AT_ONCE):
            print_documents.later(each.service, ids[first : first + AT_ONCE])
