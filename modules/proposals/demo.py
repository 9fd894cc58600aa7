"""Demonstration data: proposals of the last year and a half, in every state."""

from __future__ import annotations

import datetime
import random as randomness

from ..commercial.demo_documents import Samples
from .proposals import proposals

AFTER = ("products", "thirdparties")
NUMBER = 240
#: how a proposal ended that the customer has had for a month: signed twice as often as refused or unanswered
ENDS = (2, 2, 3, 1)


def make(random: randomness.Random, today: datetime.date) -> None:
    """Create the data; the same for the same random numbers and day."""
    samples = Samples(random, today)
    for day in sorted(samples.day() for _ in range(NUMBER)):
        made = samples.moment(day)
        body = samples.body(day) | {"duree_validite": random.choice((15, 30, 60))}
        identifier = proposals.create(body, date_creation=made)
        age = (today - day).days
        # Few remain drafts, most of them recent ones
        if random.random() < (0.5 if age < 15 else 0.03):
            continue
        proposals.act(identifier, "validate", date_validation=made)
        end = random.choice(ENDS) if age >= 30 else 1
        if end != 1:
            proposals.act(
                identifier, "close", end, date_signature=made + datetime.timedelta(days=random.randint(1, 20))
            )
        if end == 2 and age > 200:
            closed = made + datetime.timedelta(days=random.randint(30, 90))
            proposals.act(identifier, "setinvoiced", date_cloture=closed)
