"""Products and services over HTTP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from core import Crud, ListQuery

from ..models import IS_VARIANT, Product
from ..products import products, stocked_products
from ..subproducts import associations


@dataclass(frozen=True)
class Including:
    """Further parts of a product that is read.

    :param includestockdata: include stock; needs `warehouses.read`
    :param includesubproducts: include `sousprods`
    :param includeparentid: include `fk_product_parent`
    :param includetrans: no effect
    """

    includestockdata: bool = False
    includesubproducts: bool = False
    includeparentid: bool = False
    includetrans: bool = False

    def read(self, value: Any, by: str = "") -> dict[str, Any]:
        """A product with what is asked for."""
        record = (stocked_products if self.includestockdata else products).read(value, by)
        if self.includesubproducts:
            record = {**record, "sousprods": associations.every({"fk_product_pere": record["id"]})}
        if self.includeparentid:
            is_variant = int(record["variant_role"]) == IS_VARIANT
            record = {**record, "fk_product_parent": record["fk_parent"] if is_variant else None}
        return record


NOTHING = Including()


ProductRecord = Annotated[dict[str, Any], Product]


class Products(Crud):
    """Products and services that you sell or buy, with their prices.

    Stock follows from `/stockmovements`; `stock_reel` needs `warehouses.read`.
    """

    group = "Goods"

    records = products
    refusals = {
        "post put patch": "a reference or barcode is already used",
        "delete": "something uses it, such as a line",
    }

    def index(  # type: ignore[override]
        self, query: ListQuery, mode: int = 0, ids_only: bool = False, category: int = 0, variant_filter: int = 0,
        includestockdata: bool = False,
    ) -> list[ProductRecord] | list[Annotated[int, Product.id]]:  # fmt: skip
        """List products and services.

        :param mode: {@values 0 all, 1 products, 2 services} {@min 0} {@max 2}
        :param category: excludes subcategories {@min 0} {@max 2147483647}
        :param variant_filter: {@values 0 all, 1 neither variants nor with variants, 2 with variants, 3 variants} {@min
            0} {@max 3}
        :param includestockdata: include stock; needs `warehouses.read`
        """
        return products.listed(
            query, mode, ids_only=ids_only, category=category, variant_filter=variant_filter, stock=includestockdata
        )

    def get(self, id: int, including: Including = NOTHING) -> ProductRecord:
        """Read a product."""
        return including.read(id)

    def get_by_ref(self, ref: str, including: Including = NOTHING) -> ProductRecord:
        """Read a product by reference.

        :url: GET ref/{ref}
        :permission: read
        """
        return including.read(ref, "ref")

    def get_by_ref_ext(self, ref_ext: str, including: Including = NOTHING) -> ProductRecord:
        """Read a product by external reference.

        :url: GET ref_ext/{ref_ext}
        :raises Conflict: several have it
        :permission: read
        """
        return including.read(ref_ext, "ref_ext")

    def get_by_barcode(self, barcode: str, including: Including = NOTHING) -> ProductRecord:
        """Read a product by barcode.

        :url: GET barcode/{barcode}
        :permission: read
        """
        return including.read(barcode, "barcode")

    def post(self, request_data: ProductRecord) -> int:
        """Create a product or service.

        Send `price`, or `price_ttc` with `price_base_type` TTC. `ref` `auto` takes the next reference if a numbering
        mask is set.
        """
        return products.create(request_data)

    def put(self, id: int, request_data: ProductRecord) -> ProductRecord:
        """Update a product.

        `array_options` replaces all extra fields. If only one of `price` and `price_ttc` changes, the other follows.
        """
        products.change(id, request_data)
        return products.read(id)
