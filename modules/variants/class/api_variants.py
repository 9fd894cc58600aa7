"""Variants of products over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from core import Api, Part, warn

from ...answers.deeds import ACTION, Removed, acted, removed
from ...products.products import products
from ..models import Feature, Variant
from ..variants import NewVariant, variants

VariantBody = Annotated[dict[str, Any], Variant]
VariantRecord = Annotated[dict[str, Any], Variant, Part("attributes", Feature)]


class Variants(Api):
    """Products that differ from a parent in colour, say, and have a price and a stock of their own.

    A variant's product is sold, bought and kept like any other.
    """

    def of_product(self, id: int, includestock: bool = False) -> list[VariantRecord]:
        """List the variants of a product, each with its features in `attributes`.

        :url: GET ../products/{id}/variants
        :param id: row identifier of the product
        :param includestock: without effect; the stock of a variant is that of its product
        :raises NotFound: there is no such product
        :permission: products.read
        """
        if includestock:
            warn("ignored: includestock, because the stock of a variant is that of its product `fk_product_child`")
        return variants.of(id)

    def of_product_ref(self, ref: str) -> list[VariantRecord]:
        """List the variants of the product with a reference.

        :url: GET ../products/ref/{ref}/variants
        :param ref: reference of the product
        :raises NotFound: there is no such product
        :permission: products.read
        """
        return variants.of(products.read(ref, "ref")["id"])

    def get(self, id: int) -> VariantRecord:
        """Read a variant.

        :url: GET ../products/variants/{id}
        :param id: row identifier of the variant
        :raises NotFound: there is no such variant
        :permission: products.read
        """
        return variants.read(id)

    def post(self, id: int, wanted: NewVariant) -> int:
        """Make a variant of a product, with a product of its own; answers the variant's identifier.

        The new product has type, VAT, unit, state and extra fields of the parent, its price and weight with what the
        variant has more, and the words of the values in its label.

        :url: POST ../products/{id}/variants
        :param id: row identifier of the product
        :raises BadRequest: a value is missing or does not fit
        :raises NotFound: there is no such product or attribute, or the attribute has no such value
        :raises Refused: the product has this variant, is one itself, or the reference is already used
        :permission: products.write
        """
        return variants.add(id, wanted)

    def post_by_ref(self, ref: str, wanted: NewVariant) -> int:
        """Make a variant of the product with a reference; answers the variant's identifier.

        :url: POST ../products/ref/{ref}/variants
        :param ref: reference of the product
        :raises BadRequest: a value is missing or does not fit
        :raises NotFound: there is no such product or attribute, or the attribute has no such value
        :raises Refused: the product has this variant, is one itself, or the reference is already used
        :permission: products.write
        """
        return variants.add(products.read(ref, "ref")["id"], wanted)

    def put(self, id: int, request_data: VariantBody) -> Annotated[VariantRecord | int, ACTION]:
        """Change what a variant costs and weighs more; its product follows.

        :url: PUT ../products/variants/{id}
        :url: PATCH ../products/variants/{id}
        :param id: row identifier of the variant
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such variant
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: products.write
        """
        variants.change(id, request_data)
        return acted(lambda: variants.read(id))

    def delete(self, id: int) -> Removed:
        """Delete a variant and its product.

        :url: DELETE ../products/variants/{id}
        :param id: row identifier of the variant
        :raises NotFound: there is no such variant
        :raises Refused: something uses its product, such as a line
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: products.delete
        """
        variants.delete(id)
        return removed("Variant deleted")
