"""What a product is read with besides its own fields, as the query asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .models import IS_VARIANT
from .products import products, stocked_products
from .subproducts import associations


@dataclass(frozen=True)
class Including:
    """What a product is read with.

    :param includestockdata: with `stock_warehouse` and `stock_theorique`; needs the right warehouses.read
    :param includesubproducts: with its components in `sousprods`
    :param includeparentid: with the product that it is a variant of in `fk_product_parent`
    :param includetrans: taken as in the reference; no translations of products are kept
    """

    includestockdata: bool = False
    includesubproducts: bool = False
    includeparentid: bool = False
    includetrans: bool = False

    def read(self, value: Any, by: str = "") -> dict[str, Any]:
        """A product with what is asked for."""
        record = (stocked_products if self.includestockdata else products).read(value, by)
        if self.includesubproducts:
            record = {**record, "sousprods": associations.every({"fk_product_pere": record["id"]})}
        if self.includeparentid:
            is_variant = int(record["variant_role"]) == IS_VARIANT
            record = {**record, "fk_product_parent": record["fk_parent"] if is_variant else None}
        return record


NOTHING = Including()
