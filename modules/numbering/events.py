"""What concerns masks when constants are set."""

from __future__ import annotations

from typing import Any

from .mask_constants import check_mask, is_mask


def before_setup_constant_set(record: dict[str, Any]) -> None:
    """A mask that cannot be used would refuse every reference that is due."""
    if is_mask(record["name"]) and record["value"].strip():
        check_mask(record["name"], record["value"].strip())
