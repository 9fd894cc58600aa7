"""Electronic invoices: Factur-X, a PDF that carries its invoice as XML in the profile EN 16931.

All amounts come from the record, so the PDF and the XML agree. `lines.py` makes lines and prices, `vat.py` VAT
categories and rounding, `parties.py` the parties, `payment.py` the payment; `enclosing.py` embeds the XML in the PDF.
An invoice that lacks data required by the standard is refused; the message lists all missing data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element

from core import Refused
from core.for_natives import default_context

from ...documents.content.language import choose_language
from ...documents.content.record_values import number
from ...documents.content.rich_text import one_line, plain_text
from ...documents.mentions.case import Case
from ...documents.mentions.printed import mention_notes
from ...numbering.series import is_provisional
from ...setup.company import company
from ...setup.constants import is_on
from ...thirdparties.models import Thirdparty
from ..invoices import invoices
from ..models import CREDIT_NOTE, DEPOSIT, PROFORMA, REPLACEMENT
from ..standing import is_owed
from .lines import read_lines
from .parties import Party, buyer, receiver, seller, wanting
from .payment import means_of, settlement
from .vat import breakdown
from .xml import PROFILE, dated, node, single, written

#: type of an invoice → its code (UNTDID 1001); types not listed use `STANDARD_CODE`
CODES = {CREDIT_NOTE: "381", REPLACEMENT: "384", DEPOSIT: "386"}
STANDARD_CODE = "380"


def wants_facturx() -> bool:
    """Return whether the PDF of an invoice carries its XML: INVOICE_FACTURX is ``1``; off by default."""
    return is_on("INVOICE_FACTURX")


def can_be_facturx(record: Mapping[str, Any]) -> bool:
    """Return whether an invoice can be sent as Factur-X: it has its final reference and is not a proforma."""
    return int(record["statut"] or 0) > 0 and not is_provisional(record["ref"]) and int(record["type"] or 0) != PROFORMA


@default_context
def invoice_xml(record: Mapping[str, Any], language: str = "") -> bytes:
    """Return the XML of an invoice: Cross Industry Invoice, profile EN 16931. Amounts of a credit note are positive.

    :param record: a record from `invoices.read(id)`, in either profile
    :param language: language of the sentences, the same as in the PDF, such as ``fr_FR``; empty: English
    :raises Refused: it is a draft or a proforma; required data are missing, and the message lists them. Further
        reasons: local taxes, amounts with more than two decimals, VAT that doesn't match its rate
    """
    if not can_be_facturx(record):
        raise Refused(
            f"can't make an electronic invoice from {record['ref']}: it is a draft or a proforma invoice",
            reason="wrong_state",
        )
    sign = -1 if int(record["type"] or 0) == CREDIT_NOTE else 1
    own, other, words = seller(), buyer(int(record["socid"])), choose_language(language)
    # The PDF shows no account either if nothing is owed
    means = means_of(record, words) if is_owed(record) else None
    lines = read_lines(record, sign, own, other, words)
    taxes = breakdown(((each.vat, each.net, each.tax) for each in lines), sign * number(record["revenuestamp"]))
    categories = {each.vat.category for each in taxes}
    lacks = wanting(own, other, categories)
    lacks += [
        (f"lines[{each.number - 1}].desc", f"a description of line {each.number}")
        for each in lines
        if not each.names[0]
    ]
    if means and means.wants_account:
        lacks.append(("MAIN_BANK_IBAN", "the constant MAIN_BANK_IBAN (the invoice is paid by transfer)"))
    errors = [(field, f"missing: {text}") for field, text in lacks]
    reasons = [f"missing {', '.join(text for _, text in lacks)}"] if lacks else []
    # "Not subject to VAT" excludes any other category, and the parties then have no VAT number (BR-O-02, BR-O-11)
    outside = "O" in categories
    if outside and len(categories) > 1:
        reasons.append("lines not subject to VAT (code O) can't be mixed with other lines")
        errors.append(("lines", reasons[-1]))
    if reasons:
        raise Refused(
            f"can't make an electronic invoice from {record['ref']}: {'; '.join(reasons)}",
            errors=errors,
            reason="incomplete",
        )
    thirdparty = Thirdparty.get_by_id(int(record["socid"]))
    mentions = mention_notes(Case(company(), words, invoices.kind_of(record), record, thirdparty))
    # German law requires the day of a supply
    is_supply = int(record["type"] or 0) != DEPOSIT
    root = single(
        "rsm:CrossIndustryInvoice",
        node(
            "rsm:ExchangedDocumentContext",
            node("ram:GuidelineSpecifiedDocumentContextParameter", node("ram:ID", PROFILE)),
        ),
        _head(record, mentions),
        single(
            "rsm:SupplyChainTradeTransaction",
            *(each.node() for each in lines),
            _agreement(record, own, other, vat=not outside),
            _delivery(record, other, tells="K" in categories, has_day=is_supply and own.country == "DE"),
            settlement(record, sign, own.name, means, taxes, words, mentions),
        ),
    )
    return written(root)


def _head(record: Mapping[str, Any], mentions: Sequence[tuple[str, str]]) -> Element:
    notes = [(str(record["note_public"] or ""), ""), *mentions]
    return single(
        "rsm:ExchangedDocument",
        node("ram:ID", record["ref"]),
        node("ram:TypeCode", CODES.get(int(record["type"] or 0), STANDARD_CODE)),
        dated("ram:IssueDateTime", record["date"]),
        *(
            node("ram:IncludedNote", node("ram:Content", plain_text(text)), node("ram:SubjectCode", subject))
            for text, subject in notes
        ),
    )


def _agreement(record: Mapping[str, Any], own: Party, other: Party, *, vat: bool) -> Element:
    reference = one_line(record["ref_client"] or "")
    return single(
        "ram:ApplicableHeaderTradeAgreement",
        node("ram:BuyerReference", reference),
        own.node("ram:SellerTradeParty", vat=vat, seller=True),
        other.node("ram:BuyerTradeParty", vat=vat),
        node("ram:BuyerOrderReferencedDocument", node("ram:IssuerAssignedID", reference)),
    )


def _delivery(record: Mapping[str, Any], other: Party, *, tells: bool, has_day: bool) -> Element:
    """Return the delivery: its address, if the PDF shows one different from the buyer's, and its day.

    :param tells: it is a delivery within the Union, which requires both in any case (BR-IC-11, -12)
    :param has_day: include the day for other deliveries as well
    """
    name, place = "ram:ApplicableHeaderTradeDelivery", receiver(record)
    goes = None
    if place is not None and place.country:
        goes = node("ram:ShipToTradeParty", node("ram:Name", place.name), place.address())
    elif tells:
        goes = node("ram:ShipToTradeParty", other.address())
    has_day = has_day or tells
    day = dated("ram:OccurrenceDateTime", record["date_pointoftax"] or record["date"]) if has_day else None
    return single(name, goes, node("ram:ActualDeliverySupplyChainEvent", day))
