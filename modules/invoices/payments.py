"""Payments received for invoices, or paid back for credit notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, TypedDict

from core import BadRequest, NotFound, Records, Refused, now, profile, shown, transaction, warn
from core.for_natives import current_user_id, default_context, local_day, settings

from ..banks.payment_lines import account_of_payment, note_payment, remove_payment_line, renumber_payment
from ..commercial.precision import currency, rounding
from ..commercial.totals import half_up
from ..dictionaries.entries import code_of, entry
from ..dictionaries.models import PaymentType
from ..numbering.series import Series
from ..setup.one_currency import is_empty
from ..thirdparties.discounts import discounts, plain_amount
from ..thirdparties.models import Thirdparty
from .balances import Balance, balances
from .invoices import invoices
from .models import Invoice, Payment, PaymentShare
from .states import PAID, PAY, STATES

SERIES = Series("payments", "PAY{yy}{mm}-{0000}")
CHEQUE = "CHQ"
#: field of the body that holds the amounts of several invoices
AMOUNTS = "arrayofamounts"
REMAIN = "remain"
#: field of a share for an amount in another currency
FOREIGN = "multicurrency_amount"
#: maximum number of invoices per payment: each is locked and written
MOST_INVOICES = 1000
#: fields of a share whose references need no check
KNOWN = ("fk_paiement", "fk_facture")

payments = Records(Payment, noun="Payment")
shares = Records(PaymentShare, noun="Payment")


@dataclass(frozen=True)
class PaymentOptions:
    """Options of a payment.

    :param close: close invoices that it pays completely as paid
    :param higher: allow more than the amount that remains
    """

    close: bool = False
    higher: bool = False


class Share(TypedDict, total=False):
    """What a payment pays of one invoice: one of both."""

    amount: Annotated[Decimal | Literal["remain", ""] | None, "in the company's currency; remain: what is left to pay"]
    multicurrency_amount: Annotated[
        Decimal | Literal["remain", ""] | None, "empty, 0 or remain, because all amounts are in the company's currency"
    ]


class _Paid(TypedDict):
    amount: Annotated[str, PaymentShare.amount, "in the company's currency"]
    id: Annotated[int, "ID of the payment, or of the discount"]
    type: Annotated[str | None, "code of the payment method; for a discount CREDIT_NOTE, DEPOSIT or EXCESS_RECEIVED"]
    date: Annotated[
        int | str | None,
        datetime,
        "time of the payment in Unix seconds; in dolibarr16 the local time as text",
    ]
    num: Annotated[str, "number of the payment, such as that of a cheque"]
    ref: Annotated[str | None, "reference of the payment or of the source invoice of the discount"]
    ref_ext: Annotated[str, "reference of the payment in another system"]


class PaidPart(_Paid, total=False):
    """What has been paid of an invoice at once."""

    cancelled: Annotated[
        int | str, datetime, "when the payment was cancelled, in Unix seconds; in dolibarr16 the local time as text"
    ]
    cancelled_by: Annotated[int, "ID of the user who cancelled it"]


#: keys of a share
SHARE_NAMES = tuple(Share.__annotations__)


def read_amounts(sent: Any) -> dict[int, Decimal | None]:
    """Read the amounts of a payment of several invoices, ``{"18": {"amount": "10"}, "19": "remain"}``.

    :returns: invoice ID → amount; None: the amount that remains
    :raises BadRequest: an amount is invalid; the message lists all of them
    """
    if not isinstance(sent, dict) or not sent:
        reason = 'expected invoice IDs and amounts such as {"1": {"amount": "99.99"}, "2": "remain"}'
        raise BadRequest(errors=[(AMOUNTS, f"{reason}; got {shown(sent)}")])
    if len(sent) > MOST_INVOICES:
        raise BadRequest(errors=[(AMOUNTS, f"expected at most {MOST_INVOICES} invoices, got {len(sent)}")])
    amounts: dict[int, Decimal | None] = {}
    wrong: list[tuple[str, str]] = []
    for key, value in sent.items():
        text = str(key).strip()
        if not (text.isascii() and text.isdigit() and 0 < len(text) < 10) or not int(text):
            wrong.append((f"{AMOUNTS}.{text:.20}", f"expected the ID of an invoice, got {shown(text)}"))
            continue
        if int(text) in amounts:
            wrong.append((f"{AMOUNTS}.{text}", f"expected each invoice only once, got {int(text)} twice"))
            continue
        if isinstance(value, dict) and (unknown := value.keys() - SHARE_NAMES):
            rest = f"; known names: {', '.join(SHARE_NAMES)}"
            wrong.append(BadRequest.unknown(f"{AMOUNTS}.{text}", min(unknown), rest))
            continue
        if isinstance(value, dict) and (reason := _foreign_amount(value)):
            wrong.append((f"{AMOUNTS}.{text}.{FOREIGN}", reason))
            continue
        try:
            amounts[int(text)] = _read_share(value) if isinstance(value, dict) else _amount_of(value)
        except ValueError as error:
            wrong.append((f"{AMOUNTS}.{text}", str(error)))
    if wrong:
        raise BadRequest(errors=wrong)
    return amounts


def read_amount(sent: Any) -> Decimal | None:
    """Read the amount of a payment of one invoice.

    :returns: None: the amount that remains
    :raises BadRequest: the amount is invalid
    """
    try:
        return _amount_of(sent)
    except ValueError as error:
        raise BadRequest(errors=[("amount", str(error))]) from error


def _foreign_amount(sent: Mapping[str, Any]) -> str:
    """Return what is wrong with an amount in another currency; empty: nothing, or it says the same as `amount`."""
    value, amount = sent.get(FOREIGN), sent.get("amount")
    if is_empty(value) or value == REMAIN or (amount not in (None, "") and str(value) == str(amount)):
        return ""
    return f"expected `amount` in {currency()}, because all amounts are in this currency, got {shown(value)}"


def _read_share(sent: Mapping[str, Any]) -> Decimal | None:
    amount, foreign = sent.get("amount"), sent.get(FOREIGN)
    given = [*([] if amount in (None, "") else [amount]), *([] if is_empty(foreign) else [foreign])]
    if len(given) != 1:
        raise ValueError(f"expected either `amount` or `multicurrency_amount`, got {'both' if given else 'neither'}")
    return _amount_of(given[0])


def _amount_of(sent: Any) -> Decimal | None:
    if sent == REMAIN:
        return None
    try:
        amount = shares.accept({"amount": sent})[0]["amount"]
    except BadRequest as error:
        raise ValueError(error.errors[0][1]) from error
    except KeyError:
        amount = Decimal(0)
    rounded = half_up(amount, rounding().total)
    if rounded <= 0:
        raise ValueError(f"expected an amount above 0 or `{REMAIN}`, got {shown(sent)}")
    if rounded != amount:
        warn(f"`amount`: {amount.normalize():f} is rounded to {rounded}")
    return rounded


@default_context
def pay(amounts: Mapping[int, Decimal | None], details: Mapping[str, Any], options: PaymentOptions) -> int:
    """Pay validated invoices, all or none; return the ID of the payment.

    :param amounts: invoice ID → amount; None: the amount that remains. For a credit note, the amount is paid back
    :param details: fields of the payment by their API names
    :raises BadRequest: a field or an amount is invalid, nothing remains to be paid, or the bank account is missing
    :raises NotFound: no such invoice or bank account, or the caller may not see it
    :raises Refused: an invoice is not validated, or closed; the bank account is closed
    """
    values, _ = payments.accept(details)
    day = _day_of_payment(values["datepaye"])
    mode = entry(PaymentType, values["paymentid"])
    if mode is None:
        raise BadRequest(errors=[("paymentid", f"expected the ID of a payment method, got {values['paymentid']}")])
    if mode.code == CHEQUE and not values.get("chqemetteur"):
        missing = BadRequest.missing("chqemetteur", f" because the payment method is {mode.code}")
        raise BadRequest(errors=[missing], dolibarr=f"Emetteur is mandatory when payment code is {mode.code}")
    values["fk_user_creat"] = current_user_id()
    for identifier, amount in amounts.items() if invoices.is_awaited("payment_added", "checking") else ():
        invoices.check_event("payment_added", identifier, {**values, "amount": amount})
    with transaction():
        # Locked in order of ID, so two payments of the same invoices can't deadlock
        rows = {identifier: _load_for_payment(identifier) for identifier in sorted(amounts)}
        known = balances(rows)
        parts = {
            identifier: _share(row, known[identifier], amounts[identifier], options) for identifier, row in rows.items()
        }
        total = sum(parts.values(), Decimal(0))
        if not total:
            raise BadRequest(
                "expected a payment with a total other than 0", dolibarr="Payment error : TotalAmountEmpty"
            )
        account = account_of_payment(values.get("accountid"))
        values |= {"amount": total, "multicurrency_amount": total}
        payments.check(values, None, None)
        # The counter is locked from here to the end of the transaction
        values["ref"] = SERIES.take(Payment.ref, day)
        payment = payments.insert(values, None, checked=True)
        for identifier, amount in parts.items():
            shares.insert(share_values(payment, rows[identifier], amount), None, known=KNOWN)
        for identifier, row in rows.items():
            if options.close and _is_settled(row, known[identifier].settled + parts[identifier]):
                invoices.act_on(row, "settopaid", PAID)
            invoices.notify("payment_added", identifier, checked=True)
        if account:
            line = note_payment(account, payment, values, mode.code, _payers(rows.values()))
            payments.write_unchecked(payment, fk_bank=line)
    return payment


def _day_of_payment(moment: datetime) -> date:
    """Return the company's day of a payment.

    :raises BadRequest: it is outside the years 1 to 9999
    """
    try:
        return local_day(moment)
    except OverflowError:
        reason = f"expected a time in the years 1 to 9999 in {settings().timezone}, got {moment}"
        raise BadRequest(errors=[("datepaye", reason)]) from None


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
    """Return ID and name of the third parties of invoices."""
    ids = {row.socid for row in rows}
    found = Thirdparty.select(Thirdparty.id, Thirdparty.name).where(Thirdparty.id.in_(ids)).order_by(Thirdparty.id)
    return [(row.id, row.name or "") for row in found]


def _sign(row: Invoice) -> int:
    """Return -1 for an amount that is paid back, else 1."""
    return -1 if row.total_ttc < 0 else 1


def _is_settled(row: Invoice, paid: Decimal) -> bool:
    return bool(_sign(row) * (row.total_ttc - paid) <= 0)


def _share(row: Invoice, balance: Balance, amount: Decimal | None, options: PaymentOptions) -> Decimal:
    """Return the amount that a payment pays of an invoice; negative if it is paid back."""
    remainder = max(_sign(row) * (row.total_ttc - balance.settled), Decimal(0))
    if amount is None:
        amount = remainder
        if not amount:
            reason = f"invoice {row.ref} has nothing left to pay"
            theirs = f"Payment error : TotalAmountEmpty: {reason}"
            raise BadRequest(reason, dolibarr=theirs, reason="nothing_left")
    if amount > remainder and not options.higher:
        paid, left = plain_amount(amount), plain_amount(remainder)
        raise BadRequest(
            f"invoice {row.ref}: expected an amount up to the unpaid remainder of {left}, got {paid}; "
            "to book an overpayment, send `accepthigherpayment`",
            dolibarr=f"Payment amount on invoice ID {row.id} ({paid}) is higher than remain to pay ({left})",
            reason="too_much",
        )
    return _sign(row) * amount


def share_values(payment: int, row: Invoice, amount: Decimal) -> dict[str, Any]:
    """Return the fields of the row that links a payment to an invoice, with its amount."""
    return {
        "fk_paiement": payment,
        "fk_facture": row.id,
        "amount": amount,
        "multicurrency_amount": amount,
        "multicurrency_code": row.multicurrency_code,
        "multicurrency_tx": row.multicurrency_tx,
    }


def renumber(identifier: int, number: str) -> None:
    """Change the number of a payment, such as the number of a cheque.

    :raises NotFound: no such payment, or it pays an invoice that the caller may not see
    """
    with transaction():
        line = payments.load(identifier, lock=True).fk_bank
        _shares_of(identifier)
        payments.change(identifier, {"num_payment": number}, date_modification=now(), fk_user_modif=current_user_id())
        if line:
            renumber_payment(line, number)


def _shares_of(identifier: int) -> dict[int, PaymentShare]:
    """Return the parts of a payment by the ID of the invoice that each pays, in this order.

    :raises NotFound: no such payment, or it pays an invoice that the caller may not see
    """
    found = PaymentShare.select().where(PaymentShare.fk_paiement == identifier).order_by(PaymentShare.fk_facture)
    parts = {row.fk_facture: row for row in found}
    if not parts or len(invoices.rows({"id": list(parts)})) < len(parts):
        raise NotFound(f"Payment {identifier} not found", dolibarr="Payment not found")
    return parts


@default_context
def cancel(identifier: int) -> None:
    """Cancel a payment, because it was entered by mistake. Its row and number stay, but it counts nowhere.

    Its invoices are open again, and the discounts that were made of them go. So does its bank line.

    :raises NotFound: no such payment, or it pays an invoice that the caller may not see
    :raises Refused: it was cancelled before, its bank line is reconciled, or a discount made of one of its invoices
        has been used
    """
    for invoice in _shares_of(identifier) if invoices.is_awaited("payment_cancelled", "checking") else ():
        invoices.check_event("payment_cancelled", invoice, {"payment": identifier})
    with transaction():
        row, parts = payments.load(identifier, lock=True), _shares_of(identifier)
        if row.date_cancellation:
            raise Refused(f"payment {row.ref} has already been cancelled", reason="already_done")
        for invoice, share in parts.items():
            shares.write_unchecked(
                share.id, amount=Decimal(0), multicurrency_amount=Decimal(0), cancelled_amount=share.amount
            )
            invoices.open_again(invoices.load(invoice, lock=True, if_match=True))
        if row.fk_bank:
            remove_payment_line(row.fk_bank)
        moment, user = now(), current_user_id()
        stamps = {"date_modification": moment, "fk_user_modif": user}
        payments.write_unchecked(row.id, fk_bank=None, date_cancellation=moment, fk_user_cancellation=user, **stamps)
        for invoice in parts:
            invoices.notify("payment_cancelled", invoice, checked=True)


def payments_of(identifier: int, *, cancelled: bool = False) -> list[PaidPart]:
    """Return the payments of an invoice, followed by the discounts that pay it.

    A discount's `type` is its origin: CREDIT_NOTE, DEPOSIT or EXCESS_RECEIVED.

    :param cancelled: instead, the payments that were cancelled
    """
    invoices.load(identifier)
    amount = "cancelled_amount" if cancelled else "amount"
    parts = {int(part["fk_paiement"]): part[amount] for part in shares.every({"fk_facture": identifier})}
    found: list[PaidPart] = []
    for record in payments.every({"id": sorted(parts)}, "t.datep,t.rowid"):
        if bool(record["date_cancellation"]) != cancelled:
            continue
        part: PaidPart = {
            "id": int(record["id"]),
            "amount": parts[int(record["id"])],
            "type": code_of(PaymentType, record["paymentid"]),
            "date": _moment(record["datepaye"]),
            "num": record["num_payment"] or "",
            "ref": record["ref"],
            "ref_ext": record["ref_ext"] or "",
        }
        if cancelled:
            part["cancelled"] = _moment(record["date_cancellation"])
            part["cancelled_by"] = int(record["fk_user_cancellation"])
        found.append(part)
    return found if cancelled else found + _discounts_of(identifier)


def _discounts_of(identifier: int) -> list[PaidPart]:
    return [
        {
            "id": int(record["id"]),
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
    """Return an instant; as text in the profile of Dolibarr 16."""
    if not profile().text_values or seconds == "":
        return seconds
    return datetime.fromtimestamp(seconds, settings().zone).strftime("%Y-%m-%d %H:%M:%S")
