"""dolibarrpy, a client written for the reference, drives third parties in the profile `dolibarr16`.

Through its own functions, and its generic calls where it has none. (Its `find_all_…` raise on the 404 that follows the last
page on the reference too; its paginator does not come that far.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from core.testing import ADMIN_KEY
from tests.modules.clients.local_server import local_server

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from dolibarrpy import Dolibarrpy

    with local_server(tmp_path_factory.mktemp("dolibarrpy")) as address:
        yield Dolibarrpy(f"{address}/", ADMIN_KEY, 10, False)


def test_third_parties_are_created_listed_read_updated_and_deleted(client: Any) -> None:
    from dolibarrpy.Dolibarrpy import ThirdpartyFilter

    created = [
        client.create_thirdparties({"name": f"Customer {number}", "client": 1, "code_client": "-1", "status": 1,
                                    "email": f"c{number}@example.org", "barcode": f"BC{number}"})
        for number in (1, 2, 3)
    ]  # fmt: skip
    assert created == sorted(created) and all(isinstance(each, int) for each in created)

    first = client.get_thirdparty_by_tid(created[0])
    assert (first["id"], first["name"], first["client"]) == (str(created[0]), "Customer 1", "1")
    assert first["array_options"] == []
    assert client.get_thirdparty_by_email("c2@example.org")["id"] == str(created[1])
    assert client.get_thirdparty_by_barcode("BC3")["id"] == str(created[2])
    assert client.get_thirdparties_representatives_by_tid(created[0], 0) == []

    listed = client.find_some_thirdparty(ThirdpartyFilter(sqlfilters="(t.nom:like:'Customer%')", limit=2), 0)
    assert [each["name"] for each in listed] == ["Customer 1", "Customer 2"]
    everyone = list(client.call_list_api_paginated("thirdparties", {"mode": 1}, page_limit=50))
    assert [each["id"] for each in everyone] == [str(each) for each in created]

    changed = client.update_thirdparty_by_tid(created[0], {"name_alias": "C1", "town": "Lyon"})
    assert (changed["name"], changed["name_alias"], changed["town"]) == ("Customer 1", "C1", "Lyon")

    assert client.call_delete_api("thirdparties", created[2]) == 1
    assert client.get_thirdparty_by_tid(created[2])["error"]["code"] == 404
    assert client.call_get_api("thirdparties", 0)["error"]["code"] == 400


def test_contacts_by_its_own_functions(client: Any) -> None:
    company = client.create_thirdparties({"name": "Contacts Ltd"})
    contact = client.call_create_api("contacts", {"lastname": "Doe", "firstname": "Jane", "socid": company,
                                                  "email": "jane@example.org", "phone_pro": "0611223344"})  # fmt: skip
    read = client.get_contact_by_cid(contact)
    assert (read["lastname"], read["socid"], read["birthday"]) == ("Doe", str(company), "")
    assert client.get_contact_by_email("jane@example.org")["id"] == str(contact)
    assert client.update_contact_by_cid(contact, {"poste": "Buyer"})["poste"] == "Buyer"
    assert client.call_delete_api("contacts", contact) == 1


def test_an_empty_list_is_404_with_the_words_of_the_reference(client: Any) -> None:
    import requests

    answer = requests.get(
        client.url + "thirdparties",
        params={"sqlfilters": "(t.nom:=:'nobody')"},
        headers=client.get_headers(),
        timeout=5,
    )
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == "Not Found: Thirdparties not found"


# The whole chain: product, proposal, order, invoice, payment. Figures as in test_flow.py -----------------------------

DAY = 1795219200
LINES = [
    {"desc": "Desk, oak", "qty": 3, "subprice": "19.99", "tva_tx": 20, "remise_percent": 10, "product_type": 0},
    {"desc": "Delivery", "qty": 2, "subprice": 100, "tva_tx": "5.5", "product_type": 1},
]
TOTALS = {"total_ht": "253.97000000", "total_tva": "21.80000000", "total_ttc": "275.77000000"}


def shown(record: dict[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(record[name] for name in names)


def test_an_offer_becomes_an_order_and_a_paid_invoice(client: Any) -> None:
    from dolibarrpy.Dolibarrpy import InvoiceFilter, OrderFilter, ProposalFilter

    customer = client.create_thirdparties({"name": "Chain", "client": 2, "code_client": "-1"})
    product = client.call_create_api("products", {"ref": "DESK", "label": "Desk", "price": "19.99", "tva_tx": "20"})
    assert client.get_product_by_ref("DESK")["id"] == str(product)
    person = client.call_create_api("contacts", {"lastname": "Doe", "socid": customer})

    # The proposal
    body = {"socid": customer, "date": DAY, "duree_validite": 30, "cond_reglement_id": 2, "lines": LINES}
    proposal = client.call_create_api("proposals", body)
    draft = client.get_proposal_by_pid(proposal)
    assert shown(draft, "id", "ref", "statut") == (str(proposal), f"(PROV{proposal})", 0)
    assert {name: draft[name] for name in TOTALS} == TOTALS
    assert [shown(line, "qty", "remise_percent", "tva_tx") for line in draft["lines"]] == [
        ("3", "10", "20.0000"),
        ("2", "0", "5.5000"),
    ]
    line = client.call_create_api(f"proposals/{proposal}/line", {"desc": "Extra", "qty": 1, "subprice": 10})
    client.update_proposal_line_with_lineid(proposal, line, {"qty": 2})
    assert [each["id"] for each in client.get_proposal_lines_by_pid(proposal, "(d.description:like:'Extra%')")] == [
        str(line)
    ]
    client.delete_line_id_from_proposal_id_(proposal, line)
    client.update_proposal_with_pid(proposal, {"note_public": "Thank you"})
    assert client.proposal_add_contact(proposal, person, "CUSTOMER")["contacts_ids"] == [str(person)]
    offered = client.validate_proposal_by_pid(proposal)
    assert offered["ref"].startswith("PR") and offered["statut"] == 1
    # What is done twice is answered 304 without a body
    assert client.validate_proposal_by_pid(proposal)["response_code"] == 304
    assert client.proposal_accepted(proposal)["statut"] == 2
    assert client.get_proposal_by_ref(offered["ref"])["note_public"] == "Thank you"
    some = client.find_some_proposals(ProposalFilter(thirdparty_ids=str(customer)), 0)
    assert [each["id"] for each in some] == [str(proposal)]

    # The order
    order = client.create_order_from_proposal(proposal)
    assert {name: order[name] for name in TOTALS} == TOTALS
    identifier = int(order["id"])
    assert client.get_order_by_oid(identifier)["linkedObjectsIds"] == {
        "propal": {key: str(proposal) for key in order["linkedObjectsIds"]["propal"]}
    }
    ordered = client.set_order_to_validated(identifier)
    assert ordered["ref"].startswith("CO") and ordered["statut"] == "1"
    assert client.set_order_to_draft(identifier)["statut"] == "0"
    assert client.set_order_to_validated(identifier)["ref"] == ordered["ref"]
    assert [each["desc"] for each in client.get_order_lines_by_oid(identifier)] == ["Desk, oak", "Delivery"]
    assert [each["code"] for each in client.get_order_contacts_by_oid(identifier)] == ["CUSTOMER"]
    # PUT merges in this profile
    assert client.update_order_with_oid(identifier, {"ref_client": "C-1"})["note_public"] == "Thank you"
    some = client.find_some_orders(OrderFilter(sqlfilters="(t.ref_client:=:'C-1')"), 0)
    assert [each["id"] for each in some] == [str(identifier)]

    # The invoice
    invoice = int(client.call_action_api("invoices", "createfromorder", str(identifier))["id"])
    billed = client.call_action_api("invoices", invoice, "validate")
    assert billed["ref"].startswith("FA") and shown(billed, "statut", "paye") == ("1", "0")
    assert client.get_invoice_by_ref(billed["ref"])["remaintopay"] == "275.77"
    assert len(client.get_invoice_lines_by_iid(invoice)) == 2
    part = {"arrayofamounts": {str(invoice): {"amount": "100", "multicurrency_amount": ""}}}
    manner = {"datepaye": DAY, "paymentid": 2, "closepaidinvoices": "yes", "accountid": 1}
    assert isinstance(client.call_create_api("invoices/paymentsdistributed", part | manner), int)
    assert isinstance(client.call_action_api("invoices", invoice, "payments", manner), int)
    paid = client.get_invoice_by_iid(invoice)
    assert shown(paid, "statut", "paye", "remaintopay") == ("2", "1", "0")
    rows = client.get_invoice_payments_by_iid(invoice)
    assert [shown(row, "amount", "type", "date") for row in rows] == [
        ("100.00000000", "VIR", "2026-11-21 00:00:00"),
        ("175.77000000", "VIR", "2026-11-21 00:00:00"),
    ]
    assert client.get_invoice_discounts_by_iid(invoice)["error"]["code"] == 404
    some = client.find_some_invoices(InvoiceFilter(thirdparty_ids=str(customer), sqlfilters="(t.paye:=:1)"), 0)
    assert [each["id"] for each in some] == [str(invoice)]
    assert client.call_action_api("orders", identifier, "setinvoiced")["billed"] == "1"
    assert client.call_action_api("orders", identifier, "close")["statut"] == "3"
    assert client.call_action_api("proposals", proposal, "setinvoiced")["statut"] == 4
    # An order that is used by nothing can go
    spare = client.call_create_api("orders", {"socid": customer, "date": DAY})
    assert client.delete_order_by_oid(spare)["success"]["code"] == 200
