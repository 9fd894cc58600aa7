"""Lines, and amounts as text."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal as D
from typing import Any

from modules.commercial.totals import (
    Amounts,
    LinePrice,
    Rounding,
    price_line,
)

Document = list[tuple[D, int, Amounts]]


def line(qty: str, subprice: str, tva_tx: str = "0", remise_percent: str = "0", **more: Any) -> LinePrice:
    return replace(LinePrice(D(qty), D(subprice), D(tva_tx), D(remise_percent)), **more)


def document(*lines: LinePrice, rounding: Rounding = Rounding()) -> Document:
    return [(line.tva_tx, line.product_type, price_line(line, rounding).amounts) for line in lines]
