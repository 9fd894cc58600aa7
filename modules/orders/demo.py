"""Demonstration data: orders made from signed proposals, and others, in every state."""

from __future__ import annotations

import datetime
import random as randomness

from core import utc_now

from ..commercial.demo_documents import Samples
from ..proposals.models import Proposal
from .orders import orders

AFTER = ("proposals",)
#: orders that come without a proposal
OTHERS = 140
SIGNED = (2, 4)


def make(random: randomness.Random, today: datetime.date) -> None:
    """Create the data; the same for the same random numbers and day."""
    samples = Samples(random, today)
    for proposal in Proposal.select().where(Proposal.statut.in_(SIGNED)).order_by(Proposal.id):
        signed = min((proposal.date_signature or utc_now()).date(), today)
        identifier = int(orders.create_from_proposal(proposal.id)["id"])
        orders.write_unchecked(identifier, date=signed, date_creation=samples.moment(signed))
        _go_on(samples, identifier, signed)
    for day in sorted(samples.day() for _ in range(OTHERS)):
        identifier = orders.create(samples.body(day), date_creation=samples.moment(day))
        _go_on(samples, identifier, day)


def _go_on(samples: Samples, identifier: int, day: datetime.date) -> None:
    """Let an order go as far as its age makes likely: draft, validated, cancelled or closed."""
    random = samples.random
    age = (samples.today - day).days
    if random.random() < (0.4 if age < 10 else 0.03):
        return
    orders.act(identifier, "validate", date_validation=samples.moment(day))
    if random.random() < 0.05:
        orders.act(identifier, "cancel")
    elif age > 60 and random.random() < 0.8:
        closed = day + datetime.timedelta(days=random.randint(20, 60))
        orders.act(identifier, "close", date_cloture=samples.moment(closed))
