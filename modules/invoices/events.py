"""What concerns invoices when constants are set."""

from __future__ import annotations

from typing import Any

from .references import check_prefix


def before_setup_constant_set(record: dict[str, Any]) -> None:
    """Every reference begins with the prefix that is set."""
    check_prefix(record["name"], record["value"])
