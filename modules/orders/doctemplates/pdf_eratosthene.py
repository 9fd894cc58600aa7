"""Eratosthene: a dense page under a coloured band, in a frame, for many lines."""

from __future__ import annotations

from ...documents.layout.style import Style
from ...documents.template import Template
from ..orders import orders


class Eratosthene(Template):
    """A dense page in ochre, with numbered lines and sub-totals."""

    documents = orders
    title = "Order"
    style = Style(
        accent="#8f5410", tint="#f8efe3", head="band", table="framed", size=7.8, leading=1.24, padding=2.0,
        columns=("number", "ref", "text", "qty", "price", "discount", "vat", "total"), subtotals=True,
    )  # fmt: skip
