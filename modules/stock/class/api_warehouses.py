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
    """The warehouses that hold a product."""

    stock_warehouses: Annotated[dict[str, StockPlace], "quantity by warehouse"]


class Warehouses(Api):
    """Places where stock is kept.

    The stock of a warehouse follows from `/stockmovements`. A warehouse can be part of another one (`fk_parent`). In a
    closed warehouse (`statut` 0), nothing moves.
    """

    records = warehouses
    bulk_create = True

    def index(self, query: ListQuery) -> list[WarehouseRecord]:
        """List warehouses.

        :permission: warehouses.read
        """
        return warehouses.page(query)

    def get(self, id: int) -> WarehouseRecord:
        """Read a warehouse.

        :param id: ID of the warehouse
        :raises NotFound: there is no such warehouse
        :permission: warehouses.read
        """
        return warehouses.read(id)

    def post(self, request_data: WarehouseRecord) -> int:
        """Create a warehouse.

        Returns the warehouse's ID.

        :raises BadRequest: missing or invalid fields; the response lists all of them
        :raises NotFound: there is no such parent
        :raises Refused: the label is already used
        :permission: warehouses.write
        """
        return warehouses.create(request_data)

    def put(self, id: int, request_data: WarehouseRecord) -> WarehouseRecord:
        """Update a warehouse and replace its extra fields.

        Fields you don't send stay as they are. `array_options`, if sent, replaces all extra fields.

        :param id: ID of the warehouse
        :raises BadRequest: invalid fields; the response lists all of them
        :raises NotFound: there is no such warehouse, or no such parent
        :raises Refused: the label is already used, or the parent is inside the warehouse
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
        :permission: warehouses.write
        """
        warehouses.change(id, request_data)
        return warehouses.read(id)

    def patch(self, id: int, request_data: WarehouseRecord) -> WarehouseRecord:
        """Update a warehouse.

        Fields and extra fields you don't send stay as they are.

        :param id: ID of the warehouse
        :raises BadRequest: invalid fields; the response lists all of them
        :raises NotFound: there is no such warehouse, or no such parent
        :raises Refused: the label is already used, or the parent is inside the warehouse
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
        :permission: warehouses.write
        """
        warehouses.change(id, request_data, merge_extras=True)
        return warehouses.read(id)

    def delete(self, id: int) -> Removed:
        """Delete an unused warehouse.

        A warehouse that has ever held stock, or one that other records refer to, can't be deleted.

        :param id: ID of the warehouse
        :raises NotFound: there is no such warehouse
        :raises Refused: it holds or has held stock, or a product, an order or another warehouse refers to it
        :raises PreconditionFailed: `If-Match` doesn't match: the record has changed
        :permission: warehouses.delete
        """
        warehouses.delete(id)
        return removed("Warehouse deleted")

    def products(self, id: int, query: ListQuery) -> list[StockRecord]:
        """List the products in a warehouse.

        Includes products it held earlier. In filters, `p.` refers to the product.

        :url: GET {id}/products
        :param id: ID of the warehouse
        :raises NotFound: there is no such warehouse
        :permission: warehouses.read and products.read
        """
        return warehouses.products_of(id, query)

    def stock_of_product(self, id: int, selected_warehouse_id: int | None = None) -> Places:
        """Read the stock of a product.

        Returns the quantity in each warehouse.

        :url: GET ../products/{id}/stock
        :param id: ID of the product
        :param selected_warehouse_id: only in this warehouse
        :raises NotFound: there is no such product; in the profile dolibarr16 also, no warehouse holds it
        :permission: products.read and warehouses.read
        """
        return warehouses.places_of(id, selected_warehouse_id)  # type: ignore[return-value]
