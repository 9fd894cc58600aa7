"""Lines of shipments: quantities of order lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import Values, shown

from ..commercial.plain_lines import TERMS, PlainLines
from ..commercial.precision import rounding
from ..commercial.totals import half_up
from ..orders.models import OrderLine
from ..products.products import products
from ..setup.changed_values import warn_of_changes
from .models import ShipmentLine
from .remainders import Remainders

#: fields shown from the order line
SHOWN = ("fk_product", "desc", "label", "product_type", "fk_unit")


class ShipmentLines(PlainLines[ShipmentLine]):
    """Lines of shipments."""

    model = ShipmentLine
    joins = {"o": (OrderLine, "fk_origin_line", (*SHOWN, "qty"))}
    answers = {**{name: f"o.{name}" for name in SHOWN}, "qty_asked": "o.qty"}

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add references and labels of the products, by one statement for all lines."""
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
        """Return the remaining quantities of the order, which is locked."""
        return Remainders(document["origin_id"])

    def unfit(self, values: Values, body: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the errors, such as a quantity that is not above 0 after rounding to the company's decimals."""
        wrong = super().unfit(values, body)
        qty = values.get("qty")
        if qty is not None and half_up(qty, rounding().stock) <= 0:
            wrong.append(("qty", f"expected a quantity above 0, got {shown(body['qty'])}"))
        return wrong

    def prepare(self, values: Values, before: ShipmentLine | None) -> None:
        """Take the quantity of a line from the remaining quantity of the order.

        :raises NotFound: the order has no such line
        :raises Refused: the remaining quantity is too low
        """
        if values.get("entrepot_id") == 0:
            values["entrepot_id"] = None
        remainders: Remainders | None = values.context.get(TERMS)
        if values.get("qty") is None or remainders is None:
            return
        sent, values["qty"] = dict(values), half_up(values["qty"], rounding().stock)
        warn_of_changes(sent, values, ("qty",))
        if before is not None:
            remainders.take(before.fk_origin_line, values["qty"], before.qty)
        elif values.get("fk_origin_line"):
            remainders.take(values["fk_origin_line"], values["qty"])
