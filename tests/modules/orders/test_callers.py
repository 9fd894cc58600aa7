"""Contacts of an order, and who may do what to which."""

from __future__ import annotations

from typing import Any

import pytest

from core.testing import Client, Served
from tests.modules.orders.orders import DAY, LINE, MOVES

# Contacts -------------------------------------------------------------------------------------------------------------


def test_contacts(admin: Client, customer: int, make: Any) -> None:
    person = admin.ask("POST", "/contacts", {"lastname": "Doe", "firstname": "Jane", "socid": customer})
    path = f"/orders/{make()}"
    for role in ("CUSTOMER", "SHIPPING"):
        assert admin.ask("POST", f"{path}/contact/{person}/{role}")["contacts_ids"][-1] == person
    assert admin.simulate_post(f"{path}/contact/{person}/CUSTOMER").status_code == 304
    assert "BILLING" in admin.refused("POST", f"{path}/contact/{person}/NOSUCH", status=404)
    admin.refused("POST", f"{path}/contact/999999/CUSTOMER", status=404)
    assert [row["code"] for row in admin.get(f"{path}/contacts")] == ["CUSTOMER", "SHIPPING"]
    rows = admin.get(f"{path}/contacts", type="CUSTOMER")
    assert [(row["id"], row["lastname"], row["source"]) for row in rows] == [(person, "Doe", "external")]
    unlinked = {"success": {"code": 200, "message": "Contact unlinked from order"}}
    assert admin.ask("DELETE", f"{path}/contact/{person}/CUSTOMER") == unlinked
    admin.refused("DELETE", f"{path}/contact/{person}/CUSTOMER", status=404)
    assert admin.get(path)["contacts_ids"] == [person]


# Rights ---------------------------------------------------------------------------------------------------------------
CALLS: dict[str, list[tuple[str, str]]] = {
    "orders.read": [
        ("GET", ""), ("GET", "/1"), ("GET", "/ref/x"), ("GET", "/ref_ext/x"), ("GET", "/1/lines"),
        ("GET", "/1/contacts"),
    ],
    "orders.write": [
        ("POST", ""), ("PUT", "/1"), ("PATCH", "/1"), ("POST", "/1/lines"), ("PUT", "/1/lines/1"),
        ("PATCH", "/1/lines/1"), ("DELETE", "/1/lines/1"), ("POST", "/1/settodraft"), ("POST", "/1/contact/1/BILLING"),
        ("DELETE", "/1/contact/1/BILLING"), ("POST", "/createfromproposal/1"),
    ],
    "orders.delete": [("DELETE", "/1")],
    "orders.validate": [("POST", "/1/validate")],
    "orders.close": [("POST", "/1/close"), ("POST", "/1/reopen"), ("POST", "/1/cancel"), ("POST", "/1/setinvoiced")],
    "proposals.read": [("POST", "/createfromproposal/1")],
}  # fmt: skip


@pytest.mark.parametrize("right", CALLS)
def test_each_call_needs_its_right(server: Served, right: str) -> None:
    others = server.user("thirdparties.all", *(each for each in CALLS if each != right))
    for verb, path in CALLS[right]:
        others.refused(verb, f"/orders{path}", {} if verb in ("POST", "PUT", "PATCH") else None, status=401)


def test_an_external_user_sees_own_orders_alone(
    admin: Client, server: Served, customer: int, make: Any, offer: Any
) -> None:
    own = admin.ask("POST", "/thirdparties", {"name": "Own Ltd"})
    outsider = server.user(*CALLS, socid=own)
    theirs = make(LINE, state=1, ref_ext="secret-1")
    record = admin.get(f"/orders/{theirs}")
    line = record["lines"][0]["id"]
    # Bodies that are right, so that nothing but the caller is in the way
    for verb, path, body in (
        ("GET", f"/{theirs}", None), ("GET", f"/ref/{record['ref']}", None), ("GET", "/ref_ext/secret-1", None),
        ("GET", f"/{theirs}/lines", None), ("GET", f"/{theirs}/contacts", None), ("PUT", f"/{theirs}", {}),
        ("PATCH", f"/{theirs}", {"note_public": "x"}), ("DELETE", f"/{theirs}", None),
        ("POST", f"/{theirs}/lines", LINE), ("PUT", f"/{theirs}/lines/{line}", LINE),
        ("PATCH", f"/{theirs}/lines/{line}", {"qty": 1}), ("DELETE", f"/{theirs}/lines/{line}", None),
        ("POST", f"/{theirs}/contact/1/BILLING", None), ("DELETE", f"/{theirs}/contact/1/BILLING", None),
        *(("POST", f"/{theirs}/{move}", None) for move in MOVES),
        ("POST", f"/createfromproposal/{offer()}", None),
        ("POST", "", {"socid": customer, "date": DAY}),
    ):  # fmt: skip
        outsider.refused(verb, f"/orders{path}", body, status=404)
    assert admin.get(f"/orders/{theirs}") == record
    assert outsider.get("/orders") == []
    assert outsider.get("/orders", sqlfilters="(t.ref_ext:=:'secret-1')", thirdparty_ids=str(customer)) == []

    mine = outsider.ask("POST", "/orders", {"socid": own, "date": DAY, "lines": [LINE]})
    assert outsider.ask("POST", f"/orders/{mine}/validate")["socid"] == own
    assert [row["id"] for row in outsider.get("/orders")] == [mine]
    outsider.refused("PUT", f"/orders/{mine}", {"socid": customer}, status=404)
    made = outsider.ask("POST", f"/orders/createfromproposal/{offer(socid=own)}")
    assert (made["socid"], len(made["lines"])) == (own, 2)


def test_a_seller_sees_the_orders_of_those_represented(admin: Client, server: Served, make: Any) -> None:
    represented = admin.ask("POST", "/thirdparties", {"name": "Represented"})
    seller = server.user(*CALLS, represents=[represented])
    own, other = make(socid=represented), make()
    assert [row["id"] for row in seller.get("/orders")] == [own]
    assert seller.get(f"/orders/{own}")["id"] == own
    seller.refused("GET", f"/orders/{other}", status=404)
