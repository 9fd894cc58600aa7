"""Where the two profiles part: products."""

from core import Point

POINTS = {
    "new_product_status": Point("`status` of a new product if the request sends none", specification=1, dolibarr16=0),
}
