"""The lines of a record as they are printed, their VAT table and their local taxes."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from core.for_natives import default_context

from ...commercial.vat_category import is_charged
from ...dictionaries.entries import entry
from ...dictionaries.models import Unit
from .language import Language
from .paragraphs import stacked
from .printed_document import PrintedLine
from .record_values import ZERO, day_of, number
from .rich_text import inline_text, rich_text

#: product type of a title line; special code of an option line
TITLE = 9
OPTION = 3
WHOLE = Decimal(100)
#: number of a local tax → its English label
LOCAL_TAXES = {1: "First local tax", 2: "Second local tax"}
#: country → the names of its local taxes; laws call them so in every language
LOCAL_NAMES = {"ES": ("Recargo de equivalencia", "IRPF"), "CA": ("QST", "PST")}


def is_title(line: Mapping[str, Any]) -> bool:
    """Return whether a line is a heading for the lines after it."""
    return int(line["product_type"] or 0) == TITLE


def is_option(line: Mapping[str, Any]) -> bool:
    """Return whether a line is an option without quantity. One with a quantity counts, and is printed, as any other."""
    return int(line["special_code"] or 0) == OPTION and not number(line["qty"])


def title_line(line: Mapping[str, Any]) -> PrintedLine:
    """Return the printed line of a heading."""
    label, desc = line_label(line), _description(line)
    return PrintedLine(kind="title", label=label or desc, text=desc if label and desc != label else "")


def subtotal_line(amount: Decimal, words: Language) -> PrintedLine:
    """Return the printed line with the sum of the lines under a heading."""
    return PrintedLine(kind="subtotal", label=words.say("Sub-total"), total=words.number(amount, 2))


def priced_line(line: Mapping[str, Any], words: Language) -> PrintedLine:
    """Return the printed line of a line with a price."""
    label = line_label(line)
    texts = [line_text(line), _period(line, words), _progress(line, words), _not_charged(line, words)]
    discount = number(line["remise_percent"])
    rate = words.percent(number(line["tva_tx"]))
    return PrintedLine(
        kind="option" if is_option(line) else "line",
        ref=str(line["product_ref"] or ""),
        label=label,
        text=stacked(*texts),
        vat=f"{rate} ({line['vat_src_code']})" if line["vat_src_code"] else rate,
        price=words.number(number(line["subprice"]), 2),
        qty=unit_quantity(line, words),
        discount=words.percent(discount) if discount else "",
        total=words.number(number(line["total_ht"]), 2),
        amount=None if is_option(line) else number(line["total_ht"]),
    )


@default_context
def vat_table(lines: list[dict[str, Any]], words: Language) -> list[tuple[str, str, str]]:
    """Return rate, net amount and tax of each VAT rate; lines whose VAT isn't charged have a row of their own."""
    sums: dict[tuple[Decimal, str], tuple[Decimal, Decimal]] = {}
    for line in lines:
        if not is_title(line) and not is_option(line):
            kind = number(line["tva_tx"]), _not_charged(line, words)
            net, tax = sums.get(kind, (ZERO, ZERO))
            sums[kind] = net + number(line["total_ht"]), tax + number(line["total_tva"])
    return [
        (f"{words.percent(rate)} ({note})" if note else words.percent(rate), words.number(net, 2), words.number(tax, 2))
        for (rate, note), (net, tax) in sorted(sums.items())
    ]


def _not_charged(line: Mapping[str, Any], words: Language) -> str:
    """Return that the VAT of a line isn't charged; empty if it is, or if the rate is 0."""
    return words.say("VAT not charged") if number(line["tva_tx"]) and not is_charged(line) else ""


def local_tax_rows(record: Mapping[str, Any], home: str, words: Language) -> list[tuple[str, Decimal]]:
    """Return the local taxes of a document, one row for each rate: label and amount.

    :param home: code of the company's country
    """
    return [row for which in LOCAL_TAXES for row in _local_tax(record, which, home, words)]


def _local_tax(record: Mapping[str, Any], which: int, home: str, words: Language) -> list[tuple[str, Decimal]]:
    total = number(record.get(f"total_localtax{which}"))
    name = LOCAL_NAMES[home][which - 1] if home in LOCAL_NAMES else words.say(LOCAL_TAXES[which])
    rates: dict[Decimal, Decimal] = {}
    for line in record["lines"]:
        if amount := number(line.get(f"total_localtax{which}")):
            rate = abs(number(line.get(f"localtax{which}_tx")))
            rates[rate] = rates.get(rate, ZERO) + amount
    # Rounded as a whole, the total differs from the sum of the lines
    if len(rates) == 1:
        rates = dict.fromkeys(rates, total)
    if not total or sum(rates.values(), ZERO) != total:
        return [(name, total)] if total else []
    return [(f"{name} {words.percent(rate)}", amount) for rate, amount in sorted(rates.items())]


def unit_quantity(line: Mapping[str, Any], words: Language) -> str:
    """Return the quantity of a line with its unit."""
    unit = entry(Unit, line["fk_unit"])
    qty = words.number(number(line["qty"]))
    return f"{qty} {words.say(unit.short_label or unit.code, 'unit')}" if unit else qty


def line_text(line: Mapping[str, Any]) -> str:
    """Return the description of a line; empty if it equals the label."""
    desc = _description(line)
    return desc if desc != line_label(line) else ""


def line_label(line: Mapping[str, Any]) -> str:
    """Return the label of a line, or the label of its product."""
    return inline_text(str(line["label"] or line["product_label"] or ""))


def _description(line: Mapping[str, Any]) -> str:
    return rich_text(str(line["desc"] or "").strip())


def _period(line: Mapping[str, Any], words: Language) -> str:
    """Return the period of a service as text; empty if the line has no dates."""
    start, end = day_of(line["date_start"]), day_of(line["date_end"])
    if not start and not end:
        return ""
    said = words.say("From {start} to {end}" if start and end else "From {start}" if start else "Until {end}")
    said = said.replace("{start}", words.day(start) if start else "")
    return said.replace("{end}", words.day(end) if end else "")


def _progress(line: Mapping[str, Any], words: Language) -> str:
    """Return the progress of the work on an invoice for part of it; empty if it is complete or unset."""
    progress = line.get("situation_percent")
    if progress in (None, "") or number(progress) == WHOLE:
        return ""
    return f"{words.say('Progress')}: {words.percent(number(progress))}"
