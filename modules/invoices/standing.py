"""Payment status of an invoice in its PDF: paid, abandoned or closed, with its payments and discounts."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, cast

from core import query
from core.for_natives import local_day

from ..commercial.precision import currency
from ..dictionaries.entries import entry
from ..dictionaries.models import PaymentType
from ..documents.content.language import Language
from ..documents.content.record_values import number
from ..thirdparties.models import Discount
from .discount_words import discount_sources, named_discount
from .models import CREDIT_NOTE, REPLACEMENT, Invoice, Payment, PaymentShare
from .states import ABANDONED, PAID, VALIDATED

#: fields with the amounts paid by money, and by credit notes and deposits
BY_MONEY, BY_DISCOUNTS = ("totalpaid",), ("totalcreditnotes", "totaldeposits")

_PAYMENTS = (
    "SELECT p.datep, p.fk_paiement, s.amount FROM llx_paiement_facture s "
    "JOIN llx_paiement p ON s.fk_paiement = p.rowid WHERE s.fk_facture = ? AND p.date_cancellation IS NULL "
    "ORDER BY p.datep, p.rowid"
)


def is_owed(record: Mapping[str, Any]) -> bool:
    """Return whether an amount is owed to the company: not for a credit note, nor if it is settled or closed."""
    if int(record["type"] or 0) == CREDIT_NOTE:
        return False
    return int(record["statut"] or 0) <= VALIDATED and not _is_settled(record)


def _is_settled(record: Mapping[str, Any]) -> bool:
    """Return whether amounts have been paid and nothing remains."""
    paid = any(number(record[name]) for name in (*BY_MONEY, *BY_DISCOUNTS))
    left = number(record["remaintopay"])
    return paid and (left >= 0 if number(record["total_ttc"]) < 0 else left <= 0)


def standing_of(record: Mapping[str, Any], words: Language) -> tuple[str, list[str]]:
    """Return the status of an invoice and sentences with details, such as each payment and its day.

    The status is empty while the invoice is unpaid and not abandoned.
    """
    state = int(record["statut"] or 0)
    if state == ABANDONED:
        successor = _successor(record, words)
        # A replaced invoice is abandoned in the data, but it isn't a bad debt
        said = words.say("REPLACED") if successor else words.say("ABANDONED")
        return said, [*successor, *_settlements(record, words)]
    details = _settlements(record, words)
    if state != PAID:
        return (words.say("PAID") if _is_settled(record) and state else ""), details
    if int(record["type"] or 0) == CREDIT_NOTE:
        return words.say("SETTLED"), details
    return (words.say("PAID") if int(record["paye"] or 0) == 1 else words.say("CLOSED")), details


def _successor(record: Mapping[str, Any], words: Language) -> list[str]:
    """Return a sentence about the invoice that replaces an abandoned one."""
    row = (
        Invoice.select(Invoice.ref, Invoice.date)
        .where(Invoice.fk_facture_source == int(record["id"]), Invoice.type == REPLACEMENT, Invoice.statut > 0)
        .order_by(Invoice.id)
        .first()
    )
    if row is None:
        return []
    return [words.say("Replaced by {ref} of {day}").replace("{ref}", row.ref).replace("{day}", words.day(row.date))]


def _settlements(record: Mapping[str, Any], words: Language) -> list[str]:
    """Return a line for each payment and each discount used."""
    code = str(record["multicurrency_code"] or currency())
    found = []
    if any(number(record[name]) for name in BY_MONEY):
        found += _payments(int(record["id"]), words, code)
    if any(number(record[name]) for name in BY_DISCOUNTS):
        found += _discounts(int(record["id"]), words, code)
    return found


def _payments(identifier: int, words: Language, code: str) -> list[str]:
    found = []
    day, share = cast("Any", Payment.datepaye), cast("Any", PaymentShare.amount)
    for kept, mode_id, part in query(_PAYMENTS, (identifier,)):
        moment, amount = day.python_value(kept), share.python_value(part)
        pattern = "Paid back on {day}: {amount}" if amount < 0 else "Paid on {day}: {amount}"
        paid = local_day(moment)
        said = words.say(pattern)
        said = said.replace("{day}", words.day(paid)).replace("{amount}", words.money(amount.copy_abs(), code))
        mode = entry(PaymentType, mode_id)
        found.append(f"{said} ({words.say(mode.label or mode.code)})" if mode else said)
    return found


def _discounts(identifier: int, words: Language, code: str) -> list[str]:
    rows: Any = list(
        Discount.select(Discount.id, Discount.description, Discount.amount_ttc)
        .where(Discount.fk_facture == identifier)
        .order_by(Discount.id)
        .tuples()
    )
    sources, said = discount_sources(row[0] for row in rows), words.say("{what}: {amount}")
    return [
        said.replace("{amount}", words.money(Decimal(amount), code)).replace(
            "{what}", named_discount(description, sources.get(discount), words)
        )
        for discount, description, amount in rows
    ]
