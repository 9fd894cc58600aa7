"""What concerns products when constants are set."""

from __future__ import annotations

from typing import Any

from .codes import check_manner
from .price_modes import check_limit


def before_setup_constant_set(record: dict[str, Any]) -> None:
    """Without a known manner of giving references none could be asked for; segments are counted."""
    check_manner(record["name"], record["value"])
    check_limit(record["name"], record["value"])
