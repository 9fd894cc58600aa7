"""Updates of variants when products change."""

from __future__ import annotations

from typing import Any

from .variants import variants


def before_products_parent_changed(record: dict[str, Any]) -> None:
    """Update the products of the variants with the new price, VAT and weight."""
    variants.follow(int(record["id"]))
