"""Products and services over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from core import Api, ListQuery

from ...answers.deeds import Removed, removed
from ..including import NOTHING, Including
from ..models import Product
from ..products import products

ProductRecord = Annotated[dict[str, Any], Product]


class Products(Api):
    """Products and services that are sold or bought, with their prices.

    Their stock follows from `/stockmovements`; `stock_reel` is for those who hold warehouses.read.
    What suppliers ask for them, and what customers pay who have a price of their own, is below `/products/{id}`.
    """

    records = products

    def index(
        self, query: ListQuery, mode: int = 0, ids_only: bool = False, category: int = 0, variant_filter: int = 0,
        includestockdata: bool = False,
    ) -> list[ProductRecord] | list[Annotated[int, Product.id]]:  # fmt: skip
        """List products and services, by reference.

        :param mode: {@values 0 all, 1 products, 2 services} {@min 0} {@max 2}
        :param ids_only: answer identifiers in place of records
        :param category: only those in this category; categories below it are left out {@min 0} {@max 2147483647}
        :param variant_filter: {@values 0 all, 1 neither variants nor with variants, 2 with variants, 3 variants}
            {@min 0} {@max 3}
        :param includestockdata: with `stock_warehouse` and `stock_theorique`; needs the right warehouses.read
        :raises BadRequest: a filter cannot be used, or is not served
        :permission: products.read
        """
        return products.listed(
            query, mode, ids_only=ids_only, category=category, variant_filter=variant_filter, stock=includestockdata
        )

    def get(self, id: int, including: Including = NOTHING) -> ProductRecord:
        """Read one product.

        :param id: row identifier of the product
        :raises NotFound: there is no such product
        :permission: products.read
        """
        return including.read(id)

    def get_by_ref(self, ref: str, including: Including = NOTHING) -> ProductRecord:
        """Read a product by its reference.

        :url: GET ref/{ref}
        :param ref: reference of the product
        :raises NotFound: there is no such product
        :permission: products.read
        """
        return including.read(ref, "ref")

    def get_by_ref_ext(self, ref_ext: str, including: Including = NOTHING) -> ProductRecord:
        """Read a product by its reference in another system.

        :url: GET ref_ext/{ref_ext}
        :param ref_ext: reference of the product in another system
        :raises NotFound: there is no such product
        :raises Conflict: several products have it
        :permission: products.read
        """
        return including.read(ref_ext, "ref_ext")

    def get_by_barcode(self, barcode: str, including: Including = NOTHING) -> ProductRecord:
        """Read a product by its barcode.

        :url: GET barcode/{barcode}
        :param barcode: barcode of the product
        :raises NotFound: there is no such product
        :permission: products.read
        """
        return including.read(barcode, "barcode")

    def post(self, request_data: ProductRecord) -> int:
        """Create a product or service; answers its identifier.

        `ref` takes `auto` for the next one where a mask is set for it. Send `price`, or `price_ttc` with
        `price_base_type` TTC: the other one follows from `tva_tx`, and likewise `price_min`. Prices are rounded to 5
        decimal places (MAIN_MAX_DECIMALS_UNIT). A price may be negative, a discount; `price_min` is not above `price`
        unless one of them is 0. A duration is sent as `duration_value` and `duration_unit`, one of s, i (minute), h,
        d, w, m, y.

        :raises BadRequest: a field is missing or does not fit; all of them are named
        :raises NotFound: there is no such unit
        :raises Refused: a reference or barcode is already used
        :permission: products.write
        """
        return products.create(request_data)

    def put(self, id: int, request_data: ProductRecord) -> ProductRecord:
        """Change a product: the fields that are sent; `array_options`, when sent, replaces all extra fields.

        Where only one of `price` and `price_ttc` is changed the other one follows; where both are, or the rate alone,
        `price_base_type` says which one counts.

        :param id: row identifier of the product
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such product, or no such unit
        :raises Refused: a reference or barcode is already used
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: products.write
        """
        products.change(id, request_data)
        return products.read(id)

    def patch(self, id: int, request_data: ProductRecord) -> ProductRecord:
        """Change a product: the fields that are sent, extra fields one by one.

        :param id: row identifier of the product
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such product, or no such unit
        :raises Refused: a reference or barcode is already used
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: products.write
        """
        products.change(id, request_data, merge_extras=True)
        return products.read(id)

    def delete(self, id: int) -> Removed:
        """Delete a product that nothing uses.

        :param id: row identifier of the product
        :raises NotFound: there is no such product
        :raises Refused: something uses it, such as a line
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: products.delete
        """
        products.delete(id)
        return removed("Product deleted")
