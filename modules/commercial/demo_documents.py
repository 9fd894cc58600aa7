"""What demonstration documents are made of: customers, lines, days."""

from __future__ import annotations

import datetime
import random as randomness
from typing import Any

from ..products.models import Product
from ..thirdparties.models import Thirdparty

#: lines that name no product: text, price, rate of VAT
WORKS = (
    ("Delivery to the yard", "45", "20"), ("Fitting on site", "280", "10"), ("Advice by the hour", "95", "20"),
    ("Engraving", "12.5", "20"), ("Travel", "0.62", "20"), ("Hire of a stand", "130", "20"),
)  # fmt: skip
NOTES = ("Thank you for your trust.", "Please ring before you deliver.", "Partial delivery is welcome.")
TERMS = (1, 2, 2, 3, 4)


class Samples:
    """Chooses what a document holds; the same for the same random numbers."""

    def __init__(self, random: randomness.Random, today: datetime.date) -> None:
        self.random = random
        self.today = today
        customers = Thirdparty.select(Thirdparty.id).where((Thirdparty.status == 1) & (Thirdparty.client > 0))
        self.customers = [row.id for row in customers.order_by(Thirdparty.id)]
        on_sale = Product.select(Product.id).where(Product.status == 1).order_by(Product.id)
        self.products = [row.id for row in on_sale]

    def day(self, oldest: int = 540, newest: int = 0) -> datetime.date:
        """A day of the past.

        :param oldest: days ago at the most
        :param newest: days ago at the least
        """
        return self.today - datetime.timedelta(days=self.random.randint(newest, oldest))

    def moment(self, day: datetime.date) -> datetime.datetime:
        """Some time in a day's office hours."""
        return datetime.datetime.combine(day, datetime.time(self.random.randint(8, 17), self.random.randint(0, 59)))

    def body(self, day: datetime.date) -> dict[str, Any]:
        """A document of a day for some customer, with one to six lines."""
        random = self.random
        return {
            "socid": random.choice(self.customers),
            "date": str(day),
            "ref_client": f"{random.choice('ABCKMR')}-{random.randint(100, 9999)}" if random.random() < 0.4 else None,
            "cond_reglement_id": random.choice(TERMS),
            "mode_reglement_id": random.choice((2, 2, 4, 6, 7)),
            "note_public": random.choice(NOTES) if random.random() < 0.3 else None,
            "lines": [self.line() for _ in range(random.choice((1, 1, 2, 2, 3, 4, 6)))],
        }

    def line(self) -> dict[str, Any]:
        """A line, as a rule of a product."""
        random = self.random
        discount = {"remise_percent": random.choice((5, 10, "12.5"))} if random.random() < 0.2 else {}
        if self.products and random.random() < 0.75:
            return {"fk_product": random.choice(self.products), "qty": random.randint(1, 20), **discount}
        text, price, rate = random.choice(WORKS)
        quantity = random.choice((1, 1, 2, "1.5", 8))
        return {"desc": text, "qty": quantity, "subprice": price, "tva_tx": rate, "product_type": 1, **discount}
