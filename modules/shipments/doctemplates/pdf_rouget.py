"""Rouget, the default of shipments: a quiet page, a rule below each line."""

from __future__ import annotations

from dataclasses import replace

from ...documents.layout.style import QUIET
from ..template import DeliveryNote


class Rouget(DeliveryNote):
    """A quiet page in coral."""

    style = replace(QUIET, accent="#a33b2f", tint="#f7eae7", size=9.2, leading=1.36, columns=("ref", "text", "qty"))
