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


def test_a_validated_document_has_its_earlier_reference(trade):
    for service, identifier in trade.ids.items():
        record = trade.read(service)
        assert record["cond_reglement_doc"] == "Due in 30 days"
        assert "oldref" not in record
        validated = trade.client.ask("POST", f"/{service}/{identifier}/validate", {"notrigger": 0})
        assert validated["oldref"] == f"(PROV{identifier})"
        drafted = trade.client.ask("POST", f"/{service}/{identifier}/settodraft")
        # The reference stays from here on
        assert "oldref" not in drafted | trade.client.ask("POST", f"/{service}/{identifier}/validate")


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


def test_the_company_has_every_key(trade):
    trade.client.ask("PUT", "/setup/company", {"name": "ACME", "country_code": "FR"})
    record = trade.client.get("/setup/company")
    expected = {
        "id": 0, "entity": None, "status": 1, "country_id": "1", "country_code": "FR", "state_id": 0, "name": "ACME",
        "region_id": None, "note_private": "", "note_public": None, "address": "", "specimen": 0, "socialnetworks": [],
        "idprof1": "", "siren": None, "linkedObjectsFullLoaded": [], "validateFieldsErrors": [],
    }  # fmt: skip
    assert {name: record[name] for name in expected} == expected
    assert trade.client.ask("PUT", "/setup/company", {"state_id": 1})["state_id"] == "1"


def test_discounts_of_a_third_party_tell_row_and_type(trade):
    lines = [{"desc": "Back", "qty": 1, "subprice": 10}]
    body = {"socid": trade.customer, "type": 2, "date": "2026-11-21", "lines": lines}
    source = trade.client.ask("POST", "/invoices", body)
    trade.client.ask("POST", f"/invoices/{source}/validate")
    trade.client.ask("POST", f"/invoices/{source}/markAsCreditAvailable")
    found = trade.client.get(f"/thirdparties/{trade.customer}/fixedamountdiscounts")[0]
    assert (found["rowid"], found["factype"]) == (found["id"], "2")
