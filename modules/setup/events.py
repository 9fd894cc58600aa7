"""What concerns constants of the company when they are set."""

from __future__ import annotations

from typing import Any

from .company import check_company_constant


def before_setup_constant_set(record: dict[str, Any]) -> None:
    """Country and currency stand on every document."""
    check_company_constant(record["name"], record["value"])
