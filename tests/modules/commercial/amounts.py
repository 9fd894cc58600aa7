"""Lines, and amounts as text."""

from dataclasses import replace
from decimal import Decimal as D

from modules.commercial.totals import (
    LinePrice,
    Rounding,
    SummedLine,
    price_line,
)


def line(qty, subprice, tva_tx="0", remise_percent="0", **more):
    return replace(LinePrice(D(qty), D(subprice), D(tva_tx), D(remise_percent)), **more)


def document(*lines, rounding=Rounding()):
    return [
        SummedLine(
            each.tva_tx, each.product_type, price_line(each, rounding).amounts, each.with_tax, each.localtax1,
            each.localtax2,
        )
        for each in lines
    ]  # fmt: skip
