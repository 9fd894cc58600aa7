"""Einstein, the default of orders: a quiet page, a rule below each line."""

from __future__ import annotations

from dataclasses import replace

from ...documents.layout.style import QUIET
from ...documents.template import Template
from ..orders import orders


class Einstein(Template):
    """A quiet page in slate, with a column of references."""

    documents = orders
    title = "Order"
    style = replace(
        QUIET, accent="#37474f", tint="#eceff1", size=9.2, leading=1.36,
        columns=("ref", "text", "vat", "price", "qty", "discount", "total"),
    )  # fmt: skip
