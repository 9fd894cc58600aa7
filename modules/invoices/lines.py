"""Lines of invoices."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from core import Refused, Values, wrong_fields

from ..commercial.lines import BASE, PRICED, Lines
from ..commercial.precision import Terms
from .discount_rows import free_lines
from .models import CREDIT_NOTE, STANDARD, InvoiceLine

WHOLE = Decimal(100)


class InvoiceLines(Lines[InvoiceLine]):
    """Lines of invoices. PUT replaces a line, as it does in the reference system."""

    model = InvoiceLine
    put_replaces = True
    empty_in_dolibarr = (
        "price", "product_tosell", "product_tobuy", "product_tobatch", "weight", "weight_units", "volume",
        "volume_units",
    )  # fmt: skip

    def unfit(self, values: Values, body: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return what is wrong, such as a progress that isn't from 0 to 100 percent."""
        wrong = super().unfit(values, body)
        progress = values.get("situation_percent")
        if progress is not None and not 0 <= progress <= WHOLE:
            reason = f"expected a percentage from 0 to 100, got {body['situation_percent']!r:.60}"
            wrong.append(("situation_percent", reason))
        return wrong

    def price(self, values: dict[str, Any], before: InvoiceLine | None, terms: Terms, *, with_tax: bool) -> None:
        """Set the amounts of a line; a credit note gives nothing back where the discount is above 100 percent."""
        discount = values.get("remise_percent", before.remise_percent if before is not None else None)
        if terms.credit and (discount or 0) > WHOLE:
            reason = f"expected at most 100 on a credit note, got {discount:f}"
            raise wrong_fields([("remise_percent", reason)])
        super().price(values, before, terms, with_tax=with_tax)

    def progress(self, values: Mapping[str, Any], before: InvoiceLine | None) -> Decimal:
        """How much of the work the line charges, percent."""
        progress = values.get("situation_percent", before.situation_percent if before is not None else None)
        return WHOLE if progress is None else progress

    def is_credit(self, document: Mapping[str, Any]) -> bool:
        """Return whether an invoice is a credit note."""
        return bool(document.get("type", STANDARD) == CREDIT_NOTE)

    def totals(self, sums: dict[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
        """Return the totals of an invoice with its stamp duty."""
        stamp = document.get("revenuestamp") or 0
        return sums | {name: sums[name] + stamp for name in ("total_ttc", "multicurrency_total_ttc")}

    def alter(self, line: InvoiceLine, body: Mapping[str, Any], terms: Terms, *, replace: bool) -> bool:
        """Change a line; of one that uses a discount only what leaves its amounts alone.

        :raises Refused: the line uses a discount, and its amounts would change
        """
        if line.fk_remise_except and (replace or any(name in body for name in (*PRICED, BASE))):
            raise Refused(
                f"line {line.id} uses a discount, so its amounts can't change; delete the line to release the discount"
            )
        return super().alter(line, body, terms, replace=replace)

    def removing(self, row: InvoiceLine) -> None:
        """A discount that the line used is free again."""
        free_lines([row.id])
