"""SEPA mandates over HTTP, under /thirdparties."""

from __future__ import annotations

from typing import Annotated, TypedDict

from core import Api

from ..mandates import MODEL, store_mandate


class Generated(TypedDict):
    """A generated mandate."""

    success: Annotated[int, "1"]


class Mandates(Api):
    """SEPA direct debit mandates for third parties' bank accounts, as PDFs."""

    def generate_bank_account_document(
        self, id: int, companybankid: int | None = None, model: str = MODEL, langcode: str = ""
    ) -> Generated:
        """Generate a SEPA mandate.

        Stores the PDF with the third party's files.

        :url: GET ../thirdparties/{id}/generateBankAccountDocument
        :url: GET ../thirdparties/{id}/generateBankAccountDocument/{companybankid}
        :url: GET ../thirdparties/{id}/generateBankAccountDocument/{companybankid}/{model}
        :url: POST ../thirdparties/{id}/generateBankAccountDocument
        :url: POST ../thirdparties/{id}/generateBankAccountDocument/{companybankid}
        :url: POST ../thirdparties/{id}/generateBankAccountDocument/{companybankid}/{model}
        :param companybankid: account ID; default: the default account
        :param model: template {@example sepamandate}
        :param langcode: such as fr_FR; default: the third party's
        :raises Refused: the account has no IBAN, or the company has no creditor identifier
        :permission: thirdparties.write
        """
        store_mandate(id, companybankid, model, langcode)
        return {"success": 1}
