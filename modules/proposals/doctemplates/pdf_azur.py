"""Azur, the default of proposals: a quiet page in large letters."""

from __future__ import annotations

from ...documents.layout.style import Style
from ...documents.template import Template
from ..proposals import proposals


class Azur(Template):
    """A quiet page in dark blue, with sub-totals."""

    documents = proposals
    title = "Commercial proposal"
    acceptance = True
    style = Style(
        accent="#1f4e79", tint="#e6edf5", facts="block", table="ruled", size=9.5, leading=1.38, padding=5.0, title=22,
        totals="rule", subtotals=True,
    )  # fmt: skip
