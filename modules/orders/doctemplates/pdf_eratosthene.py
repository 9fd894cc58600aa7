"""Eratosthene: orders under a coloured band, numbered, with sub-totals."""

from __future__ import annotations

from ...documents.layout.style import Style
from ...documents.template import Template
from ..orders import orders


class Eratosthene(Template):
    """A page in ochre, with numbered lines."""

    documents = orders
    title = "Order"
    style = Style(
        accent="#9a5b13",
        tint="#f8efe3",
        head="band",
        table="striped",
        columns=("number", "ref", "text", "qty", "price", "discount", "vat", "total"),
        subtotals=True,
    )
