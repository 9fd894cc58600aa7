"""Orders in the profile `dolibarr16`; expected values: what release 16.0.3 was seen to answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.testing import Client, Served

#: midnight UTC of 2026-11-21
DAY = 1795219200
LINES = [
    {"desc": "free line", "qty": 3, "subprice": "19.99", "tva_tx": "20", "remise_percent": 10, "product_type": 0},
    {"desc": "product line", "qty": 2, "subprice": 100, "tva_tx": "5.5", "product_type": 0},
]


@pytest.fixture(scope="module")
def old(old_server: Served) -> Client:
    return old_server.client()


@pytest.fixture(scope="module")
def customer(old: Client) -> int:
    return old.ask("POST", "/thirdparties", {"name": "Customer Ltd", "client": 1})  # type: ignore[no-any-return]


@pytest.fixture
def make(old: Client, customer: int) -> Callable[..., int]:
    def make(*moves: str, **fields: Any) -> int:
        identifier = old.ask("POST", "/orders", {"socid": customer, "date": DAY, "lines": LINES, **fields})
        # A created id is a bare integer in both profiles
        assert isinstance(identifier, int)
        for move in moves:
            old.ask("POST", f"/orders/{identifier}/{move}")
        return identifier

    return make


def test_an_empty_list_is_missing(old: Client, make: Any) -> None:
    assert old.refused("GET", "/orders", status=404) == "Not Found: No order found"
    identifier = make(lines=[])
    assert old.get(f"/orders/{identifier}/lines") == []
    assert old.get(f"/orders/{identifier}/contacts") == []
    assert old.refused("GET", "/orders", status=404, params={"page": "9"}) == "Not Found: No order found"


def test_put_merges(old: Client, make: Any) -> None:
    for name in ("site", "floor"):
        old.ask("POST", f"/setup/extrafields/commande/{name}", {"label": name, "type": "varchar"})
    try:
        extras = {"options_site": "Lyon", "options_floor": "3"}
        path = f"/orders/{make(ref_client='C', note_private='private', array_options=extras)}"
        # As release 16 answered
        sent = {"ref_client": "CUST-REF", "note_public": "new", "delivery_date": 1796000000, "availability_id": 1}
        put = old.ask("PUT", path, sent)
        assert (put["ref_client"], put["note_public"], put["note_private"]) == ("CUST-REF", "new", "private")
        assert (put["delivery_date"], put["availability_id"], put["date"]) == (1796000000, "1", DAY)
        assert put["array_options"] == extras
        put = old.ask("PUT", path, {"array_options": {"options_floor": "4"}})
        assert (put["array_options"], put["ref_client"]) == (
            {"options_site": None, "options_floor": "4"},
            "CUST-REF",
        )
        patched = old.ask("PATCH", path, {"array_options": {"options_site": "Nice"}})
        assert patched["array_options"] == {"options_site": "Nice", "options_floor": "4"}
    finally:
        for name in ("site", "floor"):
            old.ask("DELETE", f"/setup/extrafields/commande/{name}")


def test_put_of_a_line_resets_and_patch_keeps(old: Client, make: Any) -> None:
    identifier = make()
    first, second = (line["id"] for line in old.get(f"/orders/{identifier}")["lines"])
    old.ask("PUT", f"/orders/{identifier}/lines/{first}", {"qty": 5})
    lines = old.ask("PATCH", f"/orders/{identifier}/lines/{second}", {"qty": 5})["lines"]
    shown = ("qty", "subprice", "tva_tx", "total_ht", "total_ttc", "product_type")
    # As release 16 answered; 5 × 100 = 500, VAT 27.50
    assert [lines[0][name] for name in shown] == ["5", "0.00000000", "0.0000", "0.00000000", "0.00000000", "0"]
    assert [lines[1][name] for name in shown] == ["5", "100.00000000", "5.5000", "500.00000000", "527.50000000", "0"]
    assert not lines[0]["desc"] and lines[1]["desc"] == "product line"


REPEATED = [
    (("validate",), "validate"), (("validate", "close"), "close"), (("validate",), "reopen"), ((), "settodraft"),
    (("validate", "cancel"), "cancel"), (("validate", "setinvoiced"), "setinvoiced"),
]  # fmt: skip


@pytest.mark.parametrize("moves, again", REPEATED, ids=[again for _, again in REPEATED])
def test_a_repeated_action_is_304(old: Client, make: Any, moves: tuple[str, ...], again: str) -> None:
    identifier = make(*moves)
    before = old.get(f"/orders/{identifier}")
    assert old.ask("POST", f"/orders/{identifier}/{again}", status=304) is None
    assert old.get(f"/orders/{identifier}") == before


def test_refusals(old: Client, make: Any) -> None:
    identifier = make()
    assert old.refused("POST", "/orders", {"socid": 1}, status=400) == "Bad Request: date field missing"
    assert old.refused("GET", "/orders/ref/NOSUCH", status=404) == "Not Found: Order not found"
    old.refused("POST", "/orders/createfromproposal/0", status=400)
    for move in ("close", "setinvoiced", "reopen", "cancel"):
        old.refused("POST", f"/orders/{identifier}/{move}", status=405)
    assert old.get(f"/orders/{identifier}")["statut"] == "0"
