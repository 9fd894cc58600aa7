"""Checks of the constants of stock before they are set."""

from __future__ import annotations

from typing import Any

from core import on

from ..setup.constants import check_switch
from .levels import NEGATIVE


@on("setup.constant_set", when="before")
def check_constant(record: dict[str, Any]) -> None:
    """Check that the constant for stock below zero is 0 or 1."""
    check_switch(record, NEGATIVE)
