"""Checks of the constants of mandates before they are set."""

from __future__ import annotations

from typing import Any

from .mandates import check_creditor_constant


def before_setup_constant_set(record: dict[str, Any]) -> None:
    """Check the creditor identifier, because banks reject mandates with an invalid one."""
    check_creditor_constant(record["name"], record["value"])
