"""Sponge: a dense page under a coloured band, for many lines, with sub-totals."""

from __future__ import annotations

from ...documents.layout.style import Style
from ..papers import InvoiceTemplate


class Sponge(InvoiceTemplate):
    """A dense page in green, with numbered lines and references."""

    style = Style(
        accent="#1f6f54", tint="#e5f2ed", head="band", table="striped", size=7.8, leading=1.24, padding=2.0,
        columns=("number", "ref", "text", "qty", "price", "discount", "vat", "total"), subtotals=True,
    )  # fmt: skip
