"""The same in the profile `dolibarr16`; expected values: what release 16.0.3 was seen to answer."""

import pytest

from tests.modules.values import Trade


@pytest.fixture(scope="module")
def trade(old_server):
    return Trade(old_server.client())


def test_lines_tell_what_was_recorded(trade):
    # The discount of one unit is rounded to cents: 19.99 - 2.00
    for service in ("orders", "proposals"):
        assert trade.lines(service, "price") == [("17.99",), ("100",), ("12.5",)]
        assert trade.lines(service, "weight", "weight_units")[:2] == [(None, None), ("1.5", "0")]
    assert trade.lines("orders", "product_tosell", "product_tobuy")[:2] == [(None, None), ("1", "1")]
    assert trade.lines("proposals", "product_tosell", "product_tobatch")[1] == (None, "0")
    names = ("price", "product_tosell", "weight", "volume")
    assert trade.lines("invoices", *names) == [(None,) * 4] * 3


def test_rights_are_an_object(old_server, trade):
    nothing = {"user": {"user": {}, "self": {}, "user_advance": {}, "self_advance": {}, "group_advance": {}}}
    rights = ("users.read", "proposals.read", "proposals.write", "contacts.delete", "thirdparties.all", "orders.close")
    caller = old_server.user(*rights)
    assert caller.get("/users/info")["rights"] == nothing
    assert [each["rights"] for each in trade.client.get("/users", limit=1)] == [nothing]
    assert caller.get("/users/info", includepermissions=1)["rights"] == nothing | {
        "user": nothing["user"] | {"user": {"lire": 1}},
        "propal": {"lire": 1, "creer": 1},
        "societe": {"contact": {"supprimer": 1}, "client": {"voir": 1}},
        "commande": {"order_advance": {"close": 1}},
    }


def test_discounts_of_a_third_party_tell_row_and_type(trade):
    lines = [{"desc": "Back", "qty": 1, "subprice": 10}]
    body = {"socid": trade.customer, "type": 2, "date": "2026-11-21", "lines": lines}
    source = trade.client.ask("POST", "/invoices", body)
    trade.client.ask("POST", f"/invoices/{source}/validate")
    trade.client.ask("POST", f"/invoices/{source}/markAsCreditAvailable")
    found = trade.client.get(f"/thirdparties/{trade.customer}/fixedamountdiscounts")[0]
    assert (found["rowid"], found["factype"]) == (found["id"], "2")
