"""Bank accounts of the company: what is checked when they are written, what they hold, who may name one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from core import BadRequest, NotFound, Records, Refused, Values, allowed_operations, bump, cached, wrong_fields

from ..dictionaries.codes import code_cleaners
from ..dictionaries.entries import add_codes, entry
from ..dictionaries.models import Country
from ..setup.account_numbers import clean_bic, clean_iban, is_creditor_identifier, packed
from ..setup.company import company, today
from ..setup.stamps import stamp, unset_zeros
from .models import CLOSED, OPEN, BankAccount, BankLine

#: the balance at the beginning: keys of a body and the fields of its line; the code of that, and what it is called
FIRST = {"solde": "amount", "date_solde": "dateo"}
BEGINNING, BEGINNING_LABEL = "SOLD", "(InitialBankBalance)"
CURRENCY = "EUR"

_CURRENCY = re.compile("[A-Z]{3}")


def own_currency() -> str:
    """The company's currency."""
    return company()["currency_code"] or CURRENCY


def clean_currency(text: str) -> str | None:
    """The currency that is kept of what was sent.

    :raises ValueError: it is none
    """
    code = text.strip().upper()
    if code and not _CURRENCY.fullmatch(code):
        raise ValueError("expected a currency such as EUR")
    return code or None


def clean_creditor(text: str) -> str | None:
    """The creditor identifier that is kept of what was sent.

    :raises ValueError: it is none
    """
    number = packed(text)
    if number and not is_creditor_identifier(number):
        raise ValueError("expected a creditor identifier with valid check digits, such as FR72ZZZ123456")
    return number or None


def check_country(values: Mapping[str, Any]) -> None:
    """Refuse a country that is not in the dictionary."""
    if values.get("country_id") and entry(Country, values["country_id"]) is None:
        raise wrong_fields([("country_id", f"expected the ID of a country, got {values['country_id']}")])


class BankAccounts(Records[BankAccount]):
    """Bank accounts."""

    model = BankAccount
    service = "bankaccounts"
    noun = "Bank account"
    empty = "No bank account found"
    extra_keys = tuple(FIRST)
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
        """Add what each account holds, with one statement for all of them, and the country's code."""
        add_codes(records, "country_code", Country, "country_id")
        found = balances([int(record["id"]) for record in records])
        for record in records:
            record["balance"] = f"{found[int(record['id'])]:.8f}"

    def accept(
        self, body: Mapping[str, Any], *, creating: bool = True, replace: bool = False
    ) -> tuple[Values, dict[str, Any] | None]:
        """Check a body; the balance at the beginning is the first line of a new account."""
        wrong = _beginning(body)[1] if creating else []
        if not creating and body.get("currency_code") in (None, ""):
            # An empty one changes none
            body = {name: value for name, value in body.items() if name != "currency_code"}
        try:
            values, extras = super().accept(body, creating=creating, replace=replace)
        except BadRequest as error:
            error.errors = [*error.errors, *wrong]
            raise
        if wrong:
            raise wrong_fields(wrong)
        return values, extras

    def prepare(self, values: Values, before: BankAccount | None) -> None:
        """Set what the server sets, and check what no column says."""
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
        if before is None or values.get("status", before.status) != before.status:
            bump()

    def stored(self, identifier: int, body: Mapping[str, Any], before: BankAccount | None) -> None:
        """The balance at the beginning is the first line."""
        first = _beginning(body)[0] if before is None else {}
        if first.get("amount"):
            first |= {"fk_account": identifier, "fk_type": BEGINNING, "label": BEGINNING_LABEL}
            first["dateo"] = first["datev"] = first.get("dateo") or today()
            plain_lines.insert(first, None, known=("fk_account",))

    def removing(self, row: BankAccount) -> None:
        """Others are told that there is one account less."""
        bump()

    def load_open(self, identifier: int, name: str = "id") -> BankAccount:
        """The row of an account that takes a line, locked until the transaction ends.

        :param name: the field that names it
        :raises NotFound: there is no such account, or the caller may not see it
        :raises Refused: it is closed
        """
        row = self._load_named(identifier, name)
        if row.status == CLOSED:
            allowed = allowed_operations(["PATCH /bankaccounts/{id}"], row.id)
            raise Refused(
                f"bank account {row.ref} is closed", reason="closed", details={"state": "closed", "allowed": allowed}
            )
        return row

    def _load_named(self, identifier: int, name: str) -> BankAccount:
        try:
            return self.load(identifier, lock=True)
        except NotFound:
            errors = [(name, "no such record")]
            raise NotFound(f"Bank account {identifier} not found", errors=errors) from None


def _beginning(body: Mapping[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The first line of a new account as its body says it, and what is wrong with that."""
    sent = {field: body[name] for name, field in FIRST.items() if body.get(name) not in (None, "")}
    if not sent:
        return {}, []
    try:
        return plain_lines.accept({"amount": "0"} | sent)[0], []
    except BadRequest as error:
        names = {field: name for name, field in FIRST.items()}
        return {}, [(names[field], reason) for field, reason in error.errors]


def balances(identifiers: list[int]) -> dict[int, Decimal]:
    """What accounts hold: the sum of their lines, with one statement for all of them."""
    sums = plain_lines.group("fk_account", total=("sum", "amount"), where={"fk_account": identifiers})
    found = {row["fk_account"]: row["total"] for row in sums}
    return {each: Decimal(found.get(each) or 0) for each in identifiers}


def has_lines(identifier: int) -> bool:
    """Whether an account has lines."""
    return bool(plain_lines.count({"fk_account": identifier}))


@cached
def _states() -> dict[int, int]:
    return {row.id: row.status for row in BankAccount.select(BankAccount.id, BankAccount.status)}


def are_used() -> bool:
    """Whether there is any bank account: while there is none, what names one is kept as it came."""
    return bool(_states())


def asks_for_one() -> bool:
    """Whether a payment must name an account: there is an open one."""
    return OPEN in _states().values()


bank_accounts = BankAccounts()
#: lines as they are written by accounts themselves
plain_lines = Records(BankLine, noun="Line")
