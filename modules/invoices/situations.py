"""Situation invoices: work billed in parts, and the progress of the work over the series of invoices.

An invoice charges the `total_ht` of its lines. The amount charged before is the sum of the preceding lines, less
credit notes up to the invoice's day. Preceding lines are in validated invoices of the same customer and series
(`situation_cycle_ref`) with a lower `situation_counter`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from core.for_natives import default_context

from ..commercial.precision import currency, read_rounding
from ..commercial.totals import LinePrice, Rounding, half_up, price_line
from ..documents.content.language import Language
from ..documents.content.lines import is_option, is_title
from ..documents.content.printed_document import PrintedDocument
from ..documents.content.record_values import EPOCH, ZERO, day_of, number
from .models import CREDIT_NOTE, SITUATION, Invoice, InvoiceLine
from .states import PAID, VALIDATED

WHOLE = Decimal(100)


@dataclass
class Done:
    """A part of the work: its contract value, the amounts charged before and now, without VAT."""

    contract: Decimal = ZERO
    before: Decimal = ZERO
    now: Decimal = ZERO

    @property
    @default_context
    def done(self) -> Decimal:
        """Return the amount charged so far."""
        return self.before + self.now

    @property
    @default_context
    def remaining(self) -> Decimal:
        """Return the amount still to be charged."""
        return self.contract - self.done


@dataclass
class Work:
    """The parts of the work, each identified by the lines that charge it.

    :param rules: the rounding rules of the invoice that is printed
    """

    rules: Rounding
    pieces: list[Done] = field(default_factory=list)
    _by_line: dict[int, Done] = field(default_factory=dict)
    _by_text: dict[tuple[Any, ...], Done] = field(default_factory=dict)

    @default_context
    def enter(self, lines: Iterable[Mapping[str, Any]], *, now: bool = False, credit: bool = False) -> None:
        """Add the lines of an invoice.

        :param now: it is the invoice that is printed
        :param credit: it is a credit note, which gives back amounts and doesn't change the contract value
        """
        seen: Counter[tuple[Any, ...]] = Counter()
        for line in lines:
            if is_title(line) or is_option(line):
                continue
            # A line without a reference to a preceding line continues the one with the same product, label and text
            key = (line["fk_product"] or None, line["label"] or "", line["desc"] or "")
            seen[key] += 1
            named = (*key, seen[key])
            piece = self._by_line.get(int(line["fk_prev_id"] or 0)) or self._by_text.get(named)
            if piece is None:
                piece = Done()
                self.pieces.append(piece)
            self._by_line[int(line["id"])] = self._by_text[named] = piece
            if not credit:
                piece.contract = _contract(line, self.rules)
            if now:
                piece.now += number(line["total_ht"])
            else:
                piece.before += number(line["total_ht"])

    def piece(self, line: Mapping[str, Any]) -> Done:
        """Return the part of the work that a line charges."""
        return self._by_line[int(line["id"])]

    @property
    @default_context
    def whole(self) -> Done:
        """Return the sum of all parts."""
        return Done(
            *(sum((getattr(each, name) for each in self.pieces), ZERO) for name in ("contract", "before", "now"))
        )


def is_situation(record: Mapping[str, Any]) -> bool:
    """Return whether an invoice is a situation invoice."""
    return int(record["type"] or 0) == SITUATION


def work_of(record: Mapping[str, Any]) -> Work:
    """Return the work that a situation invoice charges, with all of its parts."""
    work = Work(read_rounding(record["rounding"]))
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


@default_context
def add_work(document: PrintedDocument, record: Mapping[str, Any], words: Language) -> None:
    """Add the progress of the work to each line of a PDF, and the total progress above the totals."""
    work = work_of(record)
    printed = (line for line in document.lines if line.kind != "subtotal")
    for found, line in zip(printed, record["lines"], strict=True):
        if found.kind == "line":
            piece = work.piece(line)
            found.more = {
                name: words.number(getattr(piece, name), 2) for name in ("contract", "before", "done", "remaining")
            }
    code = str(record.get("multicurrency_code") or currency())
    document.parts = [(label, words.money(amount, code)) for label, amount in _whole(record, work, words)]


def situation_facts(record: Mapping[str, Any], words: Language) -> list[tuple[str, str]]:
    """Return its position in the series, and the day until which the warranty is retained: English label and text."""
    if not is_situation(record):
        return []
    found = []
    if record["situation_counter"]:
        last = f" ({words.say('last')})" if int(record["situation_final"] or 0) else ""
        found.append(("Situation no.", f"{record['situation_counter']}{last}"))
    amount, until = retained_warranty(record)
    if until and amount:
        found.append(("Retained until", words.day(until)))
    return found


@default_context
def retained_warranty(record: Mapping[str, Any]) -> tuple[Decimal, date | None]:
    """Return the amount that the customer retains as a warranty, and until when."""
    percent = number(record["retained_warranty"]) if is_situation(record) else ZERO
    if not percent:
        return ZERO, None
    amount = half_up(number(record["total_ttc"]) * percent / WHOLE, read_rounding(record["rounding"]).total)
    return amount, day_of(record["retained_warranty_date_limit"])


def _earlier(record: Mapping[str, Any]) -> list[Invoice]:
    """Return the preceding invoices of the series and their credit notes."""
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


def _contract(line: Mapping[str, Any], rules: Rounding) -> Decimal:
    """Return the full amount of a line without VAT, at 100 percent progress."""
    progress = line["situation_percent"]
    if progress in (None, "") or number(progress) == WHOLE:
        return number(line["total_ht"])
    gross = line["subprice_ttc"]
    is_net = gross in (None, "")
    asked = LinePrice(
        number(line["qty"]),
        number(line["subprice"] if is_net else gross),
        tva_tx=number(line["tva_tx"]),
        remise_percent=number(line["remise_percent"]),
        with_tax=not is_net,
    )
    return price_line(asked, rules).amounts.total_ht


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
