"""Differences between the two profiles: products."""

from core import Point

POINTS = {
    "new_product_status": Point("`status` of a new product if the request sends none", specification=1, dolibarr16=0),
    "new_product_price_base": Point(
        "`price_base_type` of a new product if the request sends none; empty counts as HT",
        specification="HT",
        dolibarr16="",
    ),
}
