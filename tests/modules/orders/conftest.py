"""A customer and orders."""

import pytest

from tests.modules.orders.orders import DAY, LINE, MORE


@pytest.fixture
def make(admin, customer):
    """Create an order; `state` brings it there."""

    def make(*lines, state=0, **fields):
        date = {} if "date" in fields or "date_commande" in fields else {"date": DAY}
        body = {"socid": customer, "lines": list(lines), **date, **fields}
        identifier = admin.ask("POST", "/orders", body)
        assert isinstance(identifier, int)
        bring(admin, identifier, state)
        return identifier

    return make


def bring(client, identifier, state):
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
def offer(admin, customer):
    """Create a proposal with two lines."""

    def make(**fields):
        body = {"socid": customer, "date": "2025-01-15", "lines": [LINE, MORE], **fields}
        return admin.ask("POST", "/proposals", body)

    return make
