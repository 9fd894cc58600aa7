"""Completion of a new price from its product."""

from __future__ import annotations

from core import Values

from ..products.models import Product
from ..products.price_rules import settle_prices, unfit

#: fields that the price of a segment or a customer copies from its product if the body has no `tva_tx`
TAXES = ("tva_tx", "default_vat_code", "localtax1_tx", "localtax1_type", "localtax2_tx", "localtax2_type")


def complete_price(values: Values, product: Product) -> None:
    """Complete a new price from its product, and compute the missing side of each amount.

    :raises BadRequest: the body has no price, or the price is invalid
    """
    if values.get("price") is None and values.get("price_ttc") is None:
        raise unfit("price", "`price` or `price_ttc` is required")
    values.setdefault("price_base_type", product.price_base_type or "HT" if "price" in values else "TTC")
    if "tva_tx" not in values:
        values |= {name: values.get(name, getattr(product, name)) for name in TAXES}
    settle_prices(values, None)
