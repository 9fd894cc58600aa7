"""Warehouses over HTTP."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from core import Crud, ListQuery

from ...products.models import StockPlace
from ..models import ProductStock
from ..warehouses import warehouses

StockRecord = Annotated[dict[str, Any], ProductStock]


class Places(TypedDict):
    """The warehouses that hold a product."""

    stock_warehouses: Annotated[dict[str, StockPlace], "quantity by warehouse"]


class Warehouses(Crud):
    """Places where stock is kept.

    Stock follows from `/stockmovements`. In a closed warehouse (`statut` 0), nothing moves.
    """

    group = "Goods"

    records = warehouses
    refusals = {
        "post": "the label is already used",
        "put patch": "the label is already used, or the parent is inside the warehouse",
        "delete": "it holds or has held stock, or a product, an order or another warehouse refers to it",
    }

    def products(self, id: int, query: ListQuery) -> list[StockRecord]:
        """List the products in a warehouse.

        Includes products held earlier. In filters, `p.` is the product.

        :url: GET {id}/products
        :permission: warehouses.read and products.read
        """
        return warehouses.products_of(id, query)

    def stock_of_product(self, id: int, selected_warehouse_id: int | None = None) -> Places:
        """Read the stock of a product.

        Returns the quantity in each warehouse.

        :url: GET ../products/{id}/stock
        :raises NotFound: no such product; in the profile dolibarr16 also, no warehouse holds it
        :permission: products.read and warehouses.read
        """
        return warehouses.places_of(id, selected_warehouse_id)  # type: ignore[return-value]
