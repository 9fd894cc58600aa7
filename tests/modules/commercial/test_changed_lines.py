"""The event `lines_changed`: other modules can refuse a total, also if code adds the lines."""

import importlib

import pytest

LIMIT = """
from decimal import Decimal

from core import Refused, on, warn

@on("orders.created", when="before")
@on("orders.lines_changed", when="before")
def limit(record):
    if Decimal(record["total_ttc"]) > 100:
        raise Refused(f"{record['total_ttc']} with {len(record['lines'])} lines is too much", reason="limit")

@on("any.lines_changed", when="after")
def tell(service, record):
    warn(f"{service} {record['total_ttc']}")
"""
TOO_MUCH = "110.00000000 with 2 lines is too much"


@pytest.fixture
def order(serve, write, folder):
    """Return an administrator, and an order of 60.00 with the limit 100."""
    write("limits/events.py", LIMIT)
    admin = serve(modules=str(folder)).client()
    customer = admin.ask("POST", "/thirdparties", {"name": "Acme", "client": 1})
    body = {"socid": customer, "date": "2026-11-30", "lines": [line("60")]}
    return admin, admin.ask("POST", "/orders", body)


def line(price):
    return {"desc": "Desk", "qty": 1, "subprice": price, "tva_tx": "0"}


def test_lines_are_refused_by_their_total(order):
    admin, number = order
    lines = f"/orders/{number}/lines"
    error = admin.ask("POST", lines, line("50"), status=405)["error"]
    assert (error["reason"], TOO_MUCH in error["message"]) == ("limit", True)
    admin.ask("POST", lines, line("40"))
    (first, second) = (each["id"] for each in admin.get(lines))
    assert admin.ask("PUT", f"{lines}/{second}", line("50"), status=405)
    assert admin.get(f"/orders/{number}")["total_ttc"] == "100.00000000"
    admin.ask("DELETE", f"{lines}/{first}")
    admin.ask("PUT", f"{lines}/{second}", line("100"))
    assert admin.get(f"/orders/{number}")["total_ttc"] == "100.00000000"


def test_code_of_another_module_is_refused_as_well(order):
    from core import Refused

    admin, number = order
    orders = importlib.import_module("modules.orders.orders").orders
    with pytest.raises(Refused, match=TOO_MUCH):
        orders.add_lines(number, [line("50")])
    assert len(admin.get(f"/orders/{number}/lines")) == 1


def test_each_change_is_told_once(order):
    admin, number = order
    answer = admin.simulate_post(f"/orders/{number}/lines", json=line("10"))
    assert [each for each in answer.headers["warning"].split(", ") if "orders" in each] == [
        '299 comptoir "orders 70.00000000"'
    ]
    # What changes nothing isn't told
    (last,) = (each for each in admin.get(f"/orders/{number}/lines") if each["subprice"] == "10.00000000")
    answer = admin.simulate_patch(f"/orders/{number}/lines/{last['id']}", json={"qty": "1"})
    assert "warning" not in answer.headers
