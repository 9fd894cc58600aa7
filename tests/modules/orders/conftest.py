"""A customer and orders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.testing import Client
from tests.modules.orders.orders import DAY, LINE, MORE


@pytest.fixture(scope="module")
def customer(admin: Client) -> int:
    return admin.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})  # type: ignore[no-any-return]


@pytest.fixture
def make(admin: Client, customer: int) -> Callable[..., int]:
    """Create an order; `state` brings it there."""

    def make(*lines: dict[str, Any], state: int = 0, **fields: Any) -> int:
        date = {} if "date" in fields or "date_commande" in fields else {"date": DAY}
        body = {"socid": customer, "lines": list(lines), **date, **fields}
        identifier = admin.ask("POST", "/orders", body)
        assert isinstance(identifier, int)
        bring(admin, identifier, state)
        return identifier

    return make


def bring(client: Client, identifier: int, state: int) -> None:
    """Bring a draft to a state."""
    for move in {0: (), 1: ("validate",), 2: ("validate",), 3: ("validate", "close"), -1: ("validate", "cancel")}[
        state
    ]:
        client.ask("POST", f"/orders/{identifier}/{move}")
    if state == 2:
        place = client.ask("POST", "/warehouses", {"label": f"Where order {identifier} leaves"})
        shipment = client.ask("POST", f"/orders/{identifier}/shipment/{place}")
        client.ask("POST", f"/shipments/{shipment}/validate")


@pytest.fixture
def offer(admin: Client, customer: int) -> Callable[..., int]:
    """Create a proposal with two lines."""

    def make(**fields: Any) -> int:
        body = {"socid": customer, "date": "2025-01-15", "lines": [LINE, MORE], **fields}
        return admin.ask("POST", "/proposals", body)  # type: ignore[no-any-return]

    return make
