"""Bank accounts of third parties over HTTP; served below /thirdparties."""

from __future__ import annotations

from typing import Annotated, Any

from core import Api

from ..answers.deeds import Removed, removed
from .models import ThirdpartyAccount
from .thirdparty_accounts import thirdparty_accounts

ThirdpartyAccountRecord = Annotated[dict[str, Any], ThirdpartyAccount]


class ThirdpartyAccountsApi(Api):
    """Bank accounts of third parties."""

    def list_thirdparty_accounts(self, id: int) -> list[ThirdpartyAccountRecord]:
        """List the bank accounts of a third party.

        :url: GET ../thirdparties/{id}/bankaccounts
        :param id: ID of the third party
        :raises NotFound: there is no such third party, or the caller may not see it
        :permission: thirdparties.read
        """
        return thirdparty_accounts.list_of(id)

    def add_thirdparty_account(self, id: int, request_data: ThirdpartyAccountRecord) -> ThirdpartyAccountRecord:
        """Add a bank account to a third party.

        The first account becomes the default.

        :url: POST ../thirdparties/{id}/bankaccounts
        :param id: ID of the third party
        :raises BadRequest: invalid fields, such as the IBAN; the response lists all of them
        :raises NotFound: there is no such third party, or the caller may not see it
        :raises Refused: the reference of the mandate is already used
        :permission: thirdparties.write
        """
        return thirdparty_accounts.read(thirdparty_accounts.add(id, request_data))

    def change_thirdparty_account(
        self, id: int, bankaccount_id: int, request_data: ThirdpartyAccountRecord
    ) -> ThirdpartyAccountRecord:
        """Update a bank account of a third party.

        Fields you don't send stay as they are. `default_rib` 1 makes the account the default.

        :url: PUT ../thirdparties/{id}/bankaccounts/{bankaccount_id}
        :param id: ID of the third party
        :param bankaccount_id: ID of its account
        :raises BadRequest: invalid fields, such as the IBAN; the response lists all of them
        :raises NotFound: there is no such third party or account, or the account belongs to another third party
        :raises Refused: the reference of the mandate is already used, or no default account would remain
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
        :permission: thirdparties.write
        """
        thirdparty_accounts.change_of(id, bankaccount_id, request_data)
        return thirdparty_accounts.read(bankaccount_id)

    def delete_thirdparty_account(self, id: int, bankaccount_id: int) -> Removed:
        """Delete a bank account of a third party.

        If it was the default, the oldest remaining account becomes the default.

        :url: DELETE ../thirdparties/{id}/bankaccounts/{bankaccount_id}
        :param id: ID of the third party
        :param bankaccount_id: ID of its account
        :raises NotFound: there is no such third party or account, or the account belongs to another third party
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
        :permission: thirdparties.write
        """
        thirdparty_accounts.remove(id, bankaccount_id)
        return removed("Bank account deleted")
