"""Demonstration data: invoices of orders and others, deposits and credit notes, in every state, with their payments."""

from __future__ import annotations

import datetime
import random as randomness
from decimal import Decimal

from ..commercial.samples import Samples
from ..orders.models import Order
from .crediting import discount_from, mark_as_credit, use_as_payment
from .fromorders import create_from_order
from .invoices import invoices
from .models import CREDIT_NOTE, DEPOSIT
from .payments import Manner, pay

AFTER = ("orders",)
#: invoices that come without an order
OTHERS = 120
BILLED = (1, 3)
EPOCH = datetime.date(1970, 1, 1)


def make(random: randomness.Random, today: datetime.date) -> None:
    """Create the data; the same for the same random numbers and day."""
    samples = Samples(random, today)
    unpaid: list[int] = []
    for order in Order.select(Order.id, Order.date).where(Order.statut.in_(BILLED)).order_by(Order.id):
        if random.random() < 0.8:
            identifier = int(create_from_order(order.id)["id"])
            invoices.change(identifier, {"date": str(order.date)}, date_creation=samples.moment(order.date))
            unpaid += _go_on(samples, identifier, order.date)
    for day in sorted(samples.day() for _ in range(OTHERS)):
        kind = {"type": DEPOSIT} if random.random() < 0.1 else {}
        identifier = invoices.create(samples.body(day) | kind, date_creation=samples.moment(day))
        unpaid += _go_on(samples, identifier, day)
    for identifier in unpaid[::8]:
        _give_back(samples, identifier)


def _go_on(samples: Samples, identifier: int, day: datetime.date) -> list[int]:
    """Let an invoice go as far as its age makes likely; answers it where it waits for its money."""
    random = samples.random
    age = (samples.today - day).days
    if random.random() < (0.4 if age < 10 else 0.03):
        return []
    invoices.act(identifier, "validate", date_validation=day)
    paid = day + datetime.timedelta(days=random.randint(3, 75))
    chance = random.random()
    if paid > samples.today or chance < 0.1:
        return [identifier]
    mode, number = random.choice((2, 2, 4, 6)), random.randrange(10**6)
    details = {"datepaye": str(paid), "paymentid": mode, "num_payment": str(number)}
    total = Decimal(invoices.read(identifier)["remaintopay"])
    if chance < 0.15:
        invoices.act(identifier, "settopaid", 3, close_code="badcustomer", close_note="insolvent")
    elif total > 1 and chance < 0.3:
        pay({identifier: (total / 2).quantize(Decimal("0.01"))}, details, Manner())
    elif total > 0:
        pay({identifier: None}, details, Manner(close=True))
    return []


def _give_back(samples: Samples, identifier: int) -> None:
    """A credit note over a tenth of an invoice; one in two is set off against it."""
    record = invoices.read(identifier)
    day = min(
        samples.today,
        datetime.date(1970, 1, 1) + datetime.timedelta(seconds=int(record["date"])) + datetime.timedelta(days=10),
    )
    line = {"desc": "Goodwill", "qty": 1, "subprice": str(round(Decimal(record["total_ht"]) / 10, 2)), "tva_tx": 20}
    body = {"socid": record["socid"], "type": CREDIT_NOTE, "fk_facture_source": identifier, "date": str(day)}
    note = invoices.create(body | {"lines": [line]}, date_creation=samples.moment(day))
    invoices.act(note, "validate", date_validation=day)
    if samples.random.random() < 0.5:
        mark_as_credit(note)
        use_as_payment(identifier, int(discount_from(note)["id"]))
