"""Demonstration data: invoices of closed orders and others, most of them paid, some late; deposits and credit notes."""

from __future__ import annotations

import datetime
import random as randomness
from decimal import Decimal
from typing import Any

from core import Values, now

from ..commercial.demo_documents import DemoDocuments, Samples
from ..commercial.totals import half_up
from ..orders.models import Order
from ..orders.orders import orders
from .credits import mark_as_credit
from .invoices import due_day, invoices
from .models import CREDIT_NOTE, DEPOSIT, Invoice, Payment
from .payments import KNOWN, SERIES, payments, share_values, shares
from .states import ABANDONED, PAID

AFTER = ("orders",)
#: invoices that come without an order
OTHERS = 120
CLOSED = 3
MODES = (2, 2, 2, 4, 6)
NOON = datetime.time(12)


def make(random: randomness.Random, today: datetime.date) -> None:
    """Create the data; the same for the same random numbers and day."""
    samples = Samples(random, today)
    made, paid = DemoDocuments(invoices, samples), _Payments()
    billed = DemoDocuments(orders, samples)
    closed = list(Order.select().where(Order.statut == CLOSED).order_by(Order.id))
    rows = made.create_from(orders, closed, lambda order: _copied(samples, order))
    for order in closed:
        billed.change(order, billed=1, date_modification=now())
    drafts = []
    for day in sorted(samples.day() for _ in range(OTHERS)):
        kind = random.choices((0, DEPOSIT, CREDIT_NOTE), (20, 2, 1))[0]
        drafts.append((samples.body(day) | {"type": kind}, {"date_creation": samples.moment(day)}))
    credits = [row.id for row in [*rows, *made.create(drafts)] if _go_on(made, paid, samples, row)]
    for written in (made, billed, paid):
        written.write()
    for identifier in credits:
        mark_as_credit(identifier)


def _copied(samples: Samples, order: Order) -> dict[str, Any]:
    """Return the fields of an invoice of an order that was closed some time ago."""
    day = min((order.date_cloture or samples.moment(order.date)).date(), samples.today)
    return {
        "date": day,
        "date_lim_reglement": due_day(day, order.cond_reglement_id),
        "date_creation": samples.moment(day),
    }


def _go_on(made: DemoDocuments[Invoice], paid: _Payments, samples: Samples, row: Invoice) -> bool:
    """Let an invoice go as far as its age makes likely: draft, validated, paid in part, paid or given up.

    Return whether a discount is to be made of it.
    """
    random = samples.random
    age = (samples.today - row.date).days
    if random.random() < (0.4 if age < 10 else 0.02):
        return False
    made.act(row, "validate", date_validation=row.date)
    if row.type == CREDIT_NOTE:
        return random.random() < 0.6
    if age > 400 and random.random() < 0.04:
        made.act(row, "settopaid", ABANDONED, close_code="badcustomer", close_note="insolvent")
    elif age > 20 and random.random() < 0.85 and row.total_ttc and paid.add(samples, row):
        made.act(row, "settopaid", PAID)
        return bool(row.type == DEPOSIT)
    return False


class _Payments:
    """Payments that are written together."""

    def __init__(self) -> None:
        self._parts: list[tuple[Values, Invoice, Decimal]] = []

    def add(self, samples: Samples, row: Invoice) -> bool:
        """Pay an invoice within two months, one in six in two parts; return whether nothing remains."""
        random = samples.random
        when = min(row.date + datetime.timedelta(days=random.randint(5, 60)), samples.today)
        mode, rest = random.choice(MODES), row.total_ttc
        if random.random() < 0.16 and row.type != DEPOSIT:
            first = half_up(row.total_ttc / 3, 2)
            self._add(row, when, mode, first)
            rest -= first
            if random.random() < 0.5:
                return False
        self._add(row, when, mode, rest)
        return True

    def _add(self, row: Invoice, day: datetime.date, mode: int, amount: Decimal) -> None:
        moment = datetime.datetime.combine(day, NOON)
        values, _ = payments.accept({"datepaye": str(moment), "paymentid": mode})
        values |= {"amount": amount, "multicurrency_amount": amount, "ref": SERIES.take(Payment.ref, day)}
        self._parts.append((values, row, amount))

    def write(self) -> None:
        """Write the payments, and what each pays."""
        ids = payments.insert_all([(values, None) for values, _, _ in self._parts])
        paid = [share_values(each, row, amount) for each, (_, row, amount) in zip(ids, self._parts, strict=True)]
        shares.insert_all([(Values(each), None) for each in paid], lambda _: KNOWN)
