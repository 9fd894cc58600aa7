"""Mandates to debit third parties' accounts, over HTTP; served below /thirdparties."""

from __future__ import annotations

from typing import Annotated, TypedDict

from core import Api

from ..mandates import MODEL, store_mandate


class Generated(TypedDict):
    """The answer to a paper that was made."""

    success: Annotated[int, "1"]


class Mandates(Api):
    """Mandates to debit third parties' accounts (SEPA), as papers."""

    def generate_bank_account_document(
        self, id: int, companybankid: int | None = None, model: str = MODEL, langcode: str = ""
    ) -> Generated:
        """Make the mandate to debit a third party's account, as a paper among the third party's documents.

        :url: GET ../thirdparties/{id}/generateBankAccountDocument
        :url: GET ../thirdparties/{id}/generateBankAccountDocument/{companybankid}
        :url: GET ../thirdparties/{id}/generateBankAccountDocument/{companybankid}/{model}
        :url: POST ../thirdparties/{id}/generateBankAccountDocument
        :url: POST ../thirdparties/{id}/generateBankAccountDocument/{companybankid}
        :url: POST ../thirdparties/{id}/generateBankAccountDocument/{companybankid}/{model}
        :param id: row identifier of the third party
        :param companybankid: row identifier of its account; the default one when none is given
        :param model: kind of paper {@example sepamandate}
        :param langcode: language, such as fr_FR; the third party's when empty
        :raises BadRequest: there is no such language
        :raises NotFound: there is no such third party, account or kind of paper
        :raises Refused: the account has no IBAN, or the company has no creditor identifier
        :permission: thirdparties.write
        """
        store_mandate(id, companybankid, model, langcode)
        return {"success": 1}
