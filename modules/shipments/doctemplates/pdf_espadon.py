"""Espadon: a dense page with numbered lines under a coloured band, for many goods."""

from __future__ import annotations

from dataclasses import replace

from ...documents.layout.style import DENSE
from ..template import DeliveryNote


class Espadon(DeliveryNote):
    """A dense page in steel."""

    style = replace(DENSE, accent="#355c7d", tint="#e8eef3", table="framed", columns=("number", "ref", "text", "qty"))
