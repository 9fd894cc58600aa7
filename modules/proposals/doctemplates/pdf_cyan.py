"""Cyan: a dense page under a coloured band, for many lines."""

from __future__ import annotations

from ...documents.layout.style import Style
from ...documents.template import Template
from ..proposals import proposals


class Cyan(Template):
    """A dense page in cyan, with numbered lines."""

    documents = proposals
    title = "Commercial proposal"
    acceptance = True
    style = Style(
        accent="#0e7c93", tint="#e3f3f6", head="band", table="striped", size=7.8, leading=1.24, padding=2.0,
        columns=("number", "ref", "text", "qty", "price", "discount", "vat", "total"), subtotals=True,
    )  # fmt: skip
