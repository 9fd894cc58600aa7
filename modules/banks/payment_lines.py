"""Bank lines of payments, kept in sync with the payments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from core import BadRequest, Refused, now
from core.for_natives import local_day

from ..setup.one_currency import own_currency
from .accounts import are_used, asks_for_one, bank_accounts
from .lines import COMPANY, PAYMENT, lines, link_line
from .models import BankAccount

#: labels of lines for incoming and refunded payments, which Dolibarr clients compare
PAID, PAID_BACK = "(CustomerInvoicePayment)", "(CustomerInvoicePaymentBack)"


def account_of_payment(number: int | None) -> BankAccount | None:
    """Return the account of a payment, locked until the transaction ends.

    Return None while no bank account exists, or if the payment has none and no account is open.

    :raises BadRequest: the account is missing although an open one exists
    :raises NotFound: no such account
    :raises Refused: the account is closed or not in the company's currency
    """
    if not number and asks_for_one():
        raise BadRequest(errors=[BadRequest.missing("accountid")])
    if not number or not are_used():
        return None
    row = bank_accounts.load_open(number, "accountid")
    if row.currency_code != own_currency():
        expected = f"expected a bank account in {own_currency()}"
        raise Refused(f"`accountid`: {expected}, got {row.ref}, which is in {row.currency_code}", reason="wrong_type")
    return row


def note_payment(
    account: BankAccount, payment: int, values: Mapping[str, Any], code: str, companies: Iterable[tuple[int, str]]
) -> int:
    """Write the line of a payment, in the transaction that writes the payment; return the line's ID.

    :param account: returned by `account_of_payment`
    :param values: the payment's fields
    :param code: code of the payment mode
    :param companies: ID and name of the third parties that paid
    """
    day, amount = local_day(values["datepaye"]), values["amount"]
    line = lines.insert(
        {
            "fk_account": account.id, "dateo": day, "datev": day, "amount": amount, "fk_type": code,
            "label": PAID if amount > 0 else PAID_BACK, "num_chq": values.get("num_payment") or None,
            "emetteur": values.get("chqemetteur") or None, "banque": values.get("chqbank") or None,
        },
        None, known=("fk_account",),
    )  # fmt: skip
    link_line(line, PAYMENT, payment, "(paiement)")
    for number, name in companies:
        link_line(line, COMPANY, number, name)
    return line


def renumber_payment(line: int, number: str) -> None:
    """Copy a changed number of a payment to its line, in the same transaction."""
    lines.write_unchecked(line, num_chq=number or None, tms=now())


def remove_payment_line(line: int) -> None:
    """Delete the line of a payment that is cancelled, in the same transaction.

    :raises Refused: it is reconciled, its account is closed, or the caller may not see the account
    """
    if not lines.rows({"id": line}):
        raise Refused(
            "the payment is booked to an account of the company; only internal users can cancel it", reason="locked"
        )
    bank_accounts.load_open(lines.load(line).fk_account)
    lines.require_unreconciled(lines.load(line, lock=True))
    lines.delete(line)
