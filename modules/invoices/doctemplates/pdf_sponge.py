"""Sponge: a dense page under a coloured band, for many lines, with sub-totals."""

from __future__ import annotations

from dataclasses import replace

from ...documents.layout.style import DENSE
from ..template import InvoiceTemplate


class Sponge(InvoiceTemplate):
    """A dense page in green, with numbered lines and references."""

    style = replace(DENSE, accent="#1f6f54", tint="#e5f2ed")
