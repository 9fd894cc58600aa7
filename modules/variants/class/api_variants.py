"""Variants of products over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from core import Crud, Part, warn
from core.for_natives import Removed

from ...products.products import products
from ...setup.responses import ACTION, action_result
from ..models import Feature, Variant
from ..variants import NewVariant, variants

VariantBody = Annotated[dict[str, Any], Variant]
VariantRecord = Annotated[dict[str, Any], Variant, Part("attributes", Feature)]


class Variants(Crud):
    """Products that differ from a parent product, for example in colour.

    A variant has its own product, with its own price and stock.
    """

    path = "products/variants"
    records = variants
    without = ("index", "post")
    refusals = {"delete": "something uses its product"}

    def of_product(self, id: int, includestock: bool = False) -> list[VariantRecord]:
        """List the variants of a product.

        :url: GET ../products/{id}/variants
        :param includestock: no effect
        :permission: read
        """
        if includestock:
            warn("ignored: includestock, because the stock of a variant is that of its product `fk_product_child`")
        return variants.of(id)

    def of_product_ref(self, ref: str) -> list[VariantRecord]:
        """List the variants of a product by reference.

        :url: GET ../products/ref/{ref}/variants
        :permission: read
        """
        return variants.of(products.read(ref, "ref")["id"])

    def get(self, id: int) -> VariantRecord:
        """Read a variant."""
        return variants.read(id)

    def create(self, id: int, wanted: NewVariant) -> int:
        """Create a variant of a product.

        Also creates its product from the parent. Surcharges are added to price and weight, value names to the label.

        :url: POST ../products/{id}/variants
        :raises Refused: it has this variant or is one, or the reference is used
        :permission: write
        """
        return variants.add(id, wanted)

    def post_by_ref(self, ref: str, wanted: NewVariant) -> int:
        """Create a variant of a product by reference.

        :url: POST ../products/ref/{ref}/variants
        :raises Refused: it has this variant or is one, or the reference is used
        :permission: write
        """
        return variants.add(products.read(ref, "ref")["id"], wanted)

    def put(  # type: ignore[override]
        self, id: int, request_data: VariantBody
    ) -> Annotated[VariantRecord | int, ACTION]:
        """Update a variant's price and weight surcharge.

        Its product changes as well.
        """
        variants.change(id, request_data)
        return action_result(lambda: variants.read(id))

    def patch(  # type: ignore[override]
        self, id: int, request_data: VariantBody
    ) -> Annotated[VariantRecord | int, ACTION]:
        """Change some fields of a variant.

        Its product changes as well.
        """
        return self.put(id, request_data)

    def delete(self, id: int) -> Removed:
        """Delete a variant and its product."""
        return super().delete(id)
