"""PDFs of invoices: titles by type, amounts paid, and the invoice that is credited or replaced."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ..banks.direct_debits import direct_debit
from ..dictionaries.entries import code_of
from ..dictionaries.models import PaymentType
from ..documents.content.payment_part import payment_part
from ..documents.content.printed_document import Enclosed, PaymentPart, PrintedDocument
from ..documents.content.record_values import number
from ..documents.template import Template
from ..setup.account_numbers import in_fours
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
    """A PDF template for invoices.

    :ivar stored: the invoice as stored; in `record`, the lines that deduct a discount have texts for printing
    """

    documents = invoices
    title = "Invoice"
    attention = ("BILLING", "CUSTOMER")

    def __init__(self, record: dict[str, Any], language: str = "") -> None:
        super().__init__(record, language)
        self.stored = record
        self.record = {**record, "lines": told_discounts(record["lines"], self.words)}

    def document(self) -> PrintedDocument:
        """Return everything to print; a situation invoice also gets the progress of the work."""
        document = super().document()
        if is_situation(self.stored):
            add_work(document, self.stored, self.words)
        return document

    def heading(self) -> str:
        """Return the title for the type of the invoice."""
        return TITLES.get(int(self.record["type"] or 0), self.title)

    @property
    def is_facturx(self) -> bool:
        """Return whether the PDF carries Factur-X data: they are enabled, and the invoice can have them."""
        return wants_facturx() and can_be_facturx(self.record)

    def enclosed(self) -> Enclosed | None:
        """Return the Factur-X data to embed; None unless they are enabled.

        :raises Refused: required data are missing; the message lists them
        """
        return enclosed_invoice(invoice_xml(self.stored, self.words.language)) if self.is_facturx else None

    def finish(self, content: bytes) -> bytes:
        """Attach the Factur-X data to a PDF that the template generated itself."""
        if type(self).render is Template.render or not self.is_facturx:
            return content
        language = self.words.language
        return embed(content, invoice_xml(self.stored, language), self.stored, language)

    def facts(self) -> list[tuple[str, Any]]:
        """Return dates and references, and the invoice that is credited or replaced."""
        found = [*super().facts(), *situation_facts(self.record, self.words)]
        source = self.record["fk_facture_source"]
        row = Invoice.get_or_none(Invoice.id == source) if source else None
        if row is not None:
            found.insert(1, ("Corrects" if int(self.record["type"] or 0) == CREDIT_NOTE else "Replaces", row.ref))
        return found

    def payment(self) -> PaymentPart | None:
        """Return how the rest is to be paid; only for a validated invoice that is not a credit note."""
        record = self.record
        if int(record["statut"] or 0) != VALIDATED or int(record["type"] or 0) == CREDIT_NOTE:
            return None
        return payment_part(record, self.company, self.thirdparty, self.words, retained_warranty(record))

    def accounts(self) -> list[tuple[str, Any]]:
        """Return the account for the payment; for a direct debit its mandate and the account that is debited."""
        if code_of(PaymentType, self.record["mode_reglement_id"]) != DIRECT_DEBIT:
            return super().accounts()
        found = direct_debit(int(self.record["socid"]))
        return [
            ("Mandate reference", found.mandate),
            ("Creditor identifier", found.creditor),
            ("Debited account", in_fours(found.iban)),
        ]

    def totals(self) -> list[tuple[str, Decimal, bool]]:
        """Return the totals, the amounts paid and the amount that remains."""
        rows = super().totals()
        paid = [(label, amount, False) for label, name in PAID if (amount := number(self.record[name]))]
        if not paid:
            return rows
        label, amount, _ = rows[-1]
        left = number(self.record["remaintopay"])
        if left and int(self.record["statut"] or 0) > VALIDATED:
            # The invoice is closed, so the PDF doesn't ask for the rest
            return [*rows, *paid]
        return [*rows[:-1], (label, amount, False), *paid, ("Remaining to pay", left, True)]

    def is_owed(self) -> bool:
        """Return whether an amount is owed: not a credit note, neither settled nor closed."""
        return is_owed(self.record)

    def standing(self) -> tuple[str, list[str]]:
        """Return the payment status and the payments."""
        return standing_of(self.record, self.words)
