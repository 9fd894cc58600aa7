"""Demonstration data: a template that is invoiced each month, and one that is used by hand."""

from __future__ import annotations

import datetime
import random as randomness

from ..commercial.demo_documents import Samples
from .making import make_one
from .periods import month_of
from .templates import templates

AFTER = ("invoices",)
CARE = {"desc": "Care in __INVOICE_MONTH_TEXT__", "qty": 1, "subprice": "49.90", "tva_tx": "20", "product_type": 1}
HIRE = {"desc": "Hire of a stand", "qty": 1, "subprice": "130", "tva_tx": "20", "product_type": 1}


def make(random: randomness.Random, today: datetime.date) -> None:
    """Create the data; the same for the same random numbers and day."""
    samples = Samples(random, today)
    customers = random.sample([*samples.customers], 2)
    care = {"title": "Care, each month", "socid": customers[0], "cond_reglement_id": 2, "lines": [CARE]}
    plan = {"frequency": 1, "unit_frequency": "m", "date_when": str(month_of(today, 1)), "auto_validate": 1}
    make_one(templates.create(care | plan), month_of(today, 0))
    templates.create({"title": "Hire of a stand", "socid": customers[1], "lines": [HIRE]})
