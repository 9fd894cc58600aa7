"""A new price, completed by its product."""

from __future__ import annotations

from core import Values

from ..products.models import Product
from ..products.price_rules import settle_prices, unfit

#: what the price of a segment or a customer takes from its product where it says nothing; a rate with all that belongs
#: to it
TAXES = ("tva_tx", "default_vat_code", "localtax1_tx", "localtax1_type", "localtax2_tx", "localtax2_type")


def complete_price(values: Values, product: Product) -> None:
    """Complete a new price by its product, and let its sides follow from each other.

    :raises BadRequest: no price is named, or it does not fit
    """
    if values.get("price") is None and values.get("price_ttc") is None:
        raise unfit("price", "`price` or `price_ttc` is required")
    values.setdefault("price_base_type", product.price_base_type or "HT" if "price" in values else "TTC")
    if "tva_tx" not in values:
        values |= {name: values.get(name, getattr(product, name)) for name in TAXES}
    settle_prices(values, None)
