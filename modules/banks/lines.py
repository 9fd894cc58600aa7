"""Lines of bank accounts, written by hand or by transfers, and their links."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from core import BadRequest, ListQuery, NotFound, Records, Refused, allowed_operations, now, shown, today, transaction
from core.for_natives import Page, current_user_id, default_context

from ..dictionaries.entries import find_by_code
from ..dictionaries.models import PaymentType
from .accounts import bank_accounts
from .models import BankAccount, BankLine, BankLink

PAYMENT, COMPANY, TRANSFER = "payment", "company", "banktransfert"
#: paths of the linked pages in Dolibarr, which clients parse
PAGES = {
    PAYMENT: "/compta/paiement/card.php?id=",
    COMPANY: "/societe/card.php?socid=",
    TRANSFER: "/compta/bank/line.php?rowid=",
}
BANK_TRANSFER = "VIR"
#: fields that can change on a reconciled line
RECONCILIATION = {"rappro", "num_releve", "fk_user_rappro", "tms"}

links = Records(BankLink, noun="Link")


class Lines(Records[BankLine]):
    """Lines of bank accounts."""

    model = BankLine
    noun = "Line"
    sort = "t.dateo,t.rowid"

    def page_of(self, account: int, query: ListQuery) -> Page:
        """Return the lines of an account.

        :raises NotFound: no such account, or the caller may not see it
        """
        # Before the account is loaded: a wrong filter is an error for any account
        page = self.page(query, {"fk_account": account})
        bank_accounts.load(account)
        return page

    def load_of(self, account: int, identifier: int, *, lock: bool = False) -> BankLine:
        """Return the row of a line of an account.

        :raises NotFound: no such account or line, or the line belongs to a different account
        """
        bank_accounts.load(account, lock=lock)
        row = self.load(identifier, lock=lock)
        if row.fk_account != account:
            raise NotFound(f"Line {identifier} not found in bank account {account}", dolibarr="Line not found")
        return row

    def add(self, account: int, body: Mapping[str, Any], **managed: Any) -> int:
        """Write a line by hand; return its ID.

        :param managed: further fields, as Python values
        :raises NotFound: no such account
        :raises Refused: the account is closed
        """
        values, _ = self.accept(body)
        with transaction():
            bank_accounts.load_open(account)
            return self.insert(values | managed | {"fk_account": account}, None, known=("fk_account",))

    def prepare(self, values: dict[str, Any], before: BankLine | None) -> None:
        """Complete the dates; reject changes to a reconciled line, except undoing the reconciliation."""
        values.setdefault("tms", now())
        if before is None:
            values["dateo"] = values.get("dateo") or today()
            values["datev"] = values.get("datev") or values["dateo"]
            values.setdefault("fk_user_author", current_user_id())
            _check_type(values)
        elif before.rappro and values.get("rappro", 1):
            other = {name for name, value in values.items() if value != getattr(before, name)} - RECONCILIATION
            if other:
                raise Refused(f"bank line {before.id} is reconciled; set `rappro` to 0 to change it", reason="locked")
        for name in ("dateo", "datev"):
            if before is not None and name in values and values[name] is None:
                values[name] = getattr(before, name)
        _settle_reconciliation(values, before)

    def change_of(self, account: int, identifier: int, body: Mapping[str, Any]) -> None:
        """Change label, dates and notes of a line, or reconcile it.

        :raises Refused: it is reconciled, and other fields would change
        """
        with transaction():
            self.load_of(account, identifier, lock=True)
            self.change(identifier, body)

    def remove(self, account: int, identifier: int) -> None:
        """Delete a line; a transfer loses both of its lines.

        :raises Refused: it is reconciled, belongs to a payment, or its account is closed
        """
        other = self._other_side(identifier)
        with transaction():
            # Both accounts, then both lines are locked in order of ID, so two deletions can't deadlock
            sides = [self.load_of(account, identifier)] if other is None else self.rows({"id": [identifier, other]})
            for each in sorted({account, *(row.fk_account for row in sides)}):
                bank_accounts.load_open(each)
            self.load_of(account, identifier)
            for each in sorted(row.id for row in sides):
                self._check_removable(self.load(each, lock=True))
            # The requested line first, because `If-Match` applies to it
            for each in sorted((row.id for row in sides), key=lambda each: each != identifier):
                self.delete(each)

    def _other_side(self, identifier: int) -> int | None:
        found = links.rows({"fk_bank": identifier, "type": TRANSFER})
        return found[0].url_id if found else None

    def _check_removable(self, row: BankLine) -> None:
        self.require_unreconciled(row)
        if links.rows({"fk_bank": row.id, "type": PAYMENT}):
            raise Refused(f"can't delete bank line {row.id}: it belongs to a payment", reason="in_use")

    def require_unreconciled(self, row: BankLine) -> None:
        """Check that a line that is to be deleted isn't on a statement.

        :raises Refused: it is
        """
        if row.rappro:
            message = f"can't delete bank line {row.id}: it is reconciled with statement {row.num_releve}"
            way = allowed_operations(["PUT /bankaccounts/{id}/lines/{line_id}"], row.fk_account, row.id)
            raise Refused(message, reason="locked", details={"allowed": way})

    def links_of(self, account: int, identifier: int) -> list[dict[str, Any]]:
        """Return the links of a line."""
        self.load_of(account, identifier)
        return links.every({"fk_bank": identifier})


def _check_type(values: Mapping[str, Any]) -> None:
    code = values.get("fk_type")
    if code and find_by_code(PaymentType, code) is None:
        reason = f"expected the code of a payment method such as VIR, got {shown(code)}"
        raise BadRequest(errors=[("type", reason)])


def _settle_reconciliation(values: dict[str, Any], before: BankLine | None) -> None:
    """Require a statement number for reconciling a line; clear it when the reconciliation is undone."""
    is_found = values.get("rappro", before.rappro if before else 0)
    if not is_found:
        if before is not None and before.rappro:
            values |= {"num_releve": None, "fk_user_rappro": None}
        return
    if not values.get("num_releve", before.num_releve if before else None):
        raise BadRequest(errors=[BadRequest.missing("num_releve", " to reconcile a line")])
    if before is None or not before.rappro:
        values["fk_user_rappro"] = current_user_id()


def link_line(line: int, kind: str, number: int, label: str) -> None:
    """Write a link of a line, in the transaction that writes the line."""
    values = {"fk_bank": line, "type": kind, "url_id": number, "url": PAGES[kind], "label": label[:255]}
    links.insert(values, None, known=("fk_bank",))


# Transfers -----------------------------------------------------------------------------------------------------------


@default_context
def transfer(
    source: int, target: int, day: date, label: str, amount: Decimal, amount_to: Decimal | None, number: str = ""
) -> tuple[int, int]:
    """Move money from one account to another with two lines, or none; return the IDs of the lines.

    :param amount: in the currency of the first account
    :param amount_to: in the currency of the second account; required if the currencies differ
    :raises BadRequest: both accounts are the same, or the second amount is missing
    :raises NotFound: no such account
    :raises Refused: one of the accounts is closed
    """
    if source == target:
        raise BadRequest(
            errors=[("bankaccount_to_id", f"expected an account other than `bankaccount_from_id`, got {target}")]
        )
    with transaction():
        names = {source: "bankaccount_from_id", target: "bankaccount_to_id"}
        rows = {each: bank_accounts.load_open(each, names[each]) for each in sorted(names)}
        arrives = _arriving(rows[source], rows[target], amount, amount_to)
        values = {"dateo": day, "datev": day, "label": label, "fk_type": BANK_TRANSFER, "num_chq": number or None}
        written = tuple(
            lines.insert(values | {"fk_account": account, "amount": sum_}, None, known=("fk_account",))
            for account, sum_ in ((source, -amount), (target, arrives))
        )
        for one, other in (written, written[::-1]):
            link_line(one, TRANSFER, other, "(banktransfert)")
    return written[0], written[1]


def _arriving(source: BankAccount, target: BankAccount, amount: Decimal, amount_to: Decimal | None) -> Decimal:
    if source.currency_code == target.currency_code:
        if amount_to and amount_to != amount:
            reason = f"expected {amount:f} because both accounts are in {source.currency_code}, got {amount_to:f}"
            raise BadRequest(errors=[("amount_to", reason)])
        return amount
    if not amount_to:
        currencies = f"{source.currency_code} and {target.currency_code}"
        raise BadRequest(errors=[BadRequest.missing("amount_to", f" because the accounts are in {currencies}")])
    return amount_to


lines = Lines()
