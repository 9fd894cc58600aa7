"""Payment of an electronic invoice: account, due day, totals, amount paid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from xml.etree.ElementTree import Element

from core.for_natives import seconds_of_day

from ...banks.direct_debits import DirectDebit, direct_debit
from ...commercial.precision import currency
from ...dictionaries.entries import entry
from ...dictionaries.models import PaymentType
from ...documents.content.language import Language
from ...documents.content.payment_part import payment_reference
from ...documents.content.record_values import number
from ...documents.content.rich_text import plain_text
from ...setup.company import company
from ...setup.constants import constant, is_on
from ..models import CREDIT_NOTE, REPLACEMENT, Invoice
from ..situations import retained_warranty
from ..standing import is_owed
from .vat import Breakdown
from .xml import amount, dated, node, single

#: payment mode → its code (UNTDID 4461); modes not listed use `AGREED`, "mutually defined"
MEANS = {"VIR": "30", "CB": "48", "PRE": "59", "CHQ": "20", "LIQ": "10", "VAD": "68", "TRA": "21", "LCR": "24"}
TRANSFERS = ("30", "58")
SEPA_TRANSFER = "58"
DIRECT_DEBIT = "59"
#: the constant of a company that pays VAT on invoicing (France)
ON_DEBITS = "INVOICE_VAT_ON_DEBITS"
AGREED = "ZZZ"
#: subject of a note on payment terms, such as a discount for early payment (UNTDID 4451)
TERMS_NOTE = "AAB"
NOTHING_DUE = "No payment is due."
EURO = "EUR"
ZERO = Decimal(0)


@dataclass(frozen=True)
class Means:
    """The payment mode of an invoice, and the account from MAIN_BANK_IBAN, MAIN_BANK_BIC and MAIN_BANK_OWNER.

    :param code: code of the mode (UNTDID 4461); a transfer in euros is a SEPA transfer
    :param debit: mandate and debited account of a direct debit
    """

    code: str
    text: str
    iban: str
    debit: DirectDebit | None = None

    @property
    def wants_account(self) -> bool:
        """Return whether the standard requires an account and none is set (BR-50, BR-61)."""
        return self.code in TRANSFERS and not self.iban

    def node(self, owner: str) -> Element:
        """Return the mode and the account as an element.

        :param owner: account owner if MAIN_BANK_OWNER is not set
        """
        into: tuple[Element | None, ...] = ()
        if self.code in TRANSFERS:
            into = (
                node(
                    "ram:PayeePartyCreditorFinancialAccount",
                    node("ram:IBANID", self.iban),
                    node("ram:AccountName", constant("MAIN_BANK_OWNER") or owner),
                ),
                node(
                    "ram:PayeeSpecifiedCreditorFinancialInstitution",
                    node("ram:BICID", "".join(constant("MAIN_BANK_BIC").split())),
                ),
            )
        elif self.debit:
            into = (node("ram:PayerPartyDebtorFinancialAccount", node("ram:IBANID", self.debit.iban)),)
        return single(
            "ram:SpecifiedTradeSettlementPaymentMeans",
            node("ram:TypeCode", self.code),
            node("ram:Information", self.text),
            *into,
        )


def currency_of(record: Mapping[str, Any]) -> str:
    """Return the currency of an invoice."""
    return str(record["multicurrency_code"] or currency())


def means_of(record: Mapping[str, Any], words: Language) -> Means | None:
    """Return the payment mode and account of an invoice; None if it has no payment mode."""
    mode = entry(PaymentType, record["mode_reglement_id"])
    if mode is None:
        return None
    code = MEANS.get(mode.code, AGREED)
    if code in TRANSFERS and currency_of(record) == EURO:
        code = SEPA_TRANSFER
    debit = direct_debit(int(record["socid"])) if code == DIRECT_DEBIT else None
    return Means(code, words.say(mode.label or mode.code), "".join(constant("MAIN_BANK_IBAN").split()), debit)


def settlement(
    record: Mapping[str, Any],
    sign: int,
    owner: str,
    means: Means | None,
    taxes: Sequence[Breakdown],
    words: Language,
    mentions: Sequence[tuple[str, str]],
) -> Element:
    """Return payment, VAT and totals of an invoice as an element.

    :param sign: -1 for a credit note, whose amounts are negative in the record
    :param owner: name of the seller
    :param mentions: the sentences of the PDF, with their subjects
    """
    point, due = record["date_pointoftax"], _due(record, sign, taxes)
    debit = means.debit if means else None
    discounts = [plain_text(text) for text, subject in mentions if subject == TERMS_NOTE]
    return single(
        "ram:ApplicableHeaderTradeSettlement",
        node("ram:CreditorReferenceID", debit.creditor) if debit else None,
        node("ram:PaymentReference", payment_reference(record, company())) if is_owed(record) else None,
        node("ram:InvoiceCurrencyCode", currency_of(record)),
        means.node(owner) if means else None,
        *(each.node(dated("ram:TaxPointDate", point, "udt:DateString"), is_on(ON_DEBITS)) for each in taxes),
        *(each.stamp_node() for each in taxes if each.stamp),
        _terms(record, due, words, discounts, debit.mandate if debit else ""),
        _totals(record, sign, taxes),
        _preceding(record),
    )


def _terms(
    record: Mapping[str, Any], due: Decimal, words: Language, discounts: Sequence[str], mandate: str
) -> Element | None:
    """Return the payment terms. A credit note and a settled or closed invoice have no due day in the PDF; a text is
    still required if the totals leave an amount due (BR-CO-25)."""
    name = "ram:SpecifiedTradePaymentTerms"
    if not is_owed(record):
        return node(name, node("ram:Description", words.say(NOTHING_DUE))) if due > 0 else None
    terms = record["cond_reglement_doc"] or ""
    return node(
        name,
        node("ram:Description", "; ".join(filter(None, (words.say(terms), _retained(record, words), *discounts)))),
        dated("ram:DueDateDateTime", record["date_lim_reglement"] or record["date"]),
        node("ram:DirectDebitMandateID", mandate),
    )


def _retained(record: Mapping[str, Any], words: Language) -> str:
    """Return a sentence on the retained warranty; the standard has no field for it."""
    kept, until = retained_warranty(record)
    if not kept:
        return ""
    said = words.say("{what}: {amount}").replace("{what}", words.say("Retained warranty"))
    said = said.replace("{amount}", words.money(kept, currency_of(record)))
    return f"{said} ({words.say('Retained until')} {words.day(until)})" if until else said


def _paid(record: Mapping[str, Any], sign: int) -> Decimal:
    return sign * sum((number(record[name]) for name in ("totalpaid", "totalcreditnotes", "totaldeposits")), ZERO)


def _due(record: Mapping[str, Any], sign: int, taxes: Sequence[Breakdown]) -> Decimal:
    """Return the amount due according to the totals."""
    total = sum((each.basis + each.tax for each in taxes), ZERO)
    return total + sign * number(record["rounding_amount"]) - _paid(record, sign)


def _totals(record: Mapping[str, Any], sign: int, taxes: Sequence[Breakdown]) -> Element:
    basis = sum((each.basis for each in taxes), ZERO)
    stamp = sum((each.stamp for each in taxes), ZERO)
    tax = sum((each.tax for each in taxes), ZERO)
    paid = _paid(record, sign)
    # The standard adds the difference of the smallest coin to the amount due, not to the total (BR-CO-16)
    rounding = sign * number(record["rounding_amount"])
    return single(
        "ram:SpecifiedTradeSettlementHeaderMonetarySummation",
        node("ram:LineTotalAmount", amount(basis - stamp)),
        node("ram:ChargeTotalAmount", amount(stamp)) if stamp > 0 else None,
        node("ram:AllowanceTotalAmount", amount(-stamp)) if stamp < 0 else None,
        node("ram:TaxBasisTotalAmount", amount(basis)),
        node("ram:TaxTotalAmount", amount(tax), currencyID=currency_of(record)),
        node("ram:RoundingAmount", amount(rounding)) if rounding else None,
        node("ram:GrandTotalAmount", amount(basis + tax)),
        node("ram:TotalPrepaidAmount", amount(paid)) if paid else None,
        node("ram:DuePayableAmount", amount(_due(record, sign, taxes))),
    )


def _preceding(record: Mapping[str, Any]) -> Element | None:
    """Return the invoice that this one credits or replaces."""
    source = record["fk_facture_source"]
    if int(record["type"] or 0) not in (CREDIT_NOTE, REPLACEMENT) or not source:
        return None
    row = Invoice.get_or_none(Invoice.id == int(source))
    if row is None:
        return None
    return node(
        "ram:InvoiceReferencedDocument",
        node("ram:IssuerAssignedID", row.ref),
        dated("ram:FormattedIssueDateTime", seconds_of_day(row.date), "qdt:DateTimeString"),
    )
