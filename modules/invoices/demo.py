"""Demonstration data: invoices of closed orders and others, most of them paid, some late; deposits and credit notes."""

from __future__ import annotations

import datetime
import random as randomness

from ..commercial.demo_documents import Samples
from ..commercial.totals import half_up
from ..orders.models import Order
from ..orders.orders import orders
from .credits import mark_as_credit
from .from_orders import create_from_order
from .invoices import due_day, invoices
from .models import CREDIT_NOTE, DEPOSIT, Invoice
from .payments import Manner, pay

AFTER = ("orders",)
#: invoices that come without an order
OTHERS = 120
CLOSED = 3
MODES = (2, 2, 2, 4, 6)
NOON = datetime.time(12)


def make(random: randomness.Random, today: datetime.date) -> None:
    """Create the data; the same for the same random numbers and day."""
    samples = Samples(random, today)
    for order in Order.select().where(Order.statut == CLOSED).order_by(Order.id):
        day = min((order.date_cloture or samples.moment(order.date)).date(), today)
        identifier = int(create_from_order(order.id)["id"])
        due = due_day(day, order.cond_reglement_id)
        invoices.write_unchecked(identifier, date=day, date_lim_reglement=due, date_creation=samples.moment(day))
        if not order.billed:
            orders.set_billed(order.id)
        _go_on(samples, identifier, day)
    for day in sorted(samples.day() for _ in range(OTHERS)):
        kind = random.choices((0, DEPOSIT, CREDIT_NOTE), (20, 2, 1))[0]
        identifier = invoices.create(samples.body(day) | {"type": kind}, date_creation=samples.moment(day))
        _go_on(samples, identifier, day)


def _go_on(samples: Samples, identifier: int, day: datetime.date) -> None:
    """Let an invoice go as far as its age makes likely: draft, validated, paid in part, paid or given up."""
    random = samples.random
    age = (samples.today - day).days
    if random.random() < (0.4 if age < 10 else 0.02):
        return
    invoices.act(identifier, "validate", date_validation=day)
    row = invoices.load(identifier)
    if row.type == CREDIT_NOTE:
        if random.random() < 0.6:
            mark_as_credit(identifier)
    elif age > 400 and random.random() < 0.04:
        invoices.close(identifier, "badcustomer", "insolvent")
    elif age > 20 and random.random() < 0.85:
        _pay(samples, row, day)
        if row.type == DEPOSIT:
            mark_as_credit(identifier)


def _pay(samples: Samples, row: Invoice, day: datetime.date) -> None:
    """Pay an invoice within two months, one in six in two parts."""
    random = samples.random
    when = min(day + datetime.timedelta(days=random.randint(5, 60)), samples.today)
    details = {"datepaye": str(datetime.datetime.combine(when, NOON)), "paymentid": random.choice(MODES)}
    if random.random() < 0.16 and row.type != DEPOSIT:
        pay({row.id: half_up(row.total_ttc / 3, 2)}, details, Manner())
        if random.random() < 0.5:
            return
    pay({row.id: None}, details, Manner(close=True))
