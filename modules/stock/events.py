"""Checks of the constants of stock before they are set."""

from __future__ import annotations

from typing import Any

from ..setup.constants import check_switch
from .levels import NEGATIVE


def before_setup_constant_set(record: dict[str, Any]) -> None:
    """Check that the constant for stock below zero is 0 or 1."""
    check_switch(record, NEGATIVE)
