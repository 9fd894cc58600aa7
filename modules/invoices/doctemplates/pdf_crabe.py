"""Crabe, the default of invoices: a quiet page in large letters."""

from __future__ import annotations

from dataclasses import replace

from ...documents.layout.style import QUIET
from ..template import InvoiceTemplate


class Crabe(InvoiceTemplate):
    """A quiet page in burgundy."""

    style = replace(QUIET, accent="#7b2d3b", tint="#f5eaec")
