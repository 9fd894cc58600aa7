"""Espadon: a dense page with numbered lines under a coloured band, for many goods."""

from __future__ import annotations

from ...documents.layout.style import Style
from ..papers import DeliveryNote


class Espadon(DeliveryNote):
    """A dense page in steel."""

    style = Style(
        accent="#355c7d", tint="#e8eef3", head="band", table="framed", size=7.8, leading=1.24, padding=2.0,
        columns=("number", "ref", "text", "qty"),
    )  # fmt: skip
