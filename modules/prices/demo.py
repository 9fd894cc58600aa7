"""Demonstration data: prices of two suppliers for some of the purchased products."""

from __future__ import annotations

import datetime
import random as randomness
from decimal import Decimal

from ..products.products import products
from ..thirdparties.thirdparties import thirdparties
from .purchase import Purchase
from .purchases import purchase_prices

AFTER = ("products", "thirdparties")


def make(random: randomness.Random, today: datetime.date) -> None:
    """Create the data; the same for the same random numbers and day."""
    suppliers = thirdparties.rows({"fournisseur": 1})[:2]
    for product in products.rows({"status_buy": 1})[:12]:
        for number, supplier in enumerate(suppliers, 1):
            quantity = Decimal(random.choice((1, 10, 50)))
            share = Decimal(random.randint(55, 75)) / 100
            purchase = Purchase(
                qty=quantity,
                buyprice=product.price * share * quantity,
                price_base_type="HT",
                fourn_id=supplier.id,
                availability=number,
                ref_fourn=f"{product.ref}/{number}",
                tva_tx=product.tva_tx,
                delivery_time_days=random.randint(2, 30),
            )
            purchase_prices.note(product.id, purchase)
