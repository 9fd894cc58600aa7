"""Situation invoices: a work billed in parts as it goes on; what of it is done, by the invoices of its series.

What an invoice charges is `total_ht` of its lines; what was charged before is the sum of the lines that went before
them, in validated invoices of the same customer and series (`situation_cycle_ref`) with a lower `situation_counter`,
less what credit notes gave back until the invoice's day.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from ..commercial.precision import currency, rounding
from ..commercial.totals import LinePrice, half_up, price_line
from ..documents.papers.language import Language
from ..documents.papers.lines import is_option, is_title
from ..documents.papers.paper import Paper
from ..documents.papers.record_values import EPOCH, ZERO, day_of, number
from .models import CREDIT_NOTE, SITUATION, Invoice, InvoiceLine
from .states import PAID, VALIDATED

WHOLE = Decimal(100)


@dataclass
class Done:
    """A piece of the work: what it comes to, and what of it was charged before and is now, without VAT."""

    contract: Decimal = ZERO
    before: Decimal = ZERO
    now: Decimal = ZERO

    @property
    def done(self) -> Decimal:
        """What is charged by now."""
        return self.before + self.now

    @property
    def remaining(self) -> Decimal:
        """What is still to be charged."""
        return self.contract - self.done


@dataclass
class Work:
    """The pieces of a work, each known by the lines that charge it."""

    pieces: list[Done] = field(default_factory=list)
    _by_line: dict[int, Done] = field(default_factory=dict)
    _by_text: dict[tuple[Any, ...], Done] = field(default_factory=dict)

    def enter(self, lines: Iterable[Mapping[str, Any]], *, now: bool = False, credit: bool = False) -> None:
        """Count the lines of an invoice.

        :param now: it is the one that is printed
        :param credit: it is a credit note, which gives back and changes no contract
        """
        seen: Counter[tuple[Any, ...]] = Counter()
        for line in lines:
            if is_title(line) or is_option(line):
                continue
            # A line that names none before it continues the one that says the same
            key = (line["fk_product"] or None, line["label"] or "", line["desc"] or "")
            seen[key] += 1
            named = (*key, seen[key])
            piece = self._by_line.get(int(line["fk_prev_id"] or 0)) or self._by_text.get(named)
            if piece is None:
                piece = Done()
                self.pieces.append(piece)
            self._by_line[int(line["id"])] = self._by_text[named] = piece
            if not credit:
                piece.contract = _contract(line)
            if now:
                piece.now += number(line["total_ht"])
            else:
                piece.before += number(line["total_ht"])

    def piece(self, line: Mapping[str, Any]) -> Done:
        """What a line belongs to."""
        return self._by_line[int(line["id"])]

    @property
    def whole(self) -> Done:
        """All pieces together."""
        return Done(
            *(sum((getattr(each, name) for each in self.pieces), ZERO) for name in ("contract", "before", "now"))
        )


def is_situation(record: Mapping[str, Any]) -> bool:
    """Whether an invoice charges a part of a work."""
    return int(record["type"] or 0) == SITUATION


def work_of(record: Mapping[str, Any]) -> Work:
    """The work that a situation invoice charges a part of."""
    work = Work()
    earlier = _earlier(record)
    lines: dict[int, list[dict[str, Any]]] = {row.id: [] for row in earlier}
    if earlier:
        query = InvoiceLine.select().where(InvoiceLine.fk_facture.in_(list(lines))).order_by(InvoiceLine.rang)
        rows: Iterable[Any] = query.dicts()
        for line in rows:
            lines[line["fk_facture"]].append(line)
    for row in earlier:
        work.enter(lines[row.id], credit=row.type == CREDIT_NOTE)
    work.enter(record["lines"], now=True)
    return work


def add_work(paper: Paper, record: Mapping[str, Any], words: Language) -> None:
    """Say on each line of a paper what of it is done, and above the totals what of all."""
    work = work_of(record)
    printed = (line for line in paper.lines if line.kind != "subtotal")
    for found, line in zip(printed, record["lines"], strict=True):
        if found.kind == "line":
            piece = work.piece(line)
            found.more = {
                name: words.number(getattr(piece, name), 2) for name in ("contract", "before", "done", "remaining")
            }
    code = str(record.get("multicurrency_code") or currency())
    paper.parts = [(label, words.money(amount, code)) for label, amount in _whole(record, work, words)]


def situation_facts(record: Mapping[str, Any], words: Language) -> list[tuple[str, str]]:
    """Its place in the series, and until when a part is retained."""
    if not is_situation(record):
        return []
    found = []
    if record["situation_counter"]:
        last = f" ({words.say('last')})" if int(record["situation_final"] or 0) else ""
        found.append((words.say("Situation no."), f"{record['situation_counter']}{last}"))
    amount, until = retained_warranty(record)
    if until and amount:
        found.append((words.say("Retained until"), words.day(until)))
    return found


def retained_warranty(record: Mapping[str, Any]) -> tuple[Decimal, date | None]:
    """What of a situation invoice the customer keeps back as a warranty, and until when."""
    percent = number(record["retained_warranty"]) if is_situation(record) else ZERO
    if not percent:
        return ZERO, None
    amount = half_up(number(record["total_ttc"]) * percent / WHOLE, rounding().total)
    return amount, day_of(record["retained_warranty_date_limit"])


def _earlier(record: Mapping[str, Any]) -> list[Invoice]:
    """The invoices of the series that went before, and the credit notes on them."""
    cycle, place = record["situation_cycle_ref"], record["situation_counter"]
    if cycle in (None, "") or place in (None, ""):
        return []
    validated = Invoice.statut.in_((VALIDATED, PAID))
    found = list(
        Invoice.select(Invoice.id, Invoice.type)
        .where(
            validated, Invoice.type == SITUATION, Invoice.socid == int(record["socid"]),
            Invoice.situation_cycle_ref == int(cycle), Invoice.situation_counter < int(place),
        )
        .order_by(Invoice.situation_counter, Invoice.id)
    )  # fmt: skip
    if not found:
        return []
    credits = Invoice.select(Invoice.id, Invoice.type).where(
        validated, Invoice.type == CREDIT_NOTE, Invoice.fk_facture_source.in_([row.id for row in found]),
        Invoice.date <= (day_of(record["date"]) or EPOCH),
    )  # fmt: skip
    return [*found, *credits.order_by(Invoice.id)]


def _contract(line: Mapping[str, Any]) -> Decimal:
    """What a line comes to when all of the work is done, without VAT."""
    progress = line["situation_percent"]
    if progress in (None, "") or number(progress) == WHOLE:
        return number(line["total_ht"])
    asked = LinePrice(number(line["qty"]), number(line["subprice"]), remise_percent=number(line["remise_percent"]))
    return price_line(asked, rounding()).amounts.total_ht


def _whole(record: Mapping[str, Any], work: Work, words: Language) -> list[tuple[str, Decimal]]:
    whole = work.whole
    share = half_up(whole.done * WHOLE / whole.contract, 2) if whole.contract else ZERO
    rows = [
        (words.say("Contract total"), whole.contract),
        (words.say("Done before"), whole.before),
        (words.say("Done now"), whole.now),
        (f"{words.say('Total done')} ({words.percent(share)})", whole.done),
        (words.say("Remaining"), whole.remaining),
    ]
    if percent := number(record["retained_warranty"]):
        amount, _ = retained_warranty(record)
        rows.append((f"{words.say('Retained warranty')} ({words.percent(percent)})", amount))
    return rows
