"""Checks of the constants of products before they are set."""

from __future__ import annotations

from typing import Any

from core import on

from .codes import check_manner
from .price_modes import check_limit


@on("setup.constant_set", when="before")
def check_constant(record: dict[str, Any]) -> None:
    """Check the numbering method of references, and the number of segments."""
    check_manner(record["name"], record["value"])
    check_limit(record["name"], record["value"])
