"""Crabe, the default of invoices: a classic page, its lines in a framed table."""

from __future__ import annotations

from ...documents.layout.style import Style
from ..papers import InvoiceTemplate


class Crabe(InvoiceTemplate):
    """A classic page in burgundy."""

    style = Style(accent="#7b2d3b", tint="#f5eaec")
