"""Bank accounts over HTTP."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Annotated, Any, TypedDict

from core import ExactField, ListQuery

from ...answers.deeds import Removed, removed
from ..accounts import bank_accounts
from ..lines import lines, transfer
from ..models import BankAccount, BankLine, BankLink
from ..thirdparty_api import ThirdpartyAccountsApi

AccountRecord = Annotated[dict[str, Any], BankAccount]
LineRecord = Annotated[dict[str, Any], BankLine]
LinkRecord = Annotated[dict[str, Any], BankLink]


class Balance(TypedDict):
    """What a bank account holds."""

    balance: Annotated[str, ExactField, "sum of all its lines, in its currency"]
    currency_code: Annotated[str, "ISO 4217 code of that currency"]


class Transferred(TypedDict):
    """The lines of a transfer."""

    bank_id_from: Annotated[int, "row identifier of the line on the first account"]
    bank_id_to: Annotated[int, "row identifier of the line on the second one"]


class BankAccounts(ThirdpartyAccountsApi):
    """The company's own accounts, and what goes in and out of them. Payments of invoices write lines by themselves.

    External users see none of it.
    """

    records = bank_accounts

    def index(self, query: ListQuery) -> list[AccountRecord]:
        """List bank accounts.

        :permission: read
        """
        return bank_accounts.page(query)

    def get(self, id: int) -> AccountRecord:
        """Read one bank account.

        :param id: row identifier of the account
        :raises NotFound: there is no such account
        :permission: read
        """
        return bank_accounts.read(id)

    def post(self, request_data: AccountRecord) -> int:
        """Open a bank account; answers its identifier.

        `solde` and `date_solde` say what it holds at the beginning.

        :raises BadRequest: a field is missing or does not fit; all of them are named
        :raises Refused: its reference or label is already used
        :permission: write
        """
        return bank_accounts.create(request_data)

    def put(self, id: int, request_data: AccountRecord) -> AccountRecord:
        """Change a bank account: the fields that are sent; `array_options`, when sent, replaces all extra fields.

        :param id: row identifier of the account
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such account
        :raises Refused: its reference or label is already used, or it has lines and another currency is named
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        bank_accounts.change(id, request_data)
        return bank_accounts.read(id)

    def patch(self, id: int, request_data: AccountRecord) -> AccountRecord:
        """Change a bank account: the fields that are sent, extra fields one by one.

        :param id: row identifier of the account
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such account
        :raises Refused: its reference or label is already used, or it has lines and another currency is named
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        bank_accounts.change(id, request_data, merge_extras=True)
        return bank_accounts.read(id)

    def delete(self, id: int) -> Removed:
        """Delete a bank account that has no lines and that nothing names.

        :param id: row identifier of the account
        :raises NotFound: there is no such account
        :raises Refused: it has lines, or a payment or a document names it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: delete
        """
        bank_accounts.delete(id)
        return removed("Bank account deleted")

    def get_balance(self, id: int) -> Balance:
        """Read the balance of an account: the sum of its lines.

        :url: GET {id}/balance
        :param id: row identifier of the account
        :raises NotFound: there is no such account
        :permission: read
        """
        record = bank_accounts.read(id)
        return {"balance": record["balance"], "currency_code": record["currency_code"]}

    def transfer(
        self,
        bankaccount_from_id: int,
        bankaccount_to_id: int,
        date: datetime.date,
        description: str,
        amount: Decimal,
        amount_to: Decimal | None = None,
        cheque_number: str = "",
    ) -> Transferred:
        """Move money from one account to another: a line on each, or none.

        :url: POST transfer
        :param bankaccount_from_id: row identifier of the account it leaves {@min 1}
        :param bankaccount_to_id: row identifier of the account it arrives at {@min 1}
        :param date: day of the transfer
        :param description: label of both lines {@max 255}
        :param amount: how much, in the currency of the first account {@min 0.00000001}
        :param amount_to: how much arrives, where the second account has another currency
        :param cheque_number: number of the transfer {@max 50}
        :raises BadRequest: a value does not fit, both are one account, or `amount_to` is missing
        :raises NotFound: there is no such account
        :raises Refused: one of them is closed
        :permission: write
        """
        left, arrived = transfer(
            bankaccount_from_id, bankaccount_to_id, date, description, amount, amount_to, cheque_number
        )
        return {"bank_id_from": left, "bank_id_to": arrived}

    def get_lines(self, id: int, query: ListQuery) -> list[LineRecord]:
        """List the lines of an account, oldest first.

        :url: GET {id}/lines
        :param id: row identifier of the account
        :raises NotFound: there is no such account
        :permission: read
        """
        return lines.page_of(id, query)

    def add_line(
        self,
        id: int,
        date: datetime.date,
        type: str,
        label: str,
        amount: Decimal,
        cheque_number: str = "",
        cheque_writer: str = "",
        cheque_bank: str = "",
        datev: datetime.date | None = None,
        num_releve: str = "",
    ) -> int:
        """Write a line of an account by hand; answers its identifier.

        :url: POST {id}/lines
        :param id: row identifier of the account
        :param date: day it was done
        :param type: code of the mode of payment {@example VIR}
        :param label: what it is for {@max 255}
        :param amount: in the account's currency; below 0 it goes out
        :param cheque_number: number of the cheque or transfer {@max 50}
        :param cheque_writer: who drew the cheque, or sent the transfer {@max 255}
        :param cheque_bank: bank of the cheque {@max 255}
        :param datev: day that counts for interest; the other one when none is given
        :param num_releve: number of the statement, where it is known {@max 50}
        :raises BadRequest: a value does not fit
        :raises NotFound: there is no such account
        :raises Refused: the account is closed
        :permission: write
        """
        body = {
            "type": type, "label": label, "amount": amount, "num_chq": cheque_number or None,
            "emetteur": cheque_writer or None, "banque": cheque_bank or None, "num_releve": num_releve or None,
        }  # fmt: skip
        return lines.add(id, body, dateo=date, datev=datev)

    def get_line(self, id: int, line_id: int) -> LineRecord:
        """Read one line of an account.

        :url: GET {id}/lines/{line_id}
        :param id: row identifier of the account
        :param line_id: row identifier of the line
        :raises NotFound: there is no such account or line, or the line is another account's
        :permission: read
        """
        return lines.read(lines.load_of(id, line_id).id)

    def put_line(self, id: int, line_id: int, request_data: LineRecord) -> LineRecord:
        """Change a line: label, days and notes, or note with `rappro` and `num_releve` that a statement has it.

        Amount and mode of payment stay. Of a line that a statement has, only that can be taken back (`rappro` 0).

        :url: PUT {id}/lines/{line_id}
        :param id: row identifier of the account
        :param line_id: row identifier of the line
        :raises BadRequest: a field does not fit
        :raises NotFound: there is no such account or line, or the line is another account's
        :raises Refused: a statement has it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: write
        """
        lines.change_of(id, line_id, request_data)
        return lines.read(line_id)

    def delete_line(self, id: int, line_id: int) -> Removed:
        """Delete a line of an account; one of a transfer goes with the other one.

        :url: DELETE {id}/lines/{line_id}
        :param id: row identifier of the account
        :param line_id: row identifier of the line
        :raises NotFound: there is no such account or line, or the line is another account's
        :raises Refused: a statement has it, a payment wrote it, or the account is closed
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: delete
        """
        lines.remove(id, line_id)
        return removed("Line deleted")

    def get_line_links(self, id: int, line_id: int) -> list[LinkRecord]:
        """List the links of a line: what it belongs to, a payment, a third party, the other line of a transfer.

        :url: GET {id}/lines/{line_id}/links
        :param id: row identifier of the account
        :param line_id: row identifier of the line
        :raises NotFound: there is no such account or line, or the line is another account's
        :permission: read
        """
        return lines.links_of(id, line_id)
