"""Demonstration data: a hundred and twenty products and forty services of an imagined trader."""

from __future__ import annotations

import datetime
import random as randomness
from typing import Any

from core import Values

from ..dictionaries.entries import find_by_code
from ..dictionaries.models import Unit
from .products import products

AFTER = ("dictionaries", "setup")

#: products for sale: label, French VAT rate, lowest and highest price before VAT, code of the unit, weight in kg
GOODS = (
    ("Lantern", "20", 12, 90, "P", 1), ("Ledger", "20", 6, 24, "P", 1), ("Copper kettle", "20", 35, 140, "P", 2),
    ("Heather honey", "5.5", 5, 14, "KG", 1), ("Field guide", "5.5", 12, 38, "P", 1),
    ("Rope, tarred", "20", 1, 6, "M", 1), ("Bicycle bell", "20", 8, 22, "P", 1),
    ("Seed potatoes", "10", 1, 3, "KG", 1), ("Cider vinegar", "5.5", 2, 7, "L", 1), ("Oak plank", "10", 9, 48, "M", 8),
)  # fmt: skip
FINISHES = (
    "plain", "red", "large", "of the islands", "small", "blue", "for export", "second choice", "signed", "in a box",
    "for children", "made to measure",
)  # fmt: skip
#: services: label, French VAT rate, lowest and highest price before VAT, duration
WORKS = (
    ("Sharpening", "20", 9, 25, (1, "h")), ("Bookbinding", "20", 60, 240, (2, "d")),
    ("Chimney inspection", "10", 45, 80, (1, "h")), ("Apprentice's course", "0", 150, 600, (1, "w")),
    ("Warehouse shelf", "20", 15, 40, (1, "m")),
)  # fmt: skip
MANNERS = (
    "at our counter", "at your place", "in a hurry", "by subscription", "at night", "for schools", "on an island",
    "by our partner",
)  # fmt: skip


def make(random: randomness.Random, today: datetime.date) -> None:
    """Create the data; the same for the same random numbers and day."""
    number, rows = 0, []
    for label, rate, low, high, unit, weight in GOODS:
        for finish in FINISHES:
            number += 1
            more = {
                "type": 0,
                "fk_unit": getattr(find_by_code(Unit, unit), "id", None),
                "weight": weight,
                "weight_units": 0,
                "barcode": f"20{random.randrange(10**6):06d}{number:04d}",
                "status_buy": 1,
            }
            rows.append(_product(random, today, f"P-{number:04d}", f"{label}, {finish}", rate, (low, high), more))
    for label, rate, low, high, (value, unit) in WORKS:
        for manner in MANNERS:
            number += 1
            more = {"type": 1, "duration_value": value, "duration_unit": unit}
            rows.append(_product(random, today, f"S-{number:04d}", f"{label} {manner}", rate, (low, high), more))
    products.insert_all(rows)


def _product(
    random: randomness.Random, today: datetime.date, ref: str, label: str, rate: str, prices: tuple[int, int],
    more: dict[str, Any],
) -> tuple[Values, dict[str, Any] | None]:  # fmt: skip
    price = f"{random.randrange(prices[0] * 100, prices[1] * 100) / 100:.2f}"
    # One in four is priced with VAT, as in a shop
    taxed = random.random() < 0.25
    words = f"{label}: made with care since {random.randint(1850, 1999)}."
    body = {
        "ref": ref,
        "label": label,
        "tva_tx": rate,
        "price_base_type": "TTC" if taxed else "HT",
        "price_ttc" if taxed else "price": price,
        "cost_price": f"{prices[0] * 0.6:.2f}",
        "description": words if random.random() < 0.4 else None,
        # One in ten is no longer sold
        "status": int(random.random() > 0.1),
        **more,
    }
    return products.accept_new(body, {"date_creation": _moment(random, today)})


def _moment(random: randomness.Random, today: datetime.date) -> datetime.datetime:
    """Return a time in office hours of the last three years."""
    day = today - datetime.timedelta(days=random.randint(1, 1000))
    return datetime.datetime.combine(day, datetime.time(random.randint(8, 17), random.randint(0, 59)))
