"""Updates of variants when products change."""

from __future__ import annotations

from typing import Any

from core import on

from .variants import variants


@on("products.parent_changed", when="before")
def follow_parent(record: dict[str, Any]) -> None:
    """Update the products of the variants with the new price, VAT and weight."""
    variants.follow(int(record["id"]))
