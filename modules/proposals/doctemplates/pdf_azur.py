"""Azur, the default of proposals: a classic page, its lines in a framed table."""

from __future__ import annotations

from ...documents.layout.style import Style
from ...documents.template import Template
from ..proposals import proposals


class Azur(Template):
    """A classic page in dark blue."""

    documents = proposals
    title = "Commercial proposal"
    acceptance = True
    style = Style(accent="#1f4e79", tint="#e6edf5", subtotals=True)
