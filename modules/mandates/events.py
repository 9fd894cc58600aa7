"""What concerns mandates when constants are set."""

from __future__ import annotations

from typing import Any

from .mandates import check_creditor_constant


def before_setup_constant_set(record: dict[str, Any]) -> None:
    """No mandate is printed with an identifier that banks refuse."""
    check_creditor_constant(record["name"], record["value"])
