"""Demonstration data: orders made from signed proposals, and others, in every state."""

from __future__ import annotations

import datetime
import random as randomness
from typing import Any

from core import now

from ..commercial.demo_documents import DemoDocuments, Samples
from ..proposals.models import Proposal
from ..proposals.proposals import proposals
from .models import Order
from .orders import orders

AFTER = ("proposals",)
#: number of orders without a proposal
OTHERS = 140
SIGNED = (2, 4)


def make(random: randomness.Random, today: datetime.date) -> None:
    """Create the data; the same for the same random numbers and day."""
    samples = Samples(random, today)
    made = DemoDocuments(orders, samples)
    signed = list(Proposal.select().where(Proposal.statut.in_(SIGNED)).order_by(Proposal.id))
    for row in made.create_from(proposals, signed, lambda proposal: _copied(samples, proposal)):
        _go_on(made, samples, row)
    days = sorted(samples.day() for _ in range(OTHERS))
    for row in made.create([(samples.body(day), {"date_creation": samples.moment(day)}) for day in days]):
        _go_on(made, samples, row)
    made.write()


def _copied(samples: Samples, proposal: Proposal) -> dict[str, Any]:
    """Return the fields of an order from a proposal that was signed a few days ago."""
    day = min((proposal.date_signature or now()).date(), samples.today)
    return {"date": day, "date_creation": samples.moment(day), "source": 0}


def _go_on(made: DemoDocuments[Order], samples: Samples, row: Order) -> None:
    """Advance an order to a state that is likely for its age: draft, validated, cancelled or closed."""
    random = samples.random
    age = (samples.today - row.date).days
    if random.random() < (0.4 if age < 10 else 0.03):
        return
    made.act(row, "validate", date_validation=samples.moment(row.date))
    if random.random() < 0.05:
        made.act(row, "cancel")
    elif age > 60 and random.random() < 0.8:
        closed = row.date + datetime.timedelta(days=random.randint(20, 60))
        made.act(row, "close", date_cloture=samples.moment(closed))
