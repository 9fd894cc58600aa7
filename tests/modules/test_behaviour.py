"""A sample of the sentences in `modules/BEHAVIOUR.md`, as calls."""

from __future__ import annotations

from core import settings
from core.testing import Client, Served


def test_what_calls_answer(sample_server: Served) -> None:
    client: Client = sample_server.client()
    assert settings().profile.name == "specification"
    assert client.refused("GET", "/orders/0", status=400).endswith("Order ID is mandatory")
    client.get("/orders/abc", status=400)
    client.get("/orders", page=-1)
    client.get("/orders", limit=-1, status=400)
    client.get("/orders", limitt=1)
    client.get("/orders", properties="nothing", status=200)
    client.ask("POST", "/orders", {"socid": 777, "date": "2026-11-21"}, status=404)
    client.get("/documents", modulepart="nothing", id=1, status=400)
    client.get("/documents/download", modulepart="order", original_file="../x", status=400)
    customer = client.ask("POST", "/thirdparties", {"name": "Told", "client": 1, "phone": "01.02 03"})
    assert client.get(f"/thirdparties/{customer}")["phone"] == "010203"
    client.ask("POST", "/orders", {"socid": customer, "date": "20261121"}, status=400)
    client.ask("GET", "/invoices?status=unpayed", status=400)
    for sent, day in (("2026-11-21", 1795219200), ("2026-11-21T23:30:00-05:00", 1795219200)):
        order = client.ask("POST", "/orders", {"socid": customer, "date": sent})
        assert client.get(f"/orders/{order}")["date"] == day
