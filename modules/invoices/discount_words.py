"""Descriptions of discount lines in a PDF: ``Deposit AC2611-0013 of 3 November 2026``.

The stored description keeps its mark, such as ``(DEPOSIT)``, by which programs recognize such a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from peewee import JOIN

from core.for_natives import local_day

from ..documents.content.language import Language
from ..thirdparties.models import Discount
from .models import Invoice

#: mark in a stored description → its text in a PDF
WORDS = {
    "DEPOSIT": "Deposit",
    "CREDIT_NOTE": "Credit note",
    "EXCESS RECEIVED": "Excess payment",
    "EXCESS PAID": "Excess payment",
}
#: the text for a discount without a description
DISCOUNT = "Discount"
_MARK = re.compile(rf"\(({'|'.join(WORDS)})\)\s*")


class Source(NamedTuple):
    """The invoice that a discount was made from; without one, `ref` is empty and `day` is the discount's own."""

    ref: str = ""
    day: date | None = None


def told_discounts(lines: Sequence[Mapping[str, Any]], words: Language) -> Sequence[Mapping[str, Any]]:
    """Return the lines of an invoice, with the origin of each discount in the description of its line."""
    marked = [line for line in lines if _discount(line) or _MARK.match(str(line["desc"] or ""))]
    if not marked:
        return lines
    sources = discount_sources(number for line in marked if (number := _discount(line)))
    told = {
        id(line): {**line, "desc": named_discount(line["desc"], sources.get(_discount(line)), words)} for line in marked
    }
    return [told.get(id(line), line) for line in lines]


def _discount(line: Mapping[str, Any]) -> int:
    """Return the ID of the discount that a line deducts; 0 if it deducts none."""
    return int(line["fk_remise_except"] or 0)


def named_discount(description: str | None, source: Source | None, words: Language) -> str:
    """Return the text of a discount with its origin; a description without a mark is returned unchanged.

    :param description: as stored
    """
    text = (description or "").strip()
    found = _MARK.match(text)
    if text and found is None:
        return text
    kind = WORDS[found[1]] if found else DISCOUNT
    kind = words.say(kind)
    ref, day = source or Source()
    if ref and day:
        kind = (
            words.say("{what} {ref} of {day}")
            .replace("{ref}", ref)
            .replace("{day}", words.day(day))
            .replace("{what}", kind)
        )
    elif ref or day:
        kind = f"{kind} {ref or words.day(day or date.min)}"
    rest = text[found.end() :] if found else ""
    return f"{kind} {rest}".strip()


def discount_sources(identifiers: Iterable[int]) -> dict[int, Source]:
    """Return the source invoices of discounts by discount ID, read with one statement."""
    numbers = sorted(set(identifiers))
    if not numbers:
        return {}
    rows: Any = (
        Discount.select(Discount.id, Discount.datec, Invoice.ref, Invoice.date)
        .join(Invoice, JOIN.LEFT_OUTER, on=Discount.fk_facture_source == Invoice.id)
        .where(Discount.id.in_(numbers))
        .tuples()
    )
    return {
        identifier: Source(ref or "", day if ref else local_day(made) if made else None)
        for identifier, made, ref, day in rows
    }
