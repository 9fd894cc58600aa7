"""Demonstration data: proposals of the last year and a half, in every state."""

from __future__ import annotations

import datetime
import random as randomness
from typing import Any

from ..commercial.demo_documents import DemoDocuments, Samples
from .proposals import proposals

AFTER = ("products", "thirdparties")
NUMBER = 240
#: final states of proposals older than a month: signed twice as often as refused or unanswered
ENDS = (2, 2, 3, 1)


def make(random: randomness.Random, today: datetime.date) -> None:
    """Create the data; the same for the same random numbers and day."""
    samples = Samples(random, today)
    made = DemoDocuments(proposals, samples)
    drafts: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for day in sorted(samples.day() for _ in range(NUMBER)):
        body = samples.body(day) | {"duree_validite": random.choice((15, 30, 60))}
        drafts.append((body, {"date_creation": samples.moment(day)}))
    for row, (_, managed) in zip(made.create(drafts), drafts, strict=True):
        created = managed["date_creation"]
        age = (today - row.date).days
        # Few remain drafts, most of them recent ones
        if random.random() < (0.5 if age < 15 else 0.03):
            continue
        made.act(row, "validate", date_validation=created)
        end = random.choice(ENDS) if age >= 30 else 1
        if end != 1:
            signed = created + datetime.timedelta(days=random.randint(1, 20))
            made.act(row, "close", end, date_signature=signed)
        if end == 2 and age > 200:
            closed = created + datetime.timedelta(days=random.randint(30, 90))
            made.act(row, "setinvoiced", date_cloture=closed)
    made.write()
