"""Demonstration data: two attributes with values, a lantern in two colours, and a kit."""

from __future__ import annotations

import datetime
import random as randomness
from decimal import Decimal

from ..products.products import products
from ..products.subproducts import associations
from .attributes import attribute_values, attributes
from .variants import NewVariant, variants

AFTER = ("products",)

#: reference and label of an attribute → references and words of its values
ATTRIBUTES = {
    ("COLOUR", "Colour"): (("RED", "red"), ("BLUE", "blue"), ("BRASS", "brass")),
    ("SIZE", "Size"): (("S", "small"), ("L", "large")),
}
#: colour of a variant, and its surcharge
COLOURS = (("RED", "0"), ("BRASS", "12.50"))
#: component of the kit, and its quantity
KIT = (("P-0001", "1"), ("P-0061", "2.5"))


def make(random: randomness.Random, today: datetime.date) -> None:
    """Create the data."""
    known: dict[str, dict[str, int]] = {}
    for (ref, label), values in ATTRIBUTES.items():
        attribute = attributes.create({"ref": ref, "label": label, "ref_ext": f"SHOP-{ref}"})
        known[ref] = {
            value: attribute_values.add(attribute, {"ref": value, "value": word}) for value, word in values
        } | {"": attribute}
    parent = products.create({"ref": "LANTERN", "label": "Storm lantern", "price": "64", "tva_tx": "20", "status": 1})
    for colour, price in COLOURS:
        features = {str(known["COLOUR"][""]): known["COLOUR"][colour]}
        variants.add(parent, NewVariant(Decimal(0), Decimal(price), False, features))
    kit = products.create({"ref": "KIT", "label": "Boatman's kit", "price": "95", "tva_tx": "20", "status": 1})
    for ref, qty in KIT:
        associations.put(kit, int(products.read(ref, "ref")["id"]), Decimal(qty))
