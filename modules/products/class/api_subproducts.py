"""Components of products over HTTP."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from core import Api

from ...answers.deeds import ACTION, Removed, acted, removed
from ..models import Association, Product
from ..products import products
from ..subproducts import associations

ProductRecord = Annotated[dict[str, Any], Product]
ComponentRecord = Annotated[dict[str, Any], Association]


class Subproducts(Api):
    """Components of products: what a kit holds."""

    def of_product(self, id: int) -> list[ComponentRecord]:
        """List the components of a product, those of its components left out.

        `rowid` is the component's identifier.

        :url: GET ../products/{id}/subproducts
        :param id: row identifier of the product
        :raises NotFound: there is no such product
        :permission: products.read
        """
        return associations.of(id)

    def add(self, id: int, subproduct_id: int, qty: Decimal, incdec: int = 1) -> Annotated[ProductRecord | int, ACTION]:
        """Add a component to a product, or say anew how many of it that takes.

        :url: POST ../products/{id}/subproducts/add
        :param id: row identifier of the product
        :param subproduct_id: row identifier of the component
        :param qty: how many of the component one of the product takes, more than 0
        :param incdec: {@values 1 its stock moves along with that of the product, 0 it does not} {@min 0} {@max 1}
        :raises BadRequest: the quantity is 0, below, or too large
        :raises NotFound: one of the products does not exist
        :raises Refused: the product is a component of the other one, or it is the same
        :raises PreconditionFailed: `If-Match` names another state of the association
        :permission: products.write
        """
        associations.put(id, subproduct_id, qty, incdec == 1)
        return acted(lambda: products.read(id))

    def remove(self, id: int, subproduct_id: int) -> Removed:
        """Take a component out of a product.

        :url: DELETE ../products/{id}/subproducts/remove/{subproduct_id}
        :param id: row identifier of the product
        :param subproduct_id: row identifier of the component
        :raises NotFound: there is no such product, or it has no such component
        :raises PreconditionFailed: `If-Match` names another state of the association
        :permission: products.write
        """
        associations.take(id, subproduct_id)
        return removed("Component removed")
