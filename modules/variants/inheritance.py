"""What a variant has of its parent: the price and the weight with its own impact, and what both have alike."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Protocol

from ..products.models import Product

#: what follows the parent whenever it changes, besides price and weight
FOLLOWED = ("tva_tx", "default_vat_code", "localtax1_tx", "localtax2_tx", "localtax1_type", "localtax2_type",
            "price_base_type", "weight_units")  # fmt: skip
#: what a new variant has of its parent, and may change afterwards
COPIED = (
    "description", "type", "status", "status_buy", "status_batch", "cost_price", "fk_unit",
    "length", "length_units", "width", "width_units", "height", "height_units", "surface", "surface_units",
    "volume", "volume_units", "net_measure", "net_measure_units", "customcode", "country_id", "state_id", "duration",
    "url", "fk_default_warehouse", "finished", "lifetime", "qc_frequency", "mandatory_period",
    "accountancy_code_sell", "accountancy_code_sell_intra", "accountancy_code_sell_export",
    "accountancy_code_buy", "accountancy_code_buy_intra", "accountancy_code_buy_export",
)  # fmt: skip


class Impact(Protocol):
    """In what a variant differs from its parent."""

    variation_price: Decimal
    variation_price_percentage: int
    variation_weight: Decimal


def followed(parent: Product, impact: Impact) -> dict[str, Any]:
    """The fields of a variant's product that follow its parent, in Python's types."""
    side = "_ttc" if parent.price_base_type == "TTC" else ""
    price = varied_price(getattr(parent, f"price{side}"), impact)
    lowest = getattr(parent, f"price_min{side}")
    return {
        **{name: getattr(parent, name) for name in FOLLOWED},
        f"price{side}": price,
        # The lowest price is that of the parent, unless the variant costs less than that
        f"price_min{side}": min(lowest, price),
        "weight": varied_weight(parent.weight, impact),
    }


def copied(parent: Product) -> dict[str, Any]:
    """The fields that a new variant has of its parent."""
    return {name: getattr(parent, name) for name in COPIED}


def varied_price(price: Decimal, impact: Impact) -> Decimal:
    """The parent's price with the impact on it, which is an amount or percent."""
    if impact.variation_price_percentage:
        return price * (1 + impact.variation_price / 100)
    return price + impact.variation_price


def varied_weight(weight: Decimal | None, impact: Impact) -> Decimal | None:
    """The parent's weight with the impact on it; None: neither says anything."""
    if weight is None and not impact.variation_weight:
        return None
    return (weight or Decimal(0)) + impact.variation_weight
