"""Warehouses over HTTP."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from core import Api, ListQuery

from ...answers.deeds import Removed, removed
from ...products.models import StockPlace
from ..models import ProductStock, Warehouse
from ..warehouses import warehouses

WarehouseRecord = Annotated[dict[str, Any], Warehouse]
StockRecord = Annotated[dict[str, Any], ProductStock]


class Places(TypedDict):
    """Where a product lies."""

    stock_warehouses: Annotated[dict[str, StockPlace], "quantity by warehouse"]


class Warehouses(Api):
    """Places where goods lie. What lies there follows from `/stockmovements`.

    A warehouse may be a part of another one, `fk_parent`. In one that is closed, `statut` 0, nothing moves.
    """

    records = warehouses

    def index(self, query: ListQuery) -> list[WarehouseRecord]:
        """List warehouses.

        :permission: warehouses.read
        """
        return warehouses.page(query)

    def get(self, id: int) -> WarehouseRecord:
        """Read one warehouse.

        :param id: row identifier of the warehouse
        :raises NotFound: there is no such warehouse
        :permission: warehouses.read
        """
        return warehouses.read(id)

    def post(self, request_data: WarehouseRecord) -> int:
        """Create a warehouse; answers its identifier.

        :raises BadRequest: a field is missing or does not fit; all of them are named
        :raises NotFound: there is no such parent
        :raises Refused: the label is already used
        :permission: warehouses.write
        """
        return warehouses.create(request_data)

    def put(self, id: int, request_data: WarehouseRecord) -> WarehouseRecord:
        """Change a warehouse: the fields that are sent; `array_options`, when sent, replaces all extra fields.

        :param id: row identifier of the warehouse
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such warehouse, or no such parent
        :raises Refused: the label is already used, or the parent is a part of the warehouse
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: warehouses.write
        """
        warehouses.change(id, request_data)
        return warehouses.read(id)

    def patch(self, id: int, request_data: WarehouseRecord) -> WarehouseRecord:
        """Change a warehouse: the fields that are sent, extra fields one by one.

        :param id: row identifier of the warehouse
        :raises BadRequest: a field does not fit; all of them are named
        :raises NotFound: there is no such warehouse, or no such parent
        :raises Refused: the label is already used, or the parent is a part of the warehouse
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: warehouses.write
        """
        warehouses.change(id, request_data, merge_extras=True)
        return warehouses.read(id)

    def delete(self, id: int) -> Removed:
        """Delete a warehouse; only one in which nothing has ever lain, and which nothing names.

        :param id: row identifier of the warehouse
        :raises NotFound: there is no such warehouse
        :raises Refused: goods lie there or have moved there, or a product, an order or another warehouse names it
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: warehouses.delete
        """
        warehouses.delete(id)
        return removed("Warehouse deleted")

    def products(self, id: int, query: ListQuery) -> list[StockRecord]:
        """List the products in a warehouse, now or before; filters name the product's fields as `p.`.

        :url: GET {id}/products
        :param id: row identifier of the warehouse
        :raises NotFound: there is no such warehouse
        :permission: warehouses.read and products.read
        """
        return warehouses.products_of(id, query)

    def stock_of_product(self, id: int, selected_warehouse_id: int | None = None) -> Places:
        """Read the stock of a product: where it lies, and how many.

        :url: GET ../products/{id}/stock
        :param id: row identifier of the product
        :param selected_warehouse_id: only in this warehouse
        :raises NotFound: there is no such product; in the profile dolibarr16 also, it lies nowhere
        :permission: products.read and warehouses.read
        """
        return warehouses.places_of(id, selected_warehouse_id)  # type: ignore[return-value]
