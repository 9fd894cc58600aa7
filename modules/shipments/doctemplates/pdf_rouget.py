"""Rouget, the default of shipments: a quiet page, a rule below each line."""

from __future__ import annotations

from ...documents.layout.style import Style
from ..papers import DeliveryNote


class Rouget(DeliveryNote):
    """A quiet page in coral."""

    style = Style(
        accent="#a33b2f", tint="#f7eae7", facts="block", table="ruled", size=9.2, leading=1.36, padding=5.0, title=22,
        totals="rule", columns=("ref", "text", "qty"),
    )  # fmt: skip
