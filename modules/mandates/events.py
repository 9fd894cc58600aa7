"""Checks of the constants of mandates before they are set."""

from __future__ import annotations

from typing import Any

from core import on

from .mandates import check_creditor_constant


@on("setup.constant_set", when="before")
def check_constant(record: dict[str, Any]) -> None:
    """Check the creditor identifier, because banks reject mandates with an invalid one."""
    check_creditor_constant(record["name"], record["value"])
