"""Checks of the company's constants before they are set."""

from __future__ import annotations

from typing import Any

from core import on

from .company import check_company_constant


@on("setup.constant_set", when="before")
def check_constant(record: dict[str, Any]) -> None:
    """Check country and currency, which every document shows."""
    check_company_constant(record["name"], record["value"])
