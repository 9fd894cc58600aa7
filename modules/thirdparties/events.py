"""What concerns third parties when constants are set."""

from __future__ import annotations

from typing import Any

from .codes import check_manner


def before_setup_constant_set(record: dict[str, Any]) -> None:
    """Without a known manner of giving codes nobody could add a third party."""
    check_manner(record["name"], record["value"])
