"""Demonstration data: small trees of categories and the records in them."""

from __future__ import annotations

from datetime import date
from random import Random
from typing import Any

from .categories import categories
from .links import KINDS, link

AFTER = ("products", "thirdparties", "users")

#: type → label of the root → labels of its subcategories
TREES: dict[str, dict[str, tuple[str, ...]]] = {
    "product": {"Household": ("Kitchen", "Light"), "Garden": ("Seeds", "Honey and cider"), "Services": ()},
    "supplier": {"Workshops": (), "Farms": ()},
    "customer": {"Wholesale": ("Export", "Inland"), "Retail": (), "Schools": ()},
    "contact": {"Newsletter": (), "Trade fair": ()},
    "user": {"Counter": (), "Office": ()},
}
COLORS = ("207040", "b03030", "3050b0", "c08020")
#: records of each type that are in a category
LINKED = 12


def make(random: Random, today: date) -> None:
    """Create the data; the same for the same random numbers and day."""
    for kind, tree in TREES.items():
        made = []
        for label, below in tree.items():
            top = _create(random, kind, label, 0)
            made += [top, *(_create(random, kind, each, top) for each in below)]
        for record in _some(random, kind):
            link(kind, record, random.choice(made))


def _create(random: Random, kind: str, label: str, parent: int) -> int:
    return categories.create({"type": kind, "label": label, "fk_parent": parent, "color": random.choice(COLORS)})


def _some(random: Random, kind: str) -> list[int]:
    wanted: dict[str, Any] = {"supplier": {"fournisseur": 1}, "customer": {"client": (1, 3)}}
    found = [row.id for row in KINDS[kind].records.rows(wanted.get(kind, {}))]
    return random.sample(found, min(LINKED, len(found)))
