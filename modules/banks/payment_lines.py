"""Lines that payments of invoices write, and what keeps both in step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from core import Refused, day_of, utc_now, wrong_fields

from .accounts import are_used, asks_for_one, bank_accounts, own_currency
from .lines import COMPANY, PAYMENT, lines, link_line
from .models import BankAccount

#: labels of what came in and of what went back, as clients of the reference know them
PAID, PAID_BACK = "(CustomerInvoicePayment)", "(CustomerInvoicePaymentBack)"


def account_of_payment(number: int | None) -> BankAccount | None:
    """The account of a payment, locked until the transaction ends; None while no bank account exists.

    :raises BadRequest: none is named, and there is an open one
    :raises NotFound: there is no such account
    :raises Refused: it is closed, or kept in another currency than payments are
    """
    if not number and asks_for_one():
        raise wrong_fields([("accountid", "`accountid` is required")])
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
    """Write the line of a payment, inside the transaction that writes the payment; answers its identifier.

    :param account: as `account_of_payment` answered it
    :param values: the payment's fields
    :param code: of the mode of payment
    :param companies: the third parties that paid, identifier and name
    """
    day, amount = day_of(values["datepaye"]), values["amount"]
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
    """The number of a payment has changed, inside its transaction: its line follows."""
    lines.write_unchecked(line, num_chq=number or None, tms=utc_now())
