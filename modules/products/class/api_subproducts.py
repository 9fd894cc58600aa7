"""Components of products over HTTP."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from core import Api
from core.for_natives import Removed, removed

from ...setup.responses import ACTION, action_result
from ..models import Association, Product
from ..products import products
from ..subproducts import associations

ProductRecord = Annotated[dict[str, Any], Product]
ComponentRecord = Annotated[dict[str, Any], Association]


class Subproducts(Api):
    """Components of kits."""

    def of_product(self, id: int) -> list[ComponentRecord]:
        """List the components of a product.

        Returns direct components only.

        :url: GET ../products/{id}/subproducts
        :permission: products.read
        """
        return associations.of(id)

    def add(self, id: int, subproduct_id: int, qty: Decimal, incdec: int = 1) -> Annotated[ProductRecord | int, ACTION]:
        """Add a component to a product.

        Changes the quantity of an existing component.

        :url: POST ../products/{id}/subproducts/add
        :param subproduct_id: component ID
        :param qty: quantity per product, above 0
        :param incdec: {@values 1 its stock moves with the product's, 0 it does not} {@min 0} {@max 1}
        :raises NotFound: no such product
        :raises Refused: it would contain itself
        :raises PreconditionFailed: `If-Match` doesn't match
        :permission: products.write
        """
        associations.put(id, subproduct_id, qty, incdec == 1)
        return action_result(lambda: products.read(id))

    def remove(self, id: int, subproduct_id: int) -> Removed:
        """Remove a component from a product.

        :url: DELETE ../products/{id}/subproducts/remove/{subproduct_id}
        :permission: products.write
        """
        associations.take(id, subproduct_id)
        return removed("Component removed")
