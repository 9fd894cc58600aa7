"""Purchase prices over HTTP, below the products."""

from __future__ import annotations

from typing import Annotated, Any

from core import Api, ListQuery

from ...answers.deeds import Removed, removed
from ..models import PurchasePrice
from ..purchase import Purchase
from ..purchases import purchase_prices

PurchasePriceRecord = Annotated[dict[str, Any], PurchasePrice]


class PurchasePrices(Api):
    """What suppliers ask for products.

    External users see what their own company asks for.
    """

    def by_product(
        self, sortfield: str = "t.ref", sortorder: str = "ASC", limit: int = 100, page: int = 0, mode: int = 0,
        category: int = 0, supplier: int = 0, sqlfilters: str = "",
    ) -> dict[str, list[PurchasePriceRecord]]:  # fmt: skip
        """List the purchase prices of all products that have any, by identifier of the product.

        :url: GET ../products/purchase_prices
        :param sortfield: fields of the product to sort by, separated by commas
        :param sortorder: ASC or DESC for each of them, separated by commas
        :param limit: products per page; 0: the largest page
        :param page: page number, from 0
        :param mode: {@values 0 all, 1 products, 2 services} {@min 0} {@max 2}
        :param category: only products in this category; categories below it are left out {@min 0} {@max 2147483647}
        :param supplier: row identifier of the supplier; 0: all {@min 0}
        :param sqlfilters: conditions on the product, such as (t.ref:like:'A%')
        :raises BadRequest: a filter cannot be used
        :raises Unauthorized: an external user names another supplier
        :permission: products.read
        """
        query = ListQuery(sqlfilters, sortfield, sortorder, limit, page)
        return purchase_prices.by_product(query, mode, supplier, category)

    def of_product(self, id: int, ref: str = "", ref_ext: str = "", barcode: str = "") -> list[PurchasePriceRecord]:
        """List the purchase prices of one product.

        :url: GET ../products/{id}/purchase_prices
        :param id: row identifier of the product; 0: the next three name it {@min 0}
        :param ref: reference of the product
        :param ref_ext: its reference in another system
        :param barcode: its barcode
        :raises BadRequest: nothing names the product
        :raises NotFound: there is no such product
        :raises Conflict: several products have the `ref_ext`
        :permission: products.read
        """
        return purchase_prices.of_product({"id": id, "ref": ref, "ref_ext": ref_ext, "barcode": barcode})

    def note(self, id: int, purchase: Purchase) -> int:
        """Keep what a supplier asks for a quantity; answers the identifier of the price.

        What was known of the same supplier, reference and quantity is replaced.

        :url: POST ../products/{id}/purchase_prices
        :param id: row identifier of the product
        :raises BadRequest: a field is missing or does not fit
        :raises NotFound: there is no such product or supplier
        :raises Refused: the third party is no supplier, or its reference belongs to another product
        :permission: products.write
        """
        return purchase_prices.note(id, purchase)

    def remove(self, id: int, priceid: int) -> Removed:
        """Delete a purchase price.

        :url: DELETE ../products/{id}/purchase_prices/{priceid}
        :param id: row identifier of the product
        :param priceid: `product_fourn_price_id` of the price
        :raises NotFound: there is no such product, or it has no such price
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: products.delete
        """
        purchase_prices.remove(id, priceid)
        return removed("Price deleted")
