"""Selling prices by segment, customer and quantity over HTTP, below the products; the segment of a third party."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from core import Api
from core.for_natives import Removed, removed

from ...products.models import ProductPrice
from ...thirdparties.models import Thirdparty
from ..customer_prices import customer_prices
from ..models import CustomerPrice, QuantityPrice
from ..quantity_prices import quantity_prices
from ..segment_prices import segment_prices, set_price_level

SegmentPriceRecord = Annotated[dict[str, Any], ProductPrice]
CustomerPriceRecord = Annotated[dict[str, Any], CustomerPrice]
QuantityPriceRecord = Annotated[dict[str, Any], QuantityPrice]
BySegment = dict[str, str | None]


class SegmentPrices(TypedDict):
    """The prices of a product by segment; null if a segment has no price of its own."""

    multiprices: Annotated[BySegment, "before VAT"]
    multiprices_inc_tax: Annotated[BySegment, "VAT included"]
    multiprices_min: Annotated[BySegment, "lowest price before VAT"]
    multiprices_min_inc_tax: Annotated[BySegment, "lowest price, VAT included"]
    multiprices_vat: Annotated[BySegment, "VAT, percent"]
    multiprices_base_type: Annotated[BySegment, "HT or TTC"]


class QuantityPrices(TypedDict):
    """The prices of a product by quantity."""

    prices_by_qty: Annotated[int, "1: there are some"]
    prices_by_qty_list: Annotated[list[QuantityPriceRecord], "the quantity prices"]


class SellingPrices(Api):
    """Selling prices for customer segments, single customers or quantities.

    PRODUIT_MULTIPRICES, PRODUIT_CUSTOMER_PRICES and PRODUIT_CUSTOMER_PRICES_BY_QTY enable them. A line without a price
    gets the customer's price, else the segment's, else the product's. Quantity prices apply to the last two.
    """

    # By segment -----------------------------------------------------------------------------------------------------

    def by_segment(self, id: int) -> SegmentPrices:
        """List the segment prices of a product.

        :url: GET ../products/{id}/selling_multiprices/per_segment
        :permission: products.read
        """
        return segment_prices.of_product(id)  # type: ignore[return-value]

    def history(self, id: int, price_level: int) -> list[SegmentPriceRecord]:
        """List the past prices of a segment for a product.

        Includes the current price. Newest first.

        :url: GET ../products/{id}/selling_multiprices/per_segment/{price_level}
        :param price_level: segment
        :permission: products.read
        """
        return segment_prices.history(id, price_level)

    def add_to_segment(self, id: int, request_data: SegmentPriceRecord) -> int:
        """Set a segment price of a product.

        Send `price` or `price_ttc`. The other follows from `tva_tx`.

        :url: POST ../products/{id}/selling_multiprices/per_segment
        :raises Refused: the segment has one
        :permission: products.write
        """
        return segment_prices.add(id, request_data)

    def change_segment(self, id: int, price_level: int, request_data: SegmentPriceRecord) -> SegmentPrices:
        """Update a segment price of a product.

        The old price stays in the history.

        :url: PUT ../products/{id}/selling_multiprices/per_segment/{price_level}
        :param price_level: segment
        :permission: products.write
        """
        segment_prices.alter(id, price_level, request_data)
        return segment_prices.of_product(id)  # type: ignore[return-value]

    def patch_segment(self, id: int, price_level: int, request_data: SegmentPriceRecord) -> SegmentPrices:
        """Change some fields of a segment price.

        The old price stays in the history.

        :url: PATCH ../products/{id}/selling_multiprices/per_segment/{price_level}
        :param price_level: segment
        :permission: products.write
        """
        return self.change_segment(id, price_level, request_data)

    def remove_from_segment(self, id: int, price_level: int) -> Removed:
        """Delete a segment price of a product.

        Also deletes its history.

        :url: DELETE ../products/{id}/selling_multiprices/per_segment/{price_level}
        :param price_level: segment
        :permission: products.delete
        """
        segment_prices.remove(id, price_level)
        return removed("Price deleted")

    # By customer ----------------------------------------------------------------------------------------------------

    def by_customer(self, id: int, thirdparty_id: str = "") -> list[CustomerPriceRecord]:
        """List the customer prices of a product.

        :url: GET ../products/{id}/selling_multiprices/per_customer
        :param thirdparty_id: comma-separated customer IDs; default: all {@pattern /^[0-9,]*$/} {@max 2000}
        :raises Unauthorized: external users see only their own
        :permission: products.read
        """
        return customer_prices.of_product(id, thirdparty_id)

    def add_to_customer(self, id: int, request_data: CustomerPriceRecord) -> int:
        """Set a customer price of a product.

        :url: POST ../products/{id}/selling_multiprices/per_customer
        :raises Refused: the customer has one
        :permission: products.write
        """
        return customer_prices.add(id, request_data)

    def change_customer(self, id: int, priceid: int, request_data: CustomerPriceRecord) -> CustomerPriceRecord:
        """Update a customer price of a product.

        :url: PUT ../products/{id}/selling_multiprices/per_customer/{priceid}
        :permission: products.write
        """
        return customer_prices.alter(id, priceid, request_data)

    def patch_customer(self, id: int, priceid: int, request_data: CustomerPriceRecord) -> CustomerPriceRecord:
        """Change some fields of a customer price.

        :url: PATCH ../products/{id}/selling_multiprices/per_customer/{priceid}
        :permission: products.write
        """
        return self.change_customer(id, priceid, request_data)

    def remove_from_customer(self, id: int, priceid: int) -> Removed:
        """Delete a customer price of a product.

        :url: DELETE ../products/{id}/selling_multiprices/per_customer/{priceid}
        :permission: products.delete
        """
        customer_prices.remove(id, priceid)
        return removed("Price deleted")

    # By quantity ----------------------------------------------------------------------------------------------------

    def by_quantity(self, id: int) -> QuantityPrices:
        """List the quantity prices of a product.

        :url: GET ../products/{id}/selling_multiprices/per_quantity
        :permission: products.read
        """
        return quantity_prices.of_product(id)  # type: ignore[return-value]

    def add_to_quantity(self, id: int, request_data: QuantityPriceRecord) -> int:
        """Set a quantity price of a product.

        Send `unitprice`, or `price` for the whole quantity. Includes VAT if the base price has type TTC.

        :url: POST ../products/{id}/selling_multiprices/per_quantity
        :raises Refused: the quantity has one
        :permission: products.write
        """
        return quantity_prices.add(id, request_data)

    def change_quantity(self, id: int, priceid: int, request_data: QuantityPriceRecord) -> QuantityPriceRecord:
        """Update a quantity price of a product.

        :url: PUT ../products/{id}/selling_multiprices/per_quantity/{priceid}
        :raises Refused: the quantity has one
        :permission: products.write
        """
        return quantity_prices.alter(id, priceid, request_data)

    def patch_quantity(self, id: int, priceid: int, request_data: QuantityPriceRecord) -> QuantityPriceRecord:
        """Change some fields of a quantity price.

        :url: PATCH ../products/{id}/selling_multiprices/per_quantity/{priceid}
        :raises Refused: the quantity has one
        :permission: products.write
        """
        return self.change_quantity(id, priceid, request_data)

    def remove_from_quantity(self, id: int, priceid: int) -> Removed:
        """Delete a quantity price of a product.

        :url: DELETE ../products/{id}/selling_multiprices/per_quantity/{priceid}
        :permission: products.delete
        """
        quantity_prices.remove(id, priceid)
        return removed("Price deleted")

    # The segment of a third party -----------------------------------------------------------------------------------

    def set_level(self, id: int, priceLevel: int) -> Annotated[dict[str, Any], Thirdparty]:
        """Set the price level of a third party.

        The level is the customer segment.

        :url: PUT ../thirdparties/{id}/setpricelevel
        :param priceLevel: from 1 to PRODUIT_MULTIPRICES_LIMIT
        :raises Refused: PRODUIT_MULTIPRICES is 0
        :permission: thirdparties.write
        """
        return set_price_level(id, priceLevel)
