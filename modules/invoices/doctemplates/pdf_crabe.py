"""Crabe, the default of invoices: a quiet page in large letters."""

from __future__ import annotations

from ...documents.layout.style import Style
from ..papers import InvoiceTemplate


class Crabe(InvoiceTemplate):
    """A quiet page in burgundy."""

    style = Style(
        accent="#7b2d3b", tint="#f5eaec", facts="block", table="ruled", size=9.5, leading=1.38, padding=5.0, title=22,
        totals="rule",
    )  # fmt: skip
