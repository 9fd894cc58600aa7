"""Checks of the constants of products before they are set."""

from __future__ import annotations

from typing import Any

from core import on

from .price_modes import check_limit
from .products import SERIES


@on("setup.constant_set", when="before")
def check_constant(record: dict[str, Any]) -> None:
    """Check the numbering scheme of references, and the number of segments."""
    SERIES[0].check_scheme(record)
    check_limit(record["name"], record["value"])
