"""Payments: money that came in for invoices, or was paid back for credit notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, TypedDict

from core import (
    BadRequest,
    NotFound,
    Records,
    current_user_id,
    day_of,
    settings,
    transaction,
    utc_now,
    wrong_fields,
)

from ..banks.payment_lines import account_of_payment, note_payment, renumber_payment
from ..commercial.numbers import Series
from ..dictionaries.entries import code_of, entry
from ..dictionaries.models import PaymentType
from ..thirdparties.discounts import discounts, plain_amount
from ..thirdparties.models import Thirdparty
from .balances import Balance, balances
from .invoices import invoices
from .models import Invoice, Payment, PaymentShare
from .states import PAID, PAY, STATES

SERIES = Series("payments", "PAY{yy}{mm}-{0000}")
CHEQUE = "CHQ"
#: the fields of a share whose records are known to exist
KNOWN = ("fk_paiement", "fk_facture")

payments = Records(Payment, noun="Payment")
shares = Records(PaymentShare, noun="Payment")


@dataclass(frozen=True)
class Manner:
    """What is done besides with a payment.

    :param close: invoices that are paid completely by it become paid
    :param higher: more than what remains may be paid
    """

    close: bool = False
    higher: bool = False


class PaidPart(TypedDict):
    """What has been paid of an invoice at once."""

    amount: Annotated[str, PaymentShare.amount, "in the company's currency"]
    type: Annotated[str | None, "code of the payment method; for a discount CREDIT_NOTE, DEPOSIT or EXCESS_RECEIVED"]
    date: Annotated[
        int | str | None,
        datetime,
        "time of the payment in Unix seconds; in dolibarr16 the local time as text",
    ]
    num: Annotated[str, "number of the payment, such as that of a cheque"]
    ref: Annotated[str | None, "reference of the payment or of the source invoice of the discount"]
    ref_ext: Annotated[str, "reference of the payment in another system"]


def pay(amounts: Mapping[int, Decimal | None], details: Mapping[str, Any], manner: Manner) -> int:
    """Pay validated invoices, all or none; answers the identifier of the payment.

    :param amounts: identifier of an invoice → its amount; None: what remains. Of a credit note it is paid back
    :param details: fields of the payment by their names in the interface
    :raises BadRequest: a field or an amount does not fit, nothing remains to be paid, or no bank account is named
    :raises NotFound: there is no such invoice or bank account, or the caller may not see it
    :raises Refused: an invoice is not validated, or closed; the bank account is closed
    """
    values, _ = payments.accept(details)
    mode = entry(PaymentType, values["paymentid"])
    if mode is None:
        raise wrong_fields([("paymentid", f"expected the ID of a payment method, got {values['paymentid']}")])
    if mode.code == CHEQUE and not values.get("chqemetteur"):
        reason = f"`chqemetteur` is required because the payment method is {mode.code}"
        theirs = f"Emetteur is mandatory when payment code is {mode.code}"
        raise wrong_fields([("chqemetteur", reason)], reason, dolibarr=theirs)
    values["fk_user_creat"] = current_user_id()
    with transaction():
        # In the order of their identifiers: two payments of the same invoices wait for each other, and never mutually
        rows = {identifier: _load_for_payment(identifier) for identifier in sorted(amounts)}
        known = balances(rows)
        parts = {
            identifier: _share(row, known[identifier], amounts[identifier], manner) for identifier, row in rows.items()
        }
        total = sum(parts.values(), Decimal(0))
        if not total:
            raise BadRequest(
                "expected a payment with a total other than 0", dolibarr="Payment error : TotalAmountEmpty"
            )
        account = account_of_payment(values.get("accountid"))
        values |= {"amount": total, "multicurrency_amount": total}
        payments.validate(values, None, None)
        # The counter is locked from here to the end of the transaction
        values["ref"] = SERIES.take(Payment.ref, day_of(values["datepaye"]))
        payment = payments.insert_validated(values)
        for identifier, amount in parts.items():
            shares.insert(share_values(payment, rows[identifier], amount), None, known=KNOWN)
        for identifier, row in rows.items():
            if manner.close and _is_settled(row, known[identifier].settled + parts[identifier]):
                invoices.act_on(row, "settopaid", PAID)
            invoices.notify("payment_added", identifier)
        if account:
            line = note_payment(account, payment, values, mode.code, _payers(rows.values()))
            payments.write_unchecked(payment, fk_bank=line)
    return payment


def _load_for_payment(identifier: int) -> Invoice:
    try:
        row = invoices.load(identifier, lock=True, if_match=True)
    except NotFound as error:
        raise NotFound(f"Invoice {identifier} not found", dolibarr=f"Invoice ID {identifier} not found") from error
    if not STATES.permits(row.statut, PAY):
        message = f"can't pay invoice {row.ref}: it is {STATES.described(row.statut)}, but must be validated"
        raise invoices.state_error(row, PAY, message)
    return row


def _payers(rows: Iterable[Invoice]) -> list[tuple[int, str]]:
    """The third parties of invoices, identifier and name."""
    ids = {row.socid for row in rows}
    found = Thirdparty.select(Thirdparty.id, Thirdparty.name).where(Thirdparty.id.in_(ids)).order_by(Thirdparty.id)
    return [(row.id, row.name or "") for row in found]


def _sign(row: Invoice) -> int:
    """-1 for what is paid back."""
    return -1 if row.total_ttc < 0 else 1


def _is_settled(row: Invoice, paid: Decimal) -> bool:
    return bool(_sign(row) * (row.total_ttc - paid) <= 0)


def _share(row: Invoice, balance: Balance, amount: Decimal | None, manner: Manner) -> Decimal:
    """What a payment pays of an invoice; negative where it is paid back."""
    remainder = max(_sign(row) * (row.total_ttc - balance.settled), Decimal(0))
    if amount is None:
        amount = remainder
        if not amount:
            reason = f"invoice {row.ref} has nothing left to pay"
            theirs = f"Payment error : TotalAmountEmpty: {reason}"
            raise BadRequest(reason, dolibarr=theirs, reason="nothing_left")
    if amount > remainder and not manner.higher:
        paid, left = plain_amount(amount), plain_amount(remainder)
        raise BadRequest(
            f"invoice {row.ref}: expected an amount up to the unpaid remainder of {left}, got {paid}",
            dolibarr=f"Payment amount on invoice ID {row.id} ({paid}) is higher than remain to pay ({left})",
            reason="too_much",
        )
    return _sign(row) * amount


def share_values(payment: int, row: Invoice, amount: Decimal) -> dict[str, Any]:
    """Return the fields of the share of a payment that pays an invoice."""
    return {
        "fk_paiement": payment,
        "fk_facture": row.id,
        "amount": amount,
        "multicurrency_amount": amount,
        "multicurrency_code": row.multicurrency_code,
        "multicurrency_tx": row.multicurrency_tx,
    }


def renumber(identifier: int, number: str) -> None:
    """Change the number of a payment, such as that of a cheque.

    :raises NotFound: there is no such payment, or it pays an invoice that the caller may not see
    """
    with transaction():
        line = payments.load(identifier, lock=True).fk_bank
        paid = {row.fk_facture for row in PaymentShare.select().where(PaymentShare.fk_paiement == identifier)}
        if len(invoices.rows({"id": sorted(paid)})) < len(paid):
            raise NotFound(f"Payment {identifier} not found", dolibarr="Payment not found")
        payments.change(
            identifier, {"num_payment": number}, date_modification=utc_now(), fk_user_modif=current_user_id()
        )
        if line:
            renumber_payment(line, number)


def payments_of(identifier: int) -> list[PaidPart]:
    """What has been paid of an invoice: its payments, and behind them the discounts that pay it.

    A discount's `type` says what it came from: CREDIT_NOTE, DEPOSIT or EXCESS_RECEIVED.
    """
    invoices.load(identifier)
    parts = {int(part["fk_paiement"]): part["amount"] for part in shares.every({"fk_facture": identifier})}
    found: list[PaidPart] = [
        {
            "amount": parts[int(record["id"])],
            "type": code_of(PaymentType, record["paymentid"]),
            "date": _moment(record["datepaye"]),
            "num": record["num_payment"] or "",
            "ref": record["ref"],
            "ref_ext": record["ref_ext"] or "",
        }
        for record in payments.every({"id": sorted(parts)}, "t.datep,t.rowid")
    ]
    return found + [
        {
            "amount": record["amount_ttc"],
            "type": str(record["description"]).strip("()").replace(" ", "_"),
            "date": _moment(record["datec"]),
            "num": "",
            "ref": record["ref_facture_source"],
            "ref_ext": "",
        }
        for record in discounts.every({"fk_facture": identifier})
    ]


def _moment(seconds: Any) -> Any:
    """An instant; release 16 writes those of payments out."""
    if not settings().profile.text_values or seconds == "":
        return seconds
    return datetime.fromtimestamp(seconds, settings().zone).strftime("%Y-%m-%d %H:%M:%S")
