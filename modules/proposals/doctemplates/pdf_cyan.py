"""Cyan: a light page under a coloured band."""

from __future__ import annotations

from ...documents.layout.style import Style
from ...documents.template import Template
from ..proposals import proposals


class Cyan(Template):
    """A modern page in cyan, with numbered lines."""

    documents = proposals
    title = "Commercial proposal"
    acceptance = True
    style = Style(
        accent="#0e7c93",
        tint="#e3f3f6",
        head="band",
        table="striped",
        columns=("number", "text", "qty", "price", "discount", "vat", "total"),
        subtotals=True,
    )
