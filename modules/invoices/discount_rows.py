"""Discounts as rows: find those made from an invoice or used on it, withdraw and release them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from core import Refused, current_user_id, default_context, query

from ..commercial.totals import VAT_NOT_DUE
from ..thirdparties.discounts import discounts
from ..thirdparties.models import Discount
from .models import CREDIT_NOTE, Invoice, InvoiceLine

TITLE = 9


def made_from(identifier: int) -> list[Any]:
    """Return the discounts that were made from an invoice."""
    return list(Discount.select().where(Discount.fk_facture_source == identifier).order_by(Discount.id))


def is_used(discount: Any) -> bool:
    """Return whether a discount pays an invoice or is deducted by a line."""
    return bool(discount.fk_facture or discount.fk_facture_line)


def withdraw(row: Invoice) -> None:
    """Delete the discounts that were made from an invoice, because its state or type changes.

    :raises Refused: one of them has been used
    """
    # Locked, to wait for a concurrent request that uses one of them
    found = discounts.rows({"fk_facture_source": row.id}, lock=True)
    if any(is_used(each) for each in found):
        raise Refused(f"can't reopen invoice {row.ref}: a discount made from it has been used", reason="in_use")
    if found:
        Discount.delete().where(Discount.fk_facture_source == row.id).execute()


def free_lines(line_ids: Iterable[int]) -> None:
    """Release the discounts that lines use."""
    numbers = list(line_ids)
    if numbers:
        Discount.update(fk_facture_line=None).where(Discount.fk_facture_line.in_(numbers)).execute()


def discount_lines(identifier: int) -> list[int]:
    """Return the IDs of the lines of an invoice that use a discount."""
    rows = query(
        "SELECT rowid FROM llx_facturedet WHERE fk_facture = ? AND fk_remise_except IS NOT NULL", (identifier,)
    )
    return [line for (line,) in rows]


@default_context
def per_rate(row: Invoice) -> dict[tuple[Decimal, str], tuple[Decimal, ...]]:
    """Return the totals of an invoice's lines by VAT rate and code: before taxes, VAT, taxes included.

    Amounts are positive, even for a credit note. A line whose VAT isn't charged counts at the rate 0.

    :raises Refused: there are no amounts, or the lines of one rate have a total of 0 or less
    """
    sums: dict[tuple[Decimal, str], list[Decimal]] = defaultdict(lambda: [Decimal(0)] * 3)
    mine = (InvoiceLine.fk_facture == row.id) & (InvoiceLine.product_type != TITLE)
    for line in InvoiceLine.select().where(mine).order_by(InvoiceLine.rang, InvoiceLine.id):
        known = sums[Decimal(0) if line.info_bits & VAT_NOT_DUE else line.tva_tx, line.vat_src_code or ""]
        for place, amount in enumerate((line.total_ht, line.total_tva, line.total_ttc)):
            known[place] += amount
    sign = -1 if row.type == CREDIT_NOTE else 1
    found = {rate: tuple(sign * amount for amount in amounts) for rate, amounts in sums.items() if any(amounts)}
    if not found or any(taxed <= 0 for _, _, taxed in found.values()):
        reason = "the lines of each VAT rate must have a total above 0"
        raise Refused(f"can't convert invoice {row.ref} to a discount: {reason}", reason="nothing_left")
    return found


def make_discount(row: Invoice, description: str, amounts: tuple[Decimal, ...], rate: Decimal, code: str) -> None:
    """Create a discount from an invoice.

    :param amounts: before taxes, VAT, taxes included
    :param rate: VAT, percent
    """
    net, vat, taxed = amounts
    Discount.create(
        fk_soc=row.socid,
        fk_facture_source=row.id,
        description=description,
        amount_ht=net,
        amount_tva=vat,
        amount_ttc=taxed,
        tva_tx=rate,
        vat_src_code=code,
        fk_user=current_user_id(),
        multicurrency_code=row.multicurrency_code,
        multicurrency_tx=row.multicurrency_tx,
        multicurrency_amount_ht=net,
        multicurrency_amount_tva=vat,
        multicurrency_amount_ttc=taxed,
    )
