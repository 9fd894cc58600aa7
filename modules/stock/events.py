"""What concerns stock when constants are set."""

from __future__ import annotations

from typing import Any

from ..setup.constants import check_switch
from .levels import NEGATIVE


def before_setup_constant_set(record: dict[str, Any]) -> None:
    """Whether stock may fall below zero is yes or no."""
    check_switch(record, NEGATIVE)
