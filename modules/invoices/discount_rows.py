"""Discounts as rows: find those made from an invoice or used on it, withdraw and release them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from core import Refused, allowed_operations, query
from core.for_natives import AllowedOperation, current_user_id, default_context

from ..commercial.precision import read_rounding
from ..commercial.states import DRAFT
from ..commercial.totals import IS_DISCOUNT, TITLE, VAT_NOT_DUE, half_up
from ..thirdparties.discounts import discounts
from ..thirdparties.models import Discount
from .models import CREDIT_NOTE, Invoice, InvoiceLine
from .states import PAID, VALIDATED


def crediting(identifier: int) -> list[Any]:
    """Return the validated credit notes of an invoice."""
    notes = (Invoice.type == CREDIT_NOTE) & (Invoice.fk_facture_source == identifier)
    return list(Invoice.select().where(notes & Invoice.statut.in_((VALIDATED, PAID))).order_by(Invoice.id))


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
    if used := [each for each in found if is_used(each)]:
        allowed = [operation for each in used for operation in _to_free(each)]
        message = f"can't reopen invoice {row.ref}: a discount made from it has been used"
        raise Refused(message, reason="in_use", details={"allowed": allowed})
    if found:
        Discount.delete().where(Discount.fk_facture_source == row.id).execute()


def _to_free(discount: Any) -> list[AllowedOperation]:
    """Return the operation that frees a discount, or the one that comes before it."""
    if discount.fk_facture:
        name = "DELETE /invoices/{id}/usecreditnote/{discountid}"
        return allowed_operations([name], discount.fk_facture, discount.id)
    line = InvoiceLine.get_by_id(discount.fk_facture_line)
    is_draft = Invoice.get_by_id(line.fk_facture).statut == DRAFT
    name = "DELETE /invoices/{id}/lines/{lineid}" if is_draft else "POST /invoices/{id}/settodraft"
    return allowed_operations([name], line.fk_facture, line.id)


def free_lines(line_ids: Iterable[int]) -> None:
    """Release the discounts that lines use."""
    numbers = list(line_ids)
    if numbers:
        Discount.update(fk_facture_line=None).where(Discount.fk_facture_line.in_(numbers)).execute()


def free_payments(identifier: int, *, mark: bool = False) -> None:
    """Release the discounts that pay an invoice.

    :param mark: reopening the invoice takes them again
    """
    marked = {"fk_facture_freed": identifier} if mark else {}
    Discount.update(fk_facture=None, **marked).where(Discount.fk_facture == identifier).execute()


def forget(identifier: int) -> None:
    """Remove the mark of discounts that an invoice would take again, because it is deleted."""
    Discount.update(fk_facture_freed=None).where(Discount.fk_facture_freed == identifier).execute()


def take_again(row: Invoice) -> None:
    """Use the discounts again that an abandoned invoice used, because it is reopened.

    :raises Refused: one of them has been used elsewhere, or withdrawn
    """
    lines = {line.fk_remise_except: line.id for line in _deducting(row.id)}
    found = discounts.rows({"id": list(lines)}, lock=True) if lines else []
    paying = discounts.rows({"fk_facture_freed": row.id}, lock=True)
    if len(found) < len(lines) or any(is_used(each) for each in (*found, *paying)):
        reason = "a discount that it used has been used elsewhere or withdrawn"
        raise Refused(f"can't reopen invoice {row.ref}: {reason}", reason="in_use")
    for each in found:
        discounts.write_unchecked(each.id, fk_facture_line=lines[each.id])
    for each in paying:
        discounts.write_unchecked(each.id, fk_facture=row.id, fk_facture_freed=None)


def take_over(source: Invoice, row: Invoice) -> None:
    """Let the lines of a replacement that repeat a deducting line of its source use the discount, which is free.

    :param source: the replaced invoice
    """
    free = _deducting(row.id, repeated=True)
    for line in _deducting(source.id):
        mine = next((each for each in free if each.total_ttc == line.total_ttc and each.tva_tx == line.tva_tx), None)
        if mine is None:
            continue
        free.remove(mine)
        InvoiceLine.update(fk_remise_except=line.fk_remise_except).where(InvoiceLine.id == mine.id).execute()
        discounts.write_unchecked(line.fk_remise_except, fk_facture_line=mine.id)


def _deducting(identifier: int, *, repeated: bool = False) -> list[Any]:
    """Return the lines of an invoice that use a discount.

    :param repeated: instead, lines that have only been copied from such a line
    """
    uses = InvoiceLine.fk_remise_except.is_null(repeated)
    found = InvoiceLine.select().where((InvoiceLine.fk_facture == identifier) & uses).order_by(InvoiceLine.id)
    return [line for line in found if not repeated or line.info_bits & IS_DISCOUNT]


def discount_lines(identifier: int) -> list[int]:
    """Return the IDs of the lines of an invoice that use a discount."""
    rows = query(
        "SELECT rowid FROM llx_facturedet WHERE fk_facture = ? AND fk_remise_except IS NOT NULL", (identifier,)
    )
    return [line for (line,) in rows]


@default_context
def per_rate(row: Invoice) -> dict[tuple[Decimal, str], tuple[Decimal, Decimal, Decimal]]:
    """Return what discounts give back of an invoice, by VAT rate and code: before taxes, VAT, taxes included.

    They add up to its total, less its validated credit notes. Amounts are positive, even for a credit note. A rate
    with a total below 0 lowers the largest one, and so does the difference to the smallest coin. A line whose VAT
    isn't charged counts at the rate 0.

    :raises Refused: nothing is left
    """
    sign = -1 if row.type == CREDIT_NOTE else 1
    credited = crediting(row.id)
    whole = sign * sum((each.total_ttc for each in (row, *credited)), Decimal(0))
    sums: dict[tuple[Decimal, str], list[Decimal]] = defaultdict(lambda: [Decimal(0)] * 2)
    mine = InvoiceLine.fk_facture.in_([row.id, *(each.id for each in credited)])
    counted = mine & (InvoiceLine.product_type != TITLE)
    for line in InvoiceLine.select().where(counted).order_by(InvoiceLine.rang, InvoiceLine.id):
        is_charged = not line.info_bits & VAT_NOT_DUE
        known = sums[line.tva_tx if is_charged else Decimal(0), line.vat_src_code or ""]
        known[0] += sign * line.total_tva * is_charged
        known[1] += sign * line.total_ttc
    # A discount has no local taxes: they are part of its amount before VAT
    found = {rate: (taxed - vat, vat, taxed) for rate, (vat, taxed) in sums.items() if taxed > 0}
    if whole <= 0 or not found:
        raise Refused(
            f"can't convert invoice {row.ref} to a discount: its total must be above 0", reason="nothing_left"
        )
    places = read_rounding(row.rounding).total
    against = sum((taxed for _, taxed in sums.values() if taxed < 0), Decimal(0))
    while against < 0:
        rate = max(found, key=lambda each: found[each][2])
        taxed = found[rate][2] + against
        against = min(taxed, Decimal(0))
        if taxed > 0:
            net = half_up(taxed / (1 + rate[0] / 100), places)
            found[rate] = net, taxed - net, taxed
        else:
            del found[rate]
    # The coin has no VAT, nor has a stamp duty
    difference = whole - sum((taxed for _, _, taxed in found.values()), Decimal(0))
    rate = max(found, key=lambda each: found[each][2])
    net, vat, taxed = found[rate]
    found[rate] = net + difference, vat, taxed + difference
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
