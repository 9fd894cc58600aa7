"""Purchase prices over HTTP, below the products."""

from __future__ import annotations

from typing import Annotated, Any

from core import Api, ListQuery
from core.for_natives import Removed, removed

from ..models import PurchasePrice
from ..purchase import Purchase
from ..purchases import purchase_prices

PurchasePriceRecord = Annotated[dict[str, Any], PurchasePrice]


class PurchasePrices(Api):
    """Supplier prices of products.

    External users see only their own prices.
    """

    def by_product(
        self, sortfield: str = "t.ref", sortorder: str = "ASC", limit: int = 100, page: int = 0, mode: int = 0,
        category: int = 0, supplier: int = 0, sqlfilters: str = "",
    ) -> dict[str, list[PurchasePriceRecord]]:  # fmt: skip
        """List the supplier prices of all products.

        Returns prices by product ID.

        :url: GET ../products/purchase_prices
        :param sortfield: comma-separated fields
        :param sortorder: ASC or DESC for each field
        :param limit: products per page; 0: the maximum
        :param page: from 0
        :param mode: {@values 0 all, 1 products, 2 services} {@min 0} {@max 2}
        :param category: category ID; excludes subcategories {@min 0} {@max 2147483647}
        :param supplier: supplier ID; 0: all {@min 0}
        :param sqlfilters: such as (t.ref:like:'A%')
        :permission: products.read
        """
        query = ListQuery(sqlfilters, sortfield, sortorder, limit, page)
        return purchase_prices.by_product(query, mode, supplier, category)

    def of_product(self, id: int, ref: str = "", ref_ext: str = "", barcode: str = "") -> list[PurchasePriceRecord]:
        """List the supplier prices of a product.

        :url: GET ../products/{id}/purchase_prices
        :param id: product ID; 0: use `ref`, `ref_ext` or `barcode` {@min 0}
        :raises Conflict: several products match
        :permission: products.read
        """
        return purchase_prices.of_product({"id": id, "ref": ref, "ref_ext": ref_ext, "barcode": barcode})

    def note(self, id: int, purchase: Purchase) -> int:
        """Set a supplier price of a product.

        Replaces the price for the same supplier, reference and quantity.

        :url: POST ../products/{id}/purchase_prices
        :raises Refused: not a supplier, or its reference is another product's
        :permission: products.write
        """
        return purchase_prices.note(id, purchase)

    def remove(self, id: int, priceid: int) -> Removed:
        """Delete a supplier price of a product.

        :url: DELETE ../products/{id}/purchase_prices/{priceid}
        :param priceid: `product_fourn_price_id`
        :permission: products.delete
        """
        purchase_prices.remove(id, priceid)
        return removed("Price deleted")
