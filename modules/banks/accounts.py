"""Bank accounts of the company: checks on writing, balances, and whether any is open."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from core import BadRequest, NotFound, Records, Refused, Values, allowed_operations, today, warn
from core.for_natives import bump, cached

from ..dictionaries.codes import CodedRecords, code_cleaners
from ..dictionaries.entries import entry
from ..dictionaries.models import Country
from ..setup.account_numbers import clean_bic, clean_iban, is_creditor_identifier, packed
from ..setup.company import company
from ..setup.one_currency import own_currency
from ..setup.stamps import stamp, unset_zeros
from .models import CLOSED, OPEN, BankAccount, BankLine

#: opening balance: key of the body → field of its line; the type code and the label of that line
FIRST = {"solde": "amount", "date_solde": "dateo"}
BEGINNING, BEGINNING_LABEL = "SOLD", "(InitialBankBalance)"

_CURRENCY = re.compile("[A-Z]{3}")


def clean_currency(text: str) -> str | None:
    """Return the code of a currency, normalized.

    :raises ValueError: it is not a currency code
    """
    code = text.strip().upper()
    if code and not _CURRENCY.fullmatch(code):
        raise ValueError("expected a currency such as EUR")
    return code or None


def clean_creditor(text: str) -> str | None:
    """Return a creditor identifier, normalized.

    :raises ValueError: it is not a creditor identifier
    """
    number = packed(text)
    if number and not is_creditor_identifier(number):
        raise ValueError("expected a creditor identifier with valid check digits, such as FR72ZZZ123456")
    return number or None


def check_country(values: Mapping[str, Any]) -> None:
    """Reject a country that is not in the dictionary."""
    if values.get("country_id") and entry(Country, values["country_id"]) is None:
        raise BadRequest(errors=[("country_id", f"expected the ID of a country, got {values['country_id']}")])


class BankAccounts(CodedRecords[BankAccount]):
    """Bank accounts."""

    model = BankAccount
    service = "bankaccounts"
    noun = "Bank account"
    empty = "No bank account found"
    extra_keys = tuple(FIRST)
    codes = {"country_code": ("country_id", Country)}
    amounts = {"balance": (BankLine, "fk_account", "amount")}
    cleaners: Mapping[str, Callable[[str], str | None]] = {
        **code_cleaners(BankAccount),
        "ref": str.strip,
        "label": str.strip,
        "iban": clean_iban,
        "bic": clean_bic,
        "ics": clean_creditor,
        "currency_code": clean_currency,
    }

    def complete(self, records: list[dict[str, Any]]) -> None:
        """Add the balance of each account, read with one statement for all, and the country's code."""
        super().complete(records)
        found = balances([int(record["id"]) for record in records])
        for record in records:
            record["balance"] = f"{found[int(record['id'])]:.8f}"

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check a body; a new account may have an opening balance."""
        first, wrong = _beginning(body) if creating else ({}, [])
        ignored = [name for name in FIRST if body.get(name) not in (None, "") and not first.get("amount")]
        if ignored and not wrong:
            reason = "`solde` is missing or 0" if creating else "they can be set only on creation"
            warn(f"ignored: {', '.join(ignored)}, because {reason}")
        if not creating and body.get("currency_code") in (None, ""):
            # An empty currency changes nothing
            body = {name: value for name, value in body.items() if name != "currency_code"}
        try:
            values, extras = super().accept(body, creating=creating, replace=replace)
        except BadRequest as error:
            error.errors = [*error.errors, *wrong]
            raise
        if wrong:
            raise BadRequest(errors=wrong)
        return values, extras

    def prepare(self, values: Values, before: BankAccount | None) -> None:
        """Set the fields that the server sets, and check rules that the columns don't define."""
        super().prepare(values, before)
        unset_zeros(values, "country_id", "state_id")
        if before is None:
            own = company()["country_id"]
            values.setdefault("country_id", int(own) if own else None)
            values["currency_code"] = values.get("currency_code") or own_currency()
        elif values.get("currency_code", before.currency_code) != before.currency_code and has_lines(before.id):
            raise Refused(
                f"can't change the currency of bank account {before.ref}: it has lines in {before.currency_code}",
                reason="has_lines",
            )
        check_country(values)
        stamp(values, new=before is None, creator="fk_user_author", changer="fk_user_modif")
        if before is not None and values.get("status", before.status) != before.status:
            bump()

    def stored(self, identifier: int, body: Mapping[str, Any], before: BankAccount | None) -> None:
        """Write the opening balance as the first line of a new account, and reset cached data."""
        if before is None:
            bump()
        first = _beginning(body)[0] if before is None else {}
        if first.get("amount"):
            first |= {"fk_account": identifier, "fk_type": BEGINNING, "label": BEGINNING_LABEL}
            first["dateo"] = first["datev"] = first.get("dateo") or today()
            plain_lines.insert(first, None, known=("fk_account",))

    def removing(self, row: BankAccount) -> None:
        """Reset cached data, because an account is deleted."""
        bump()

    def load_open(self, identifier: int, name: str = "id") -> BankAccount:
        """Return the row of an account that gets a line, locked until the transaction ends.

        :param name: the field of the request that holds the ID
        :raises NotFound: no such account, or the caller may not see it
        :raises Refused: it is closed
        """
        try:
            row = self.load(identifier, lock=True)
        except NotFound:
            errors = [(name, "no such record")]
            raise NotFound(f"Bank account {identifier} not found", errors=errors) from None
        if row.status == CLOSED:
            allowed = allowed_operations(["PATCH /bankaccounts/{id}"], row.id)
            raise Refused(
                f"bank account {row.ref} is closed", reason="closed", details={"state": "closed", "allowed": allowed}
            )
        return row


def _beginning(body: Mapping[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Return the opening line of a new account from its body, and the errors in it."""
    sent = {field: body[name] for name, field in FIRST.items() if body.get(name) not in (None, "")}
    if not sent:
        return {}, []
    try:
        return plain_lines.accept({"amount": "0"} | sent)[0], []
    except BadRequest as error:
        names = {field: name for name, field in FIRST.items()}
        return {}, [(names[field], reason) for field, reason in error.errors]


def balances(identifiers: list[int]) -> dict[int, Decimal]:
    """Return the balances of accounts, the sums of their lines, read with one statement."""
    sums = plain_lines.group("fk_account", total=("sum", "amount"), where={"fk_account": identifiers})
    found = {row["fk_account"]: row["total"] for row in sums}
    return {each: Decimal(found.get(each) or 0) for each in identifiers}


def has_lines(identifier: int) -> bool:
    """Return whether an account has lines."""
    return bool(plain_lines.count({"fk_account": identifier}))


@cached
def _states() -> dict[int, int]:
    return {row.id: row.status for row in BankAccount.select(BankAccount.id, BankAccount.status)}


def are_used() -> bool:
    """Return whether any bank account exists; if not, references to bank accounts are stored unchecked."""
    return bool(_states())


def asks_for_one() -> bool:
    """Return whether a payment needs a bank account, because an open one exists."""
    return OPEN in _states().values()


bank_accounts = BankAccounts()
#: lines that the accounts themselves write
plain_lines = Records(BankLine, noun="Line")
