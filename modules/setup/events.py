"""Checks of the company's constants before they are set."""

from __future__ import annotations

from typing import Any

from .company import check_company_constant


def before_setup_constant_set(record: dict[str, Any]) -> None:
    """Check country and currency, which every document shows."""
    check_company_constant(record["name"], record["value"])
