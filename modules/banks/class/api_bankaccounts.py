"""Bank accounts over HTTP."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Annotated, Any, TypedDict

from core import Crud, ExactField, ListQuery
from core.for_natives import Removed, removed

from ..accounts import bank_accounts
from ..lines import lines, transfer
from ..models import BankAccount, BankLine, BankLink, ThirdpartyAccount
from ..thirdparty_accounts import thirdparty_accounts

AccountRecord = Annotated[dict[str, Any], BankAccount]
LineRecord = Annotated[dict[str, Any], BankLine]
LinkRecord = Annotated[dict[str, Any], BankLink]
ThirdpartyAccountRecord = Annotated[dict[str, Any], ThirdpartyAccount]


class Balance(TypedDict):
    """The balance of a bank account."""

    balance: Annotated[str, ExactField, "sum of all its lines, in its currency"]
    currency_code: Annotated[str, "ISO 4217 code of that currency"]


class Transferred(TypedDict):
    """The lines of a transfer."""

    bank_id_from: Annotated[int, "ID of the line on the paying account"]
    bank_id_to: Annotated[int, "ID of the line on the receiving account"]


class BankAccounts(Crud):
    """The company's bank and cash accounts, with their lines and transfers.

    Invoice payments add lines. External users see no accounts.
    """

    group = "Money"

    records = bank_accounts
    refusals = {
        "post": "its reference or label is already used",
        "put patch": "its reference or label is already used, or the currency of an account with lines would change",
        "delete": "it has lines, or a payment or a document refers to it",
    }

    def post(self, request_data: AccountRecord) -> int:
        """Create a bank account.

        `solde` and `date_solde` set the opening balance. Returns its ID.
        """
        return bank_accounts.create(request_data)

    def get_balance(self, id: int) -> Balance:
        """Read the balance of a bank account.

        :url: GET {id}/balance
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
        """Transfer money between bank accounts.

        Adds one line to each account.

        :url: POST transfer
        :param bankaccount_from_id: paying account {@min 1}
        :param bankaccount_to_id: receiving account {@min 1}
        :param description: label of both lines {@max 255}
        :param amount: in the paying account's currency {@min 0.00000001}
        :param amount_to: amount received; required if currencies differ
        :param cheque_number: transfer number {@max 50}
        :raises NotFound: no such account
        :raises Refused: one account is closed
        :strict:
        :permission: write
        """
        left, arrived = transfer(
            bankaccount_from_id, bankaccount_to_id, date, description, amount, amount_to, cheque_number
        )
        return {"bank_id_from": left, "bank_id_to": arrived}

    def get_lines(self, id: int, query: ListQuery) -> list[LineRecord]:
        """List the lines of a bank account.

        Oldest first.

        :url: GET {id}/lines
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
        """Add a line to a bank account.

        Returns the line's ID.

        :url: POST {id}/lines
        :param date: booking date
        :param type: payment mode code {@example VIR}
        :param label: text {@max 255}
        :param amount: in the account's currency; negative for money going out
        :param cheque_number: cheque or transfer number {@max 50}
        :param cheque_writer: issuer {@max 255}
        :param cheque_bank: cheque's bank {@max 255}
        :param datev: value date; default: `date`
        :param num_releve: bank statement number {@max 50}
        :raises Refused: the account is closed
        :strict:
        :unconditional: `If-Match` is ignored
        :permission: write
        """
        body = {
            "type": type, "label": label, "amount": amount, "num_chq": cheque_number or None,
            "emetteur": cheque_writer or None, "banque": cheque_bank or None, "num_releve": num_releve or None,
        }  # fmt: skip
        return lines.add(id, body, dateo=date, datev=datev)

    def get_line(self, id: int, line_id: int) -> LineRecord:
        """Read a bank line.

        :url: GET {id}/lines/{line_id}
        :permission: read
        """
        return lines.read(lines.load_of(id, line_id).id)

    def put_line(self, id: int, line_id: int, request_data: LineRecord) -> LineRecord:
        """Update a bank line.

        Amount and payment mode can't change. `rappro` and `num_releve` mark the line as reconciled. A reconciled line
        only accepts `rappro` 0.

        :url: PUT {id}/lines/{line_id}
        :raises Refused: it is reconciled
        :permission: write
        """
        lines.change_of(id, line_id, request_data)
        return lines.read(line_id)

    def delete_line(self, id: int, line_id: int) -> Removed:
        """Delete a bank line.

        For a transfer, deletes both lines.

        :url: DELETE {id}/lines/{line_id}
        :raises Refused: reconciled, created by a payment, or the account is closed
        :permission: delete
        """
        lines.remove(id, line_id)
        return removed("Line deleted")

    def get_line_links(self, id: int, line_id: int) -> list[LinkRecord]:
        """List the links of a bank line.

        Links lead to payments, third parties and the other line of a transfer.

        :url: GET {id}/lines/{line_id}/links
        :permission: read
        """
        return lines.links_of(id, line_id)

    # Of third parties -------------------------------------------------------------------------------------------------

    def list_thirdparty_accounts(self, id: int) -> list[ThirdpartyAccountRecord]:
        """List the bank accounts of a third party.

        :url: GET ../thirdparties/{id}/bankaccounts
        :permission: thirdparties.read
        """
        return thirdparty_accounts.list_of(id)

    def add_thirdparty_account(self, id: int, request_data: ThirdpartyAccountRecord) -> ThirdpartyAccountRecord:
        """Add a bank account to a third party.

        The first account becomes the default.

        :url: POST ../thirdparties/{id}/bankaccounts
        :raises Refused: the mandate's reference is already used
        :unconditional: `If-Match` is ignored
        :permission: thirdparties.write
        """
        return thirdparty_accounts.read(thirdparty_accounts.add(id, request_data))

    def change_thirdparty_account(
        self, id: int, bankaccount_id: int, request_data: ThirdpartyAccountRecord
    ) -> ThirdpartyAccountRecord:
        """Update a bank account of a third party.

        `default_rib` 1 makes it the default account.

        :url: PUT ../thirdparties/{id}/bankaccounts/{bankaccount_id}
        :raises Refused: the mandate's reference is already used, or no default account would remain
        :permission: thirdparties.write
        """
        thirdparty_accounts.change_of(id, bankaccount_id, request_data)
        return thirdparty_accounts.read(bankaccount_id)

    def delete_thirdparty_account(self, id: int, bankaccount_id: int) -> Removed:
        """Delete a bank account of a third party.

        If it was the default, the oldest remaining account becomes the default.

        :url: DELETE ../thirdparties/{id}/bankaccounts/{bankaccount_id}
        :permission: thirdparties.write
        """
        thirdparty_accounts.remove(id, bankaccount_id)
        return removed("Bank account deleted")
