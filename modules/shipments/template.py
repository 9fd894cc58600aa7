"""The PDF of a shipment: a delivery note, without prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from core.for_natives import default_context

from ..dictionaries.entries import entries
from ..dictionaries.models import Unit
from ..documents.content.language import Language
from ..documents.content.lines import line_label, line_text, unit_quantity
from ..documents.content.printed_document import PrintedLine
from ..documents.content.record_values import local_day_of, number
from ..documents.template import Template
from ..products.products import products
from .shipments import shipments

#: units of weight that are powers of ten of a kilogram
METRIC = range(-9, 4)
KILOGRAMME = 0


class DeliveryNote(Template):
    """A delivery note: the packed goods, the shipping method and the weight."""

    documents = shipments
    title = "Delivery note"
    days = {"date_validation": "Date", "date_delivery": "Delivery date"}
    attention = ("SHIPPING", "CUSTOMER")

    def day(self, name: str) -> date | None:
        """Return a printed day; that of the validation is an instant."""
        return local_day_of(self.record[name]) if name == "date_validation" else super().day(name)

    def facts(self) -> list[tuple[str, Any]]:
        """Return dates, references and the shipping method."""
        return [
            *super().facts(),
            ("Shipping method", self.words.say(str(self.record["shipping_method"] or ""))),
            ("Tracking number", self.record["tracking_number"]),
            ("Weight", weight_of(self.record, self.words)),
        ]

    def lines(self) -> list[PrintedLine]:
        """Return the packed lines."""
        return [
            PrintedLine(
                ref=str(line["product_ref"] or ""),
                label=line_label(line),
                text=line_text(line),
                qty=unit_quantity(line, self.words),
            )
            for line in self.record["lines"]
        ]

    # Without prices, a shipment has no taxes, sums or payments --------------------------------------------------------

    def taxes(self) -> list[tuple[str, str, str]]:
        """Return no taxes."""
        return []

    def totals(self) -> list[tuple[str, Decimal, bool]]:
        """Return no totals."""
        return []

    def is_owed(self) -> bool:
        """Return False: no payment is due."""
        return False

    def vat_reasons(self) -> list[str]:
        """Return no reasons, because a delivery note has no taxes."""
        return []


@default_context
def weight_of(record: Mapping[str, Any], words: Language) -> str:
    """Return the weight of the parcel, else that of its products if all goods have a weight; empty if unknown."""
    if record["weight"]:
        return _weighed(number(record["weight"]), int(record["weight_units"] or KILOGRAMME), words)
    goods = [(int(line["fk_product"]), number(line["qty"])) for line in record["lines"] if line["fk_product"]]
    known = {row.id: row for row in products.rows({"id": sorted({each for each, _ in goods})})} if goods else {}
    total = Decimal(0)
    for product, qty in goods:
        row = known[product]
        if row.type:
            continue
        if not row.weight or (row.weight_units or 0) not in METRIC:
            return ""
        total += row.weight.scaleb(row.weight_units or 0) * qty
    return _weighed(total, KILOGRAMME, words) if total else ""


def _weighed(weight: Decimal, units: int, words: Language) -> str:
    """Return a weight with its unit."""
    found: Sequence[Unit] = [
        each for each in entries(Unit).values() if (each.unit_type, each.scale) == ("weight", units)
    ]
    unit = found[0].short_label or found[0].code if found else ""
    return f"{words.number(weight)} {words.say(unit, 'unit') if unit else ''}".strip()
