"""The chain on the page: what a PDF came from, who can be asked, where it is delivered to."""

import pytest

from core.testing import statements
from tests.modules.invoices.printed import printed

LINE = {"desc": "Desk", "qty": 1, "subprice": 10, "tva_tx": 20}
BUYER = {"name": "Buyer", "client": 1, "country_id": 5, "zip": "53113", "town": "Bonn", "address": "Heussallee 7"}


@pytest.fixture(autouse=True)
def company(admin):
    admin.ask("PUT", "/setup/company", {"name": "Seller", "country_code": "FR", "town": "Lyon", "zip": "69002"})


@pytest.fixture
def buyer(admin):
    return int(admin.ask("POST", "/thirdparties", BUYER))


def make(admin, service, socid, date="2026-11-21", **fields):
    return int(admin.ask("POST", f"/{service}", {"socid": socid, "date": date, "lines": [LINE], **fields}))


def contact(admin, socid, lastname, **fields):
    return int(admin.ask("POST", "/contacts", {"socid": socid, "firstname": "Anne", "lastname": lastname, **fields}))


def give(admin, service, identifier, person, role):
    admin.ask("POST", f"/{service}/{identifier}/contact/{person}/{role}")


def validated(admin, service, identifier):
    return str(admin.ask("POST", f"/{service}/{identifier}/validate", {})["ref"])


def test_an_invoice_tells_its_order_and_that_one_s_proposal(admin, buyer):
    proposal = make(admin, "proposals", buyer, "2026-11-02")
    offered = validated(admin, "proposals", proposal)
    order = make(admin, "orders", buyer, "2026-11-05", linked_objects={"propal": proposal})
    ordered = validated(admin, "orders", order)
    invoice = make(admin, "invoices", buyer, linked_objects={"commande": order}, ref_client="PO 77")
    text = printed(admin, invoice)
    assert f"Order {ordered} of Nov 5, 2026" in text
    assert f"Commercial proposal {offered} of Nov 2, 2026" in text
    assert "Your reference PO 77" in text
    text = printed(admin, order, "de_DE", "orders")
    assert f"Angebot {offered} vom 02.11.2026" in text
    # An offer tells nothing of what came of it
    assert ordered not in printed(admin, proposal, "en_US", "proposals")


def test_drafts_are_no_origin_that_anybody_knows(admin, buyer):
    order = make(admin, "orders", buyer)
    assert "PROV" not in printed(admin, make(admin, "invoices", buyer, linked_objects={"commande": order})).replace(
        "Invoice (PROV", ""
    )


def test_who_can_be_asked_on_either_side(server, admin, buyer):
    invoice = make(admin, "invoices", buyer)
    assert "contact person" not in printed(admin, invoice)
    person = contact(admin, buyer, "Lenoir", phone_pro="+49228555", email="anne@example.org")
    give(admin, "invoices", invoice, person, "BILLING")
    text = printed(admin, invoice)
    assert "Attn. Anne Lenoir" in text
    assert "Contact Anne Lenoir +49228555 anne@example.org" in text
    seller, follower = (
        admin.ask("POST", "/users", {"login": login, "firstname": first, "lastname": "Martin"})
        for login, first in (("seller", "Sacha"), ("follower", "Camille"))
    )
    admin.ask("POST", f"/thirdparties/{buyer}/representatives/{seller}")
    assert "Your contact person Sacha Martin" in printed(admin, invoice)
    # Who follows this very invoice up comes before who represents the customer
    role = {"fk_socpeople": follower, "type_contact": "SALESREPFOLL", "source": "internal"}
    admin.ask("POST", f"/invoices/{invoice}/contacts", role)
    text = printed(admin, invoice)
    assert "Your contact person Camille Martin" in text
    assert "Sacha" not in text


def test_where_it_is_delivered_to(admin, buyer):
    order = make(admin, "orders", buyer)
    there = contact(admin, buyer, "Lenoir", address="1 Dock Road", zip="E16 1AA", town="London", country_id=7)
    give(admin, "orders", order, there, "SHIPPING")
    assert "Buyer Anne Lenoir 1 Dock Road LONDON E16 1AA UNITED KINGDOM" in printed(admin, order, "en_US", "orders")
    # The recipient's own address is not told twice, nor an empty one
    same = make(admin, "orders", buyer)
    where = {name: BUYER[name] for name in ("address", "zip", "town", "country_id")}
    give(admin, "orders", same, contact(admin, buyer, "Petit", **where), "SHIPPING")
    give(admin, "orders", same, contact(admin, buyer, "Grand"), "SHIPPING")
    text = printed(admin, same, "en_US", "orders")
    assert text.count("Heussallee 7") == 1
    assert "Petit" not in text


def test_a_delivery_to_somebody_else(admin, buyer):
    depot = admin.ask("POST", "/thirdparties", {"name": "Depot Nord", "client": 0})
    order = make(admin, "orders", buyer)
    there = contact(admin, depot, "Lenoir", address="Hafenstr. 1", zip="20457", town="Hamburg", country_id=5)
    give(admin, "orders", order, there, "SHIPPING")
    assert "Depot Nord Anne Lenoir Hafenstr. 1 20457 HAMBURG GERMANY" in printed(admin, order, "en_US", "orders")


def test_what_is_not_there_costs_nothing(admin, buyer):
    alone = make(admin, "orders", buyer)
    linked = make(admin, "orders", buyer, linked_objects={"propal": make(admin, "proposals", buyer)})

    def cost(identifier):
        counts = []
        # Now and then a request asks for more: what is kept in memory is looked after, a key's last use written
        for _ in range(4):
            with statements() as seen:
                printed(admin, identifier, service="orders")
            counts.append(len(seen))
        return min(counts)

    assert cost(linked) == cost(alone) + 1
