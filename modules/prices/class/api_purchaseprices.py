"""Purchase prices over HTTP, below the products."""

from __future__ import annotations

from typing import Annotated, Any

from core import Api, ListQuery, Removed, removed

from ..models import PurchasePrice
from ..purchase import Purchase
from ..purchases import purchase_prices

PurchasePriceRecord = Annotated[dict[str, Any], PurchasePrice]


class PurchasePrices(Api):
    """Supplier prices of products.

    External users see the prices of their own company.
    """

    def by_product(
        self, sortfield: str = "t.ref", sortorder: str = "ASC", limit: int = 100, page: int = 0, mode: int = 0,
        category: int = 0, supplier: int = 0, sqlfilters: str = "",
    ) -> dict[str, list[PurchasePriceRecord]]:  # fmt: skip
        """List the supplier prices of all products.

        Returns prices by product ID. Omits products without prices.

        :url: GET ../products/purchase_prices
        :param sortfield: comma-separated product fields
        :param sortorder: ASC or DESC for each field
        :param limit: products per page; 0: the maximum
        :param page: from 0
        :param mode: {@values 0 all, 1 products, 2 services} {@min 0} {@max 2}
        :param category: category ID; excludes subcategories {@min 0} {@max 2147483647}
        :param supplier: supplier ID; 0: all {@min 0}
        :param sqlfilters: conditions on the product, such as (t.ref:like:'A%')
        :raises BadRequest: a filter cannot be used
        :raises Unauthorized: an external user asks for another supplier
        :permission: products.read
        """
        query = ListQuery(sqlfilters, sortfield, sortorder, limit, page)
        return purchase_prices.by_product(query, mode, supplier, category)

    def of_product(self, id: int, ref: str = "", ref_ext: str = "", barcode: str = "") -> list[PurchasePriceRecord]:
        """List the supplier prices of a product.

        :url: GET ../products/{id}/purchase_prices
        :param id: product ID; 0: use `ref`, `ref_ext` or `barcode` {@min 0}
        :param ref: product reference
        :param ref_ext: external reference
        :param barcode: product barcode
        :raises BadRequest: the product is missing
        :raises NotFound: there is no such product
        :raises Conflict: several products have the `ref_ext`
        :permission: products.read
        """
        return purchase_prices.of_product({"id": id, "ref": ref, "ref_ext": ref_ext, "barcode": barcode})

    def note(self, id: int, purchase: Purchase) -> int:
        """Set a supplier price of a product.

        Replaces the price for the same supplier, reference and quantity. Returns the price's ID.

        :url: POST ../products/{id}/purchase_prices
        :param id: product ID
        :raises NotFound: there is no such product or supplier
        :raises Refused: the third party is not a supplier, or its reference belongs to another product
        :permission: products.write
        """
        return purchase_prices.note(id, purchase)

    def remove(self, id: int, priceid: int) -> Removed:
        """Delete a supplier price of a product.

        :url: DELETE ../products/{id}/purchase_prices/{priceid}
        :param id: product ID
        :param priceid: `product_fourn_price_id`
        :raises NotFound: there is no such product, or it has no such price
        :permission: products.delete
        """
        purchase_prices.remove(id, priceid)
        return removed("Price deleted")
