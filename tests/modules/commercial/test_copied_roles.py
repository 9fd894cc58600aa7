"""Whoever has a role in a document has it in the one that is made of it, if its kind offers that role."""

import importlib
from pathlib import Path

from core import transaction

SAMPLES = Path(__file__).parents[3] / "tests/samples/modules"
DAY = "2026-11-21"


def test_a_kind_that_brings_its_roles_takes_contacts_over_though_nobody_was_given_one_before(serve):
    served = serve(modules=str(SAMPLES))
    client = served.client()
    customer = client.ask("POST", "/thirdparties", {"name": "Acme", "client": 1})
    contact = client.ask("POST", "/contacts", {"lastname": "Vasseur", "socid": customer})
    order = client.ask("POST", "/orders", {"socid": customer, "date": DAY, "lines": [{"desc": "x", "qty": 1}]})
    client.ask("POST", f"/orders/{order}/contact/{contact}/CUSTOMER")
    contracts = importlib.import_module("modules.contracts.contracts").contracts
    orders = importlib.import_module("modules.orders.orders").orders
    with transaction():
        row = orders.load(order, lock=True)
        made = contracts.create_from(orders, row, (), date=row.date)
    assert [(each["code"], each["id"]) for each in client.get(f"/contracts/{made}/contacts")] == [("CUSTOMER", contact)]


def test_who_has_a_role_in_a_dropped_in_kind_of_document_stays(serve):
    client = serve(modules=str(SAMPLES)).client()
    customer = client.ask("POST", "/thirdparties", {"name": "Acme", "client": 1})
    contact = client.ask("POST", "/contacts", {"lastname": "Vasseur", "socid": customer})
    body = {"socid": customer, "date": DAY, "lines": [{"desc": "x", "qty": 1}]}
    contract = client.ask("POST", "/contracts", body)
    client.ask("POST", f"/contracts/{contract}/contact/{contact}/CUSTOMER")
    client.ask("POST", f"/contracts/{contract}/validate", {})
    assert "is used by contracts" in client.refused("DELETE", f"/contacts/{contact}", status=405)
