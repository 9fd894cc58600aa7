"""Demonstration data: a town, so that there is one to look for."""

from __future__ import annotations

from datetime import date
from random import Random

from .lists import DICTIONARIES


def make(random: Random, today: date) -> None:
    """Add towns."""
    for code, town in (("69001", "Lyon"), ("75001", "Paris"), ("33000", "Bordeaux")):
        DICTIONARIES["towns"].add({"zip": code, "town": town, "fk_country": 1})
