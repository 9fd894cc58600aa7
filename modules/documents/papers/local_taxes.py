"""Local taxes in the totals of a document: with their name in the company's country, and their rate."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from .language import Language
from .record_values import ZERO, number

#: number of a local tax → its English label
LABELS = {1: "First local tax", 2: "Second local tax"}
#: country → the names of its local taxes; laws call them so in every language
NAMES = {"ES": ("Recargo de equivalencia", "IRPF"), "CA": ("QST", "PST")}


def local_tax_rows(record: Mapping[str, Any], home: str, words: Language) -> list[tuple[str, Decimal]]:
    """Return the local taxes of a document, one row for each rate: label and amount.

    :param home: code of the company's country
    """
    return [row for which in LABELS for row in _rows(record, which, home, words)]


def _rows(record: Mapping[str, Any], which: int, home: str, words: Language) -> list[tuple[str, Decimal]]:
    total = number(record.get(f"total_localtax{which}"))
    name = NAMES[home][which - 1] if home in NAMES else words.say(LABELS[which])
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
