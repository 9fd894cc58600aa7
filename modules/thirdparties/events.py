"""Checks of the constants of third parties before they are set."""

from __future__ import annotations

from typing import Any

from .codes import check_manner


def before_setup_constant_set(record: dict[str, Any]) -> None:
    """Check the numbering method of codes: with an unknown one, no third party could be added."""
    check_manner(record["name"], record["value"])
