"""Credits: discounts made from credit notes, deposits and overpayments, and their use on invoices."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from core import NotFound, Refused, transaction
from core.for_natives import default_context

from ..commercial.states import LINES
from ..commercial.totals import IS_DISCOUNT
from ..thirdparties.discounts import CREDIT_NOTE as OF_CREDIT_NOTE
from ..thirdparties.discounts import DEPOSIT as OF_DEPOSIT
from ..thirdparties.discounts import EXCESS, discounts, plain_amount
from ..thirdparties.models import Discount
from .balances import balance_of
from .discount_rows import is_used, made_from, make_discount, per_rate
from .invoices import invoices
from .models import CREDIT_NOTE, DEPOSIT, REPLACEMENT, SITUATION, STANDARD, TYPES, Invoice
from .states import PAID, PAY, STATES, VALIDATED


@default_context
def mark_as_credit(identifier: int) -> None:
    """Create discounts from a credit note, a paid deposit invoice or an overpayment; close the invoice as paid.

    :raises Refused: the invoice has another type, or has already been converted to a discount
    """
    invoices.check_event("credited", identifier)
    with transaction():
        row = invoices.load(identifier, lock=True, if_match=True)
        if made_from(row.id):
            raise Refused(f"invoice {row.ref} has already been converted to a discount", reason="already_done")
        if row.type == CREDIT_NOTE:
            _credit_note(row)
        elif row.type == DEPOSIT:
            _deposit(row)
        elif row.type in (STANDARD, REPLACEMENT, SITUATION):
            _excess(row)
        else:
            message = f"can't convert invoice {row.ref} to a discount: its type is {TYPES[row.type]}"
            raise Refused(message, reason="wrong_type")
        if row.statut == VALIDATED:
            invoices.act_on(row, "settopaid", PAID)
        invoices.notify("credited", row.id, checked=True)


def _credit_note(row: Invoice) -> None:
    if row.statut != VALIDATED:
        reason = f"it is {STATES.described(row.statut)}; only validated credit notes can be converted"
        raise invoices.state_error(row, PAY, f"can't convert credit note {row.ref} to a discount: {reason}")
    if any(balance_of(row.id)):
        raise invoices.payments_error(row, f"can't convert credit note {row.ref} to a discount: it has a refund")
    for (rate, code), amounts in per_rate(row).items():
        make_discount(row, OF_CREDIT_NOTE, amounts, rate, code)


def _deposit(row: Invoice) -> None:
    # A deposit that was only set to paid gives back nothing
    if row.statut not in (VALIDATED, PAID) or balance_of(row.id).settled < row.total_ttc:
        reason = f"it is {STATES.described(row.statut)}, but its payments must reach its total"
        error = Refused(
            f"can't convert deposit invoice {row.ref} to a discount: {reason}", reason=STATES.reason_for([PAID])
        )
        raise invoices.with_state(error, row)
    for (rate, code), amounts in per_rate(row).items():
        make_discount(row, OF_DEPOSIT, amounts, rate, code)


def _excess(row: Invoice) -> None:
    excess = balance_of(row.id).settled - row.total_ttc
    if row.statut not in (VALIDATED, PAID) or excess <= 0:
        raise Refused(f"invoice {row.ref} has no overpayment to convert", reason="nothing_left")
    make_discount(row, EXCESS, (excess, Decimal(0), excess), Decimal(0), "")


def discount_from(identifier: int) -> dict[str, Any]:
    """Return the first discount that was made from an invoice.

    :raises NotFound: no such invoice, or no discount was made from it
    """
    row = invoices.load(identifier)
    found = discounts.every({"fk_facture_source": identifier})
    if not found:
        raise NotFound(f"no discount was made from invoice {row.ref}", dolibarr="Discount not found")
    return found[0]


@default_context
def use_as_payment(identifier: int, discount_id: int) -> None:
    """Pay part of a validated invoice with a discount.

    :raises NotFound: no such invoice or discount
    :raises Refused: the invoice is not validated; the discount is used or belongs to another third party; or it exceeds
        the amount that remains to be paid
    """
    invoices.check_event("payment_added", identifier, {"discount": discount_id})
    with transaction():
        row = invoices.load(identifier, lock=True, if_match=True)
        discount = _free(discount_id, row, "Credit")
        if not STATES.permits(row.statut, PAY):
            message = f"can't pay invoice {row.ref}: it is {STATES.described(row.statut)}, but must be validated"
            raise invoices.state_error(row, PAY, message)
        remainder = row.total_ttc - balance_of(row.id).settled
        if discount.amount_ttc > remainder:
            amounts = f"is {plain_amount(discount.amount_ttc)}, but only {plain_amount(remainder)} remains to be paid"
            raise Refused(f"invoice {row.ref}: the discount {amounts}", reason="too_much")
        discounts.write_unchecked(discount.id, fk_facture=row.id)
        invoices.notify("payment_added", row.id, checked=True)


def stop_paying(identifier: int, discount_id: int) -> None:
    """Take back a discount that pays an invoice; it is free, and a paid invoice is open again.

    :raises NotFound: no such invoice, or the discount doesn't pay it
    :raises Refused: a discount made of the invoice has been used
    """
    invoices.check_event("payment_cancelled", identifier, {"discount": discount_id})
    with transaction():
        row = invoices.load(identifier, lock=True, if_match=True)
        found = discounts.rows({"id": discount_id, "fk_facture": row.id}, lock=True)
        if not found:
            raise NotFound(f"invoice {row.ref} isn't paid by a discount {discount_id}")
        # First, so that the PDF of the open invoice doesn't count it
        discounts.write_unchecked(discount_id, fk_facture=None)
        invoices.open_again(row)
        invoices.notify("payment_cancelled", row.id, checked=True)


@default_context
def use_as_line(identifier: int, discount_id: int) -> int:
    """Add a line to a draft that deducts a discount; return the line's ID.

    :raises NotFound: no such invoice or discount
    :raises Refused: the invoice is not a draft; or the discount is used or belongs to another third party
    """
    with transaction():
        row = invoices.load(identifier, lock=True, if_match=True)
        discount = _free(discount_id, row, "Discount")
        if not STATES.permits(row.statut, LINES):
            reason = f"it is {STATES.described(row.statut)}, but must be a draft"
            raise invoices.state_error(row, LINES, f"can't add a discount line to invoice {row.ref}: {reason}")
        if discount.amount_ttc > row.total_ttc:
            amounts = f"is {plain_amount(discount.amount_ttc)}, but its total is only {plain_amount(row.total_ttc)}"
            raise Refused(f"invoice {row.ref}: the discount {amounts}", reason="too_much")
        lines = invoices.lines
        line = lines.insert(_line(discount) | {"rang": lines.last_rank(row.id) + 1, lines.parent: row.id}, None)
        discounts.write_unchecked(discount.id, fk_facture_line=line)
        invoices.lines_changed(row)
    return line


def _free(identifier: int, row: Invoice, noun: str) -> Discount:
    """Return an unused discount that the invoice may use, locked."""
    try:
        discount = discounts.load(identifier, lock=True)
    except NotFound as error:
        raise NotFound(f"{noun} {identifier} not found", dolibarr=f"{noun} not found") from error
    if discount.fk_soc != row.socid:
        raise Refused(f"{noun.lower()} {identifier} belongs to another third party", reason="wrong_thirdparty")
    if is_used(discount):
        raise Refused(f"{noun.lower()} {identifier} has already been used", reason="in_use")
    if row.type == CREDIT_NOTE or discount.fk_facture_source == row.id:
        reason = "credit notes can't use discounts" if row.type == CREDIT_NOTE else "it comes from this invoice"
        raise Refused(f"invoice {row.ref} can't use {noun.lower()} {identifier}: {reason}", reason="wrong_type")
    return discount


def _line(discount: Discount) -> dict[str, Any]:
    """Return the fields of a line that deducts exactly the amounts of a discount."""
    net, vat, taxed = discount.amount_ht, discount.amount_tva, discount.amount_ttc
    return {
        "desc": discount.description,
        "qty": Decimal(1),
        "subprice": -net,
        # It was agreed: VAT that is rounded for each rate leaves it
        "subprice_ttc": -taxed,
        "tva_tx": discount.tva_tx,
        "vat_src_code": discount.vat_src_code,
        "info_bits": IS_DISCOUNT,
        "fk_remise_except": discount.id,
        "total_ht": -net,
        "total_tva": -vat,
        "total_ttc": -taxed,
        "multicurrency_subprice": -net,
        "multicurrency_total_ht": -net,
        "multicurrency_total_tva": -vat,
        "multicurrency_total_ttc": -taxed,
    }
