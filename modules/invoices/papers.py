"""PDFs of invoices: titles by type, amounts paid, and the invoice that is credited or replaced."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ..banks.direct_debits import direct_debit
from ..dictionaries.entries import code_of
from ..dictionaries.models import PaymentType
from ..documents.papers.language import Language
from ..documents.papers.paper import Enclosed, Paper, PaymentPart
from ..documents.papers.payment_part import payment_part
from ..documents.template import Template, number
from ..setup.account_numbers import in_fours
from ..thirdparties.models import Thirdparty
from .discount_words import told_discounts
from .facturx.enclosing import embed, enclosed_invoice
from .facturx.invoice import can_be_facturx, invoice_xml, wants_facturx
from .invoices import invoices
from .models import CREDIT_NOTE, DEPOSIT, PROFORMA, REPLACEMENT, SITUATION, Invoice
from .situations import add_work, is_situation, retained_warranty, situation_facts
from .standing import is_owed, standing_of
from .states import VALIDATED

TITLES = {
    REPLACEMENT: "Replacement invoice",
    CREDIT_NOTE: "Credit note",
    DEPOSIT: "Deposit invoice",
    PROFORMA: "Proforma invoice",
    SITUATION: "Situation invoice",
}
#: code of the payment method direct debit
DIRECT_DEBIT = "PRE"
PAID = (
    ("Deposits", "totaldeposits"),
    ("Credit notes", "totalcreditnotes"),
    ("Already paid", "totalpaid"),
)


class InvoiceTemplate(Template):
    """A PDF template for invoices."""

    documents = invoices
    title = "Invoice"
    attention = ("BILLING", "CUSTOMER")

    #: language of the last generated PDF; its XML uses the same
    _language = ""

    def paper(self, record: dict[str, Any], language: str = "") -> Paper:
        """Return the content of the PDF; a situation invoice also gets the progress of the work."""
        paper = super().paper(record, language)
        self._language = paper.language
        if is_situation(record):
            add_work(paper, record, self.language(paper.language))
        return paper

    def in_words(self, record: dict[str, Any], words: Language) -> dict[str, Any]:
        """Return the record with texts for the lines that deduct a discount."""
        told = told_discounts(record["lines"], words)
        return record if told is record["lines"] else {**record, "lines": told}

    def heading(self, record: Mapping[str, Any]) -> str:
        """Return the title for an invoice's type."""
        return TITLES.get(int(record["type"] or 0), self.title)

    def enclosed(self, record: Mapping[str, Any]) -> Enclosed | None:
        """Return the Factur-X data to embed; None unless they are enabled.

        :raises Refused: required data are missing; the message lists them
        """
        return enclosed_invoice(invoice_xml(record, self._language)) if _is_facturx(record) else None

    def finish(self, record: Mapping[str, Any], content: bytes) -> bytes:
        """Attach the Factur-X data to a PDF that the template generated itself."""
        if type(self).render is Template.render or not _is_facturx(record):
            return content
        return embed(content, invoice_xml(record, self._language), record, self._language)

    def facts(self, record: Mapping[str, Any], thirdparty: Thirdparty, words: Language) -> list[tuple[str, str]]:
        """Return dates and references, and the invoice that is credited or replaced."""
        found = super().facts(record, thirdparty, words)
        found += situation_facts(record, words)
        source = Invoice.get_or_none(Invoice.id == record["fk_facture_source"]) if record["fk_facture_source"] else None
        if source is not None:
            label = "Corrects" if int(record["type"] or 0) == CREDIT_NOTE else "Replaces"
            found.insert(1, (words.say(label), source.ref or ""))
        return found

    def payment(
        self, record: Mapping[str, Any], own: Mapping[str, Any], thirdparty: Thirdparty, words: Language
    ) -> PaymentPart | None:
        """Return how the rest is to be paid; only for a validated invoice that is not a credit note."""
        asks = int(record["statut"] or 0) == VALIDATED and int(record["type"] or 0) != CREDIT_NOTE
        return payment_part(record, own, thirdparty, words, retained_warranty(record)) if asks else None

    def accounts(self, record: Mapping[str, Any], own: Mapping[str, Any], words: Language) -> list[tuple[str, str]]:
        """Return the account for the payment; for a direct debit its mandate and the account that is debited."""
        if code_of(PaymentType, record["mode_reglement_id"]) != DIRECT_DEBIT:
            return super().accounts(record, own, words)
        found = direct_debit(int(record["socid"]))
        rows = (
            ("Mandate reference", found.mandate),
            ("Creditor identifier", found.creditor),
            ("Debited account", in_fours(found.iban)),
        )
        return [(words.say(label), text) for label, text in rows if text]

    def totals(self, record: Mapping[str, Any]) -> list[tuple[str, Decimal, bool]]:
        """Return the totals, the amounts paid and the amount that remains."""
        rows = super().totals(record)
        paid = [(label, amount, False) for label, name in PAID if (amount := number(record[name]))]
        if not paid:
            return rows
        label, amount, _ = rows[-1]
        left = number(record["remaintopay"])
        if left and int(record["statut"] or 0) > VALIDATED:
            # The invoice is closed, so the PDF doesn't ask for the rest
            return [*rows, *paid]
        return [*rows[:-1], (label, amount, False), *paid, ("Remaining to pay", left, True)]

    def is_owed(self, record: Mapping[str, Any]) -> bool:
        """Return whether an amount is owed: not a credit note, neither settled nor closed."""
        return is_owed(record)

    def standing(self, record: Mapping[str, Any], words: Language) -> tuple[str, list[str]]:
        """Return the payment status and the payments."""
        return standing_of(record, words)


def _is_facturx(record: Mapping[str, Any]) -> bool:
    return wants_facturx() and can_be_facturx(record)
