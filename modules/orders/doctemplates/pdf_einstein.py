"""Einstein, the default of orders: a quiet page, a rule below each line."""

from __future__ import annotations

from ...documents.layout.style import Style
from ...documents.template import Template
from ..orders import orders


class Einstein(Template):
    """A quiet page in slate, with a column of references."""

    documents = orders
    title = "Order"
    style = Style(
        accent="#37474f", tint="#eceff1", facts="block", table="ruled", size=9.2, leading=1.36, padding=5.0, title=22,
        totals="rule", columns=("ref", "text", "vat", "price", "qty", "discount", "total"),
    )  # fmt: skip
