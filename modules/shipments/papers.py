"""The paper of a shipment: a delivery note, without prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from ..dictionaries.entries import entries
from ..dictionaries.models import Unit
from ..documents.papers.language import Language
from ..documents.papers.lines import line_label, line_text, unit_quantity
from ..documents.papers.paper import Paper, PaperLine
from ..documents.template import Template, number
from ..products.products import products
from ..thirdparties.models import Thirdparty
from .shipments import shipments

#: units of weight that are powers of ten of a kilogramme
METRIC = range(-9, 4)
KILOGRAMME = 0


class DeliveryNote(Template):
    """A delivery note: what was packed, how it travels and what it weighs."""

    documents = shipments
    title = "Delivery note"
    days = {"date_validation": "Date", "date_delivery": "Delivery date"}
    attention = ("SHIPPING", "CUSTOMER")

    def paper(self, record: dict[str, Any], language: str = "") -> Paper:
        """Gather everything that is printed; there is no sum to be carried forward."""
        return replace(super().paper(record, language), carried=False)

    def facts(self, record: Mapping[str, Any], thirdparty: Thirdparty, words: Language) -> list[tuple[str, str]]:
        """Dates and references, and how the goods travel."""
        found = [
            ("Shipping method", words.say(str(record["shipping_method"] or ""))),
            ("Tracking number", str(record["tracking_number"] or "")),
            ("Weight", self.weight(record, words)),
        ]
        return [*super().facts(record, thirdparty, words), *((words.say(label), text) for label, text in found if text)]

    def weight(self, record: Mapping[str, Any], words: Language) -> str:
        """What the parcel weighs: as it says, else as its products do, if all goods have a weight."""
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

    def lines(self, record: Mapping[str, Any], words: Language) -> list[PaperLine]:
        """What was packed."""
        return [
            PaperLine(
                ref=str(line["product_ref"] or ""),
                label=line_label(line),
                text=line_text(line),
                qty=unit_quantity(line, words),
            )
            for line in record["lines"]
        ]

    # What has no price is not taxed, summed or paid -------------------------------------------------------------------

    def taxes(self, record: Mapping[str, Any], words: Language) -> list[tuple[str, str, str]]:
        """No taxes."""
        return []

    def totals(self, record: Mapping[str, Any]) -> list[tuple[str, Decimal, bool]]:
        """No totals."""
        return []

    def is_owed(self, record: Mapping[str, Any]) -> bool:
        """Nothing is to be paid."""
        return False

    def vat_reasons(
        self, record: Mapping[str, Any], own: Mapping[str, Any], thirdparty: Thirdparty, words: Language
    ) -> list[str]:
        """No taxes, and no reasons for that."""
        return []


def _weighed(weight: Decimal, units: int, words: Language) -> str:
    """A weight with its unit."""
    found: Sequence[Unit] = [
        each for each in entries(Unit).values() if (each.unit_type, each.scale) == ("weight", units)
    ]
    unit = found[0].short_label or found[0].code if found else ""
    return f"{words.number(weight)} {words.say(unit, 'unit') if unit else ''}".strip()


__all__ = ["DeliveryNote"]
