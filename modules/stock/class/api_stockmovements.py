"""Movements of goods over HTTP."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from core import Api, ListQuery

from ...answers.deeds import ACTION, acted
from ..models import StockMovement
from ..movements import stock_movements, transfer

MovementRecord = Annotated[dict[str, Any], StockMovement]


class StockMovements(Api):
    """Goods that come into warehouses and go out of them. What lies there is the sum of these, always.

    A movement is never changed and never deleted; what was wrong is undone by another one. More may go out than there
    is unless the constant STOCK_ALLOW_NEGATIVE_TRANSFER is 0.
    """

    records = stock_movements

    def index(self, query: ListQuery) -> list[MovementRecord]:
        """List movements; filters may name the product's fields as `p.`, the warehouse's as `e.`.

        :permission: stockmovements.read
        """
        return stock_movements.page(query)

    def get(self, id: int) -> MovementRecord:
        """Read one movement.

        :param id: row identifier of the movement
        :raises NotFound: there is no such movement
        :permission: stockmovements.read
        """
        return stock_movements.read(id)

    def post(self, request_data: MovementRecord) -> int:
        """Move goods of one product into a warehouse or out of it; answers the identifier of the movement.

        What comes in with a price changes the average price paid, `pmp` of the product.

        :raises BadRequest: a field is missing or does not fit; all of them are named
        :raises NotFound: there is no such product, or no such warehouse
        :raises Refused: the product is a service, the warehouse closed, or there is too little and that is forbidden
        :permission: stockmovements.write
        """
        return stock_movements.create(request_data)

    def transfer(
        self, product_id: int, from_warehouse_id: int, to_warehouse_id: int, qty: Decimal, label: str = "",
        inventorycode: str = "",
    ) -> list[Annotated[int, StockMovement.id]]:  # fmt: skip
        """Bring goods from one warehouse to another; answers the movements out of the one and into the other.

        :url: POST transfer
        :param product_id: the product
        :param from_warehouse_id: where it lies
        :param to_warehouse_id: where it is to lie
        :param qty: how many, above 0
        :param label: why {@max 255}
        :param inventorycode: what movements have in common {@max 128}
        :raises BadRequest: the quantity is not above 0, or both are the same warehouse
        :raises NotFound: there is no such product, or no such warehouse
        :raises Refused: the product is a service, a warehouse closed, or there is too little and that is forbidden
        :permission: stockmovements.write
        """
        return transfer(product_id, from_warehouse_id, to_warehouse_id, qty, label=label, code=inventorycode)

    def undo(self, id: int) -> Annotated[MovementRecord | int, ACTION]:
        """Undo a movement by another one, once; answers that one. Both name each other.

        :url: POST {id}/undo
        :param id: row identifier of the movement
        :raises NotFound: there is no such movement
        :raises Refused: it is undone already, undoes another one, or belongs to a record such as a shipment; or the
            warehouse is closed, or there is too little
        :raises PreconditionFailed: `If-Match` names another state of the record
        :permission: stockmovements.write
        """
        made = stock_movements.undo(id)
        return acted(lambda: stock_movements.read(made), lambda: made)
