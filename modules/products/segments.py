"""Reads the prices of customer segments for many products at once."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal
from typing import Any

from peewee import fn

from .models import ProductPrice
from .price_modes import modes

#: key of a product's record → the field of each segment's price in it
SHOWN = {
    "multiprices": "price", "multiprices_ttc": "price_ttc", "multiprices_base_type": "price_base_type",
    "multiprices_min": "price_min", "multiprices_min_ttc": "price_min_ttc", "multiprices_tva_tx": "tva_tx",
    "multiprices_default_vat_code": "default_vat_code",
}  # fmt: skip


def newest_prices(products: Collection[int], levels: Collection[int] = ()) -> dict[tuple[int, int], ProductPrice]:
    """Return the current prices: product and level → the newest price.

    :param levels: requested levels; empty: all
    """
    if not products:
        return {}
    place = fn.ROW_NUMBER().over(
        partition_by=[ProductPrice.fk_product, ProductPrice.price_level],
        order_by=[ProductPrice.date_price.desc(), ProductPrice.id.desc()],
    )
    of = ProductPrice.fk_product << list(products)
    if levels:
        of &= ProductPrice.price_level << list(levels)
    ranked = ProductPrice.select(ProductPrice.id.alias("newest"), place.alias("place")).where(of).alias("ranked")
    found = ProductPrice.select().join(ranked, on=(ProductPrice.id == ranked.c.newest)).where(ranked.c.place == 1)
    return {(row.fk_product, row.price_level): row for row in found}


def add_segment_prices(records: list[dict[str, Any]]) -> None:
    """Add the prices of all segments to records of products, by one statement, if segments have prices."""
    count = modes().segments
    if not count:
        return
    newest = newest_prices([int(record["id"]) for record in records], range(1, count + 1))
    for record in records:
        of = [newest.get((int(record["id"]), level)) for level in range(1, count + 1)]
        record |= {
            key: {str(level): _shown(getattr(row, field, None)) for level, row in enumerate(of, 1)}
            for key, field in SHOWN.items()
        }


def _shown(value: Any) -> Any:
    return f"{value:f}" if isinstance(value, Decimal) else value
