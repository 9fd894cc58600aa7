"""Azur, the default of proposals: a quiet page in large letters."""

from __future__ import annotations

from dataclasses import replace

from ...documents.layout.style import QUIET
from ...documents.template import Template
from ..proposals import proposals


class Azur(Template):
    """A quiet page in dark blue, with sub-totals."""

    documents = proposals
    title = "Commercial proposal"
    acceptance = True
    style = replace(QUIET, accent="#1f4e79", tint="#e6edf5", subtotals=True)
