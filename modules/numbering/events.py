"""Checks of masks before constants are set."""

from __future__ import annotations

from typing import Any

from core import on

from .mask_constants import check_mask, is_mask


@on("setup.constant_set", when="before")
def check_mask_constant(record: dict[str, Any]) -> None:
    """Check a mask: with an invalid one, no further reference could be assigned."""
    if is_mask(record["name"]) and record["value"].strip():
        check_mask(record["name"], record["value"].strip())
