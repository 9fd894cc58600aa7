"""Selling prices of a product by segment of customers, with a history of all changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core import BadRequest, NotFound, Records, Refused, Values, now, transaction
from core.for_natives import current_user_id

from ..products.models import ProductPrice
from ..products.price_modes import modes, require
from ..products.price_rules import PRICED, settle_prices, unfit
from ..products.products import products
from ..products.segments import newest_prices
from ..setup.text_cleaners import clean_base
from ..thirdparties.thirdparties import thirdparties
from .completion import TAXES, complete_price
from .models import QuantityPrice

#: key in the response about segments → key of a product's record with the value
SEGMENTS = {
    "multiprices": "multiprices", "multiprices_inc_tax": "multiprices_ttc", "multiprices_min": "multiprices_min",
    "multiprices_min_inc_tax": "multiprices_min_ttc", "multiprices_vat": "multiprices_tva_tx",
    "multiprices_base_type": "multiprices_base_type",
}  # fmt: skip
#: fields that a new row of the history copies from the previous one
COPIED = (
    "price_level", "price", "price_ttc", "price_min", "price_min_ttc", "price_base_type", "price_label", "tosell",
    "price_by_qty", "recuperableonly", *TAXES,
)  # fmt: skip


class SegmentPrices(Records[ProductPrice]):
    """Prices of segments: each change is a new row, and the newest row applies."""

    model = ProductPrice
    noun = "Price"
    sort = "t.rowid"
    cleaners = {"price_base_type": clean_base}

    def of_product(self, product: int) -> dict[str, Any]:
        """Return the prices of a product, by kind and segment."""
        require("segments")
        record = products.read(product)
        return {key: record[name] for key, name in SEGMENTS.items()}

    def history(self, product: int, level: int) -> list[dict[str, Any]]:
        """Return the present and former prices of a segment, the newest first."""
        self._check(level)
        products.load(product)
        return self.every({"fk_product": product, "price_level": level})[::-1]

    def add(self, product: int, body: Mapping[str, Any]) -> int:
        """Add the first price of a segment; return its ID.

        :raises Refused: the segment already has a price
        """
        require("segments")
        values, _ = self.accept(body)
        self._check(values["price_level"])
        with transaction():
            row = products.load(product, lock=True)
            if newest_prices([product], [values["price_level"]]):
                raise Refused(
                    f"product {product} already has a price for segment {values['price_level']}; change that one",
                    reason="value_taken",
                )
            complete_price(values, row)
            return self._note(product, values)

    def alter(self, product: int, level: int, body: Mapping[str, Any]) -> None:
        """Change the price of a segment; the old one stays in the history, and its quantity prices move to the new one.

        :raises NotFound: the segment has no price of this product
        """
        self._check(level)
        values, _ = self.accept({**body, "price_level": level}, creating=False)
        with transaction():
            before = self._newest(product, level)
            settle_prices(values, before)
            kept = {name: getattr(before, name) for name in COPIED}
            if all(kept[name] == value for name, value in values.items()):
                return
            now = self._note(product, Values(kept | values))
            broken = QuantityPrice.fk_product_price == before.id
            QuantityPrice.update(fk_product_price=now).where(broken).execute()

    def remove(self, product: int, level: int) -> None:
        """Delete the price of a segment, with its history and its quantity prices.

        :raises NotFound: the segment has no price of this product
        """
        self._check(level)
        with transaction():
            self._newest(product, level)
            for row in self.rows({"fk_product": product, "price_level": level}):
                self.delete(row.id)

    def base(self, product: int, level: int) -> ProductPrice:
        """Return the row that a quantity price belongs to; the product's own is created if needed. In a transaction.

        :raises NotFound: the segment has no price of this product
        """
        if level:
            self._check(level)
            return self._newest(product, level)
        own = products.load(product, lock=True)
        if not newest_prices([product], [0]):
            self._note(product, Values({name: getattr(own, name) for name in (*PRICED, *TAXES)} | {"price_level": 0}))
        return newest_prices([product], [0])[product, 0]

    def _note(self, product: int, values: Values) -> int:
        values |= {"fk_product": product, "fk_user_author": current_user_id(), "date_price": now()}
        return self.insert(values, None, known=("fk_product",))

    def _newest(self, product: int, level: int) -> ProductPrice:
        products.load(product, lock=True)
        found = newest_prices([product], [level])
        if not found:
            raise NotFound(f"product {product} has no price for segment {level}")
        return found[product, level]

    def _check(self, level: int) -> None:
        require("segments")
        if not modes().has_segment(level):
            raise unfit("price_level", f"expected a segment from 1 to {modes().segments}, got {level}")


segment_prices = SegmentPrices()


def set_price_level(thirdparty: int, level: int) -> dict[str, Any]:
    """Set the segment of a third party; return the third party.

    :raises Refused: price segments are disabled
    :raises BadRequest: there is no such segment
    """
    if not modes().segments:
        theirs = "Multiprices features activation needed for this request"
        raise Refused(
            "price segments are disabled; set the constant PRODUIT_MULTIPRICES to 1: "
            "`PUT /setup/conf/PRODUIT_MULTIPRICES`",
            dolibarr=theirs,
            reason="not_configured",
        )
    if not modes().has_segment(level):
        theirs = f"Price level must be between 1 and {modes().segments}"
        reason = f"`priceLevel`: expected a segment from 1 to {modes().segments}, got {level}"
        raise BadRequest(reason, errors=[("priceLevel", reason)], dolibarr=theirs)
    thirdparties.change(thirdparty, {}, price_level=level)
    return thirdparties.answer(thirdparty)
