"""Demonstration data: a few towns."""

from __future__ import annotations

from datetime import date
from random import Random

from .entries import fill
from .lists import DICTIONARIES
from .models import (
    Availability,
    ContactRole,
    Country,
    Origin,
    PaymentTerm,
    PaymentType,
    ShippingMethod,
    Unit,
    VatRate,
)

#: dictionaries that other demonstration data reads: filled now, so later transactions can cache them
READ = (Availability, ContactRole, Country, Origin, PaymentTerm, PaymentType, ShippingMethod, Unit, VatRate)


def make(random: Random, today: date) -> None:
    """Add towns, and fill dictionaries."""
    for code, town in (("69001", "Lyon"), ("75001", "Paris"), ("33000", "Bordeaux")):
        DICTIONARIES["towns"].add({"zip": code, "town": town, "fk_country": 1})
    for model in READ:
        fill(model)
