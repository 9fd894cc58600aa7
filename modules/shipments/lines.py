"""Lines of shipments: how much of which line of the order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import Values

from ..commercial.plain_lines import TERMS, PlainLines
from ..commercial.precision import rounding
from ..commercial.totals import half_up
from ..orders.models import OrderLine
from ..products.products import products
from .models import ShipmentLine
from .remainders import Remainders

#: what is shown of the line of the order
SHOWN = ("fk_product", "desc", "label", "product_type", "fk_unit")


class ShipmentLines(PlainLines[ShipmentLine]):
    """Lines of shipments."""

    model = ShipmentLine
    joins = {"o": (OrderLine, "fk_origin_line", (*SHOWN, "qty"))}
    answers = {**{name: f"o.{name}" for name in SHOWN}, "qty_asked": "o.qty"}

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add what the products are called, with one statement for all lines."""
        named = {int(record["fk_product"]) for record in records if record["fk_product"]}
        known = {row.id: row for row in products.rows({"id": sorted(named)})} if named else {}
        for record in records:
            product = known.get(int(record["fk_product"] or 0))
            record["qty_shipped"] = record["qty"]
            record["description"] = record["desc"]
            record["product_ref"] = record["ref"] = product.ref if product else None
            record["product_label"] = record["libelle"] = product.label if product else None
            record["product_desc"] = product.description if product else None

    def terms(self, document: Mapping[str, Any]) -> Remainders:
        """Return what is left of the order, which is locked."""
        return Remainders(document["origin_id"])

    def unfit(self, values: Values, body: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return what is wrong, such as a quantity that is not above 0 with the decimals that the company keeps."""
        wrong = super().unfit(values, body)
        qty = values.get("qty")
        if qty is not None and half_up(qty, rounding().stock) <= 0:
            wrong.append(("qty", f"expected a quantity above 0, got {body['qty']!r:.60}"))
        return wrong

    def prepare(self, values: Values, before: ShipmentLine | None) -> None:
        """Take what a line is to hold from what is left of the order.

        :raises NotFound: the order has no such line
        :raises Refused: less is left of it
        """
        if values.get("entrepot_id") == 0:
            values["entrepot_id"] = None
        remainders: Remainders | None = values.context.get(TERMS)
        if values.get("qty") is None or remainders is None:
            return
        values["qty"] = half_up(values["qty"], rounding().stock)
        if before is not None:
            remainders.take(before.fk_origin_line, values["qty"], before.qty)
        elif values.get("fk_origin_line"):
            remainders.take(values["fk_origin_line"], values["qty"])
