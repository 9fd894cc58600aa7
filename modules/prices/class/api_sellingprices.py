"""Selling prices by segment, customer and quantity over HTTP, below the products; the segment of a third party."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from core import Api

from ...answers.deeds import Removed, removed
from ...products.models import ProductPrice
from ...thirdparties.models import Thirdparty
from ..customer_prices import customer_prices
from ..levels import set_price_level
from ..models import CustomerPrice, QuantityPrice
from ..quantity_prices import quantity_prices
from ..segment_prices import segment_prices

SegmentPriceRecord = Annotated[dict[str, Any], ProductPrice]
CustomerPriceRecord = Annotated[dict[str, Any], CustomerPrice]
QuantityPriceRecord = Annotated[dict[str, Any], QuantityPrice]
BySegment = dict[str, str | None]


class SegmentPrices(TypedDict):
    """The prices of a product by segment; null where it has none of its own."""

    multiprices: Annotated[BySegment, "before VAT"]
    multiprices_inc_tax: Annotated[BySegment, "VAT included"]
    multiprices_min: Annotated[BySegment, "lowest price before VAT"]
    multiprices_min_inc_tax: Annotated[BySegment, "lowest price, VAT included"]
    multiprices_vat: Annotated[BySegment, "VAT, percent"]
    multiprices_base_type: Annotated[BySegment, "HT or TTC"]


class QuantityPrices(TypedDict):
    """The prices of a product by quantity."""

    prices_by_qty: Annotated[int, "1: there are some"]
    prices_by_qty_list: list[QuantityPriceRecord]


class SellingPrices(Api):
    """Prices that some customers pay: those of a segment, one of them, or whoever takes many.

    The constants PRODUIT_MULTIPRICES, PRODUIT_CUSTOMER_PRICES and PRODUIT_CUSTOMER_PRICES_BY_QTY switch them on. What
    a line without a price takes: the customer's, else the segment's, else the product's own; the last two by quantity.
    """

    # By segment -----------------------------------------------------------------------------------------------------

    def by_segment(self, id: int) -> SegmentPrices:
        """Read the prices of a product by segment.

        :url: GET ../products/{id}/selling_multiprices/per_segment
        :param id: row identifier of the product
        :raises BadRequest: PRODUIT_MULTIPRICES is off
        :raises NotFound: there is no such product
        :permission: products.read
        """
        return segment_prices.of_product(id)  # type: ignore[return-value]

    def history(self, id: int, price_level: int) -> list[SegmentPriceRecord]:
        """List a segment's prices of a product, now and before, the newest first.

        :url: GET ../products/{id}/selling_multiprices/per_segment/{price_level}
        :param id: row identifier of the product
        :param price_level: segment of customers
        :raises BadRequest: PRODUIT_MULTIPRICES is off, or there is no such segment
        :raises NotFound: there is no such product
        :permission: products.read
        """
        return segment_prices.history(id, price_level)

    def add_to_segment(self, id: int, request_data: SegmentPriceRecord) -> int:
        """Give a segment its price of a product; answers the identifier of the price.

        Of `price` and `price_ttc` one is sent; the other follows from `tva_tx`, the product's where none is sent.

        :url: POST ../products/{id}/selling_multiprices/per_segment
        :param id: row identifier of the product
        :raises BadRequest: PRODUIT_MULTIPRICES is off, or a field is missing or does not fit
        :raises NotFound: there is no such product
        :raises Refused: the segment has a price of this product
        :permission: products.write
        """
        return segment_prices.add(id, request_data)

    def change_segment(self, id: int, price_level: int, request_data: SegmentPriceRecord) -> SegmentPrices:
        """Change the price of a segment; what it was is kept as its history.

        :url: PUT ../products/{id}/selling_multiprices/per_segment/{price_level}
        :url: PATCH ../products/{id}/selling_multiprices/per_segment/{price_level}
        :param id: row identifier of the product
        :param price_level: segment of customers
        :raises BadRequest: PRODUIT_MULTIPRICES is off, or a field does not fit
        :raises NotFound: there is no such product, or the segment has no price of it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: products.write
        """
        segment_prices.alter(id, price_level, request_data)
        return segment_prices.of_product(id)  # type: ignore[return-value]

    def remove_from_segment(self, id: int, price_level: int) -> Removed:
        """Take the price of a segment away, with its history.

        :url: DELETE ../products/{id}/selling_multiprices/per_segment/{price_level}
        :param id: row identifier of the product
        :param price_level: segment of customers
        :raises BadRequest: PRODUIT_MULTIPRICES is off, or there is no such segment
        :raises NotFound: there is no such product, or the segment has no price of it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: products.delete
        """
        segment_prices.remove(id, price_level)
        return removed("Price deleted")

    # By customer ----------------------------------------------------------------------------------------------------

    def by_customer(self, id: int, thirdparty_id: str = "") -> list[CustomerPriceRecord]:
        """List customers' own prices of a product.

        :url: GET ../products/{id}/selling_multiprices/per_customer
        :param id: row identifier of the product
        :param thirdparty_id: customers, separated by commas; all when empty {@pattern /^[0-9,]*$/} {@max 2000}
        :raises BadRequest: PRODUIT_CUSTOMER_PRICES is off
        :raises Unauthorized: an external user asks for others than its own company
        :raises NotFound: there is no such product
        :permission: products.read
        """
        return customer_prices.of_product(id, thirdparty_id)

    def add_to_customer(self, id: int, request_data: CustomerPriceRecord) -> int:
        """Give a customer a price of its own; answers the identifier of the price.

        :url: POST ../products/{id}/selling_multiprices/per_customer
        :param id: row identifier of the product
        :raises BadRequest: PRODUIT_CUSTOMER_PRICES is off, or a field is missing or does not fit
        :raises NotFound: there is no such product or third party
        :raises Refused: the customer has a price of this product
        :permission: products.write
        """
        return customer_prices.add(id, request_data)

    def change_customer(self, id: int, priceid: int, request_data: CustomerPriceRecord) -> CustomerPriceRecord:
        """Change the price of a customer.

        :url: PUT ../products/{id}/selling_multiprices/per_customer/{priceid}
        :url: PATCH ../products/{id}/selling_multiprices/per_customer/{priceid}
        :param id: row identifier of the product
        :param priceid: row identifier of the price
        :raises BadRequest: PRODUIT_CUSTOMER_PRICES is off, or a field does not fit
        :raises NotFound: there is no such product, or it has no such price
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: products.write
        """
        return customer_prices.alter(id, priceid, request_data)

    def remove_from_customer(self, id: int, priceid: int) -> Removed:
        """Take the price of a customer away.

        :url: DELETE ../products/{id}/selling_multiprices/per_customer/{priceid}
        :param id: row identifier of the product
        :param priceid: row identifier of the price
        :raises BadRequest: PRODUIT_CUSTOMER_PRICES is off
        :raises NotFound: there is no such product, or it has no such price
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: products.delete
        """
        customer_prices.remove(id, priceid)
        return removed("Price deleted")

    # By quantity ----------------------------------------------------------------------------------------------------

    def by_quantity(self, id: int) -> QuantityPrices:
        """List the prices of a product by quantity.

        :url: GET ../products/{id}/selling_multiprices/per_quantity
        :param id: row identifier of the product
        :raises BadRequest: PRODUIT_CUSTOMER_PRICES_BY_QTY is off
        :raises NotFound: there is no such product
        :permission: products.read
        """
        return quantity_prices.of_product(id)  # type: ignore[return-value]

    def add_to_quantity(self, id: int, request_data: QuantityPriceRecord) -> int:
        """Say what one unit costs from a quantity on; answers the identifier of the price.

        Of `unitprice` and `price` (of the whole quantity) one is sent. Both are before VAT, or with it where the price
        that they break says TTC.

        :url: POST ../products/{id}/selling_multiprices/per_quantity
        :param id: row identifier of the product
        :raises BadRequest: PRODUIT_CUSTOMER_PRICES_BY_QTY is off, or a field is missing or does not fit
        :raises NotFound: there is no such product, or the segment has no price of it
        :raises Refused: there is a price of this quantity
        :permission: products.write
        """
        return quantity_prices.add(id, request_data)

    def change_quantity(self, id: int, priceid: int, request_data: QuantityPriceRecord) -> QuantityPriceRecord:
        """Change what one unit costs from a quantity on.

        :url: PUT ../products/{id}/selling_multiprices/per_quantity/{priceid}
        :url: PATCH ../products/{id}/selling_multiprices/per_quantity/{priceid}
        :param id: row identifier of the product
        :param priceid: row identifier of the price
        :raises BadRequest: PRODUIT_CUSTOMER_PRICES_BY_QTY is off, or a field does not fit
        :raises NotFound: there is no such product, or it has no such price
        :raises Refused: there is another price of this quantity
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: products.write
        """
        return quantity_prices.alter(id, priceid, request_data)

    def remove_from_quantity(self, id: int, priceid: int) -> Removed:
        """Take the price of a quantity away.

        :url: DELETE ../products/{id}/selling_multiprices/per_quantity/{priceid}
        :param id: row identifier of the product
        :param priceid: row identifier of the price
        :raises BadRequest: PRODUIT_CUSTOMER_PRICES_BY_QTY is off
        :raises NotFound: there is no such product, or it has no such price
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: products.delete
        """
        quantity_prices.remove(id, priceid)
        return removed("Price deleted")

    # The segment of a third party -----------------------------------------------------------------------------------

    def set_level(self, id: int, priceLevel: int) -> Annotated[dict[str, Any], Thirdparty]:
        """Set the price level of a third party: the segment of customers that it belongs to.

        :url: PUT ../thirdparties/{id}/setpricelevel
        :param id: row identifier of the third party
        :param priceLevel: from 1 to PRODUIT_MULTIPRICES_LIMIT
        :raises BadRequest: there is no such segment
        :raises NotFound: there is no such third party, or the caller may not see it
        :raises Refused: PRODUIT_MULTIPRICES is off
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: thirdparties.write
        """
        return set_price_level(id, priceLevel)
