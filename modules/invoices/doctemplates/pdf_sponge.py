"""Sponge: invoices under a coloured band, with sub-totals."""

from __future__ import annotations

from ...documents.layout.style import Style
from ..papers import InvoiceTemplate


class Sponge(InvoiceTemplate):
    """A modern page in green, with a column of references."""

    style = Style(
        accent="#1f6f54",
        tint="#e5f2ed",
        head="band",
        table="striped",
        columns=("ref", "text", "qty", "price", "discount", "vat", "total"),
        subtotals=True,
    )
