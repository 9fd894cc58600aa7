"""Stock movements over HTTP."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from core import Crud, ListQuery

from ...setup.responses import ACTION, action_result
from ..models import StockMovement
from ..movements import stock_movements, transfer

MovementRecord = Annotated[dict[str, Any], StockMovement]


class StockMovements(Crud):
    """Stock moving in and out of warehouses.

    Stock is the sum of its movements. Stock may become negative unless STOCK_ALLOW_NEGATIVE_TRANSFER is 0.
    """

    group = "Goods"

    records = stock_movements
    noun = "stock movement"
    without = ("put", "patch", "delete")

    def index(self, query: ListQuery) -> list[MovementRecord]:
        """List stock movements.

        In filters, `p.` is the product and `e.` the warehouse.
        """
        return stock_movements.page(query)

    def post(self, request_data: MovementRecord) -> int:
        """Create a stock movement.

        Incoming goods with a price change the product's average purchase price (`pmp`).

        :raises NotFound: no such product or warehouse
        :raises Refused: a service, a closed warehouse or too little stock
        """
        return stock_movements.create(request_data)

    def transfer(
        self, product_id: int, from_warehouse_id: int, to_warehouse_id: int, qty: Decimal, label: str = "",
        inventorycode: str = "",
    ) -> list[Annotated[int, StockMovement.id]]:  # fmt: skip
        """Transfer stock between warehouses.

        Returns the outgoing and the incoming movement.

        :url: POST transfer
        :param product_id: product
        :param from_warehouse_id: warehouse that the goods leave
        :param to_warehouse_id: warehouse that the goods enter
        :param qty: above 0
        :param label: reason {@max 255}
        :param inventorycode: code of related movements {@max 128}
        :raises NotFound: no such product or warehouse
        :raises Refused: a service, a closed warehouse or too little stock
        :permission: write
        """
        return transfer(product_id, from_warehouse_id, to_warehouse_id, qty, label=label, code=inventorycode)

    def undo(self, id: int) -> Annotated[MovementRecord | int, ACTION]:
        """Reverse a stock movement.

        Returns the reversing movement.

        :url: POST {id}/undo
        :raises Refused: it is reversed, a reversal or part of a record; a closed warehouse or too little stock
        :permission: write
        """
        made = stock_movements.undo(id)
        return action_result(lambda: stock_movements.read(made), lambda: made)
