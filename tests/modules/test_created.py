"""A creation: its address in `Location`."""

import re
from urllib.parse import urljoin

import falcon.testing
import pytest

from core.contract.catalogue import catalogue
from core.web.answers import note_location
from core.web.request_states import begin_request
from core.web.router import Router


def test_a_document_made_from_another_has_its_address(admin, customer):
    line = {"desc": "Desk", "qty": 1, "subprice": 5}
    order = admin.ask("POST", "/orders", {"socid": customer, "date": "2026-11-24", "lines": [line]})
    path = f"/invoices/createfromorder/{order}"
    made = admin.simulate_post(path)
    assert (
        urljoin(f"https://example.org{path}", made.headers["location"])
        == f"https://example.org/invoices/{made.json['id']}"
    )


def test_a_repeated_request_returns_the_same_address(admin):
    headers = {"Idempotency-Key": "created-once"}
    first, second = (admin.simulate_post("/contacts", json={"lastname": "Once"}, headers=headers) for _ in range(2))
    assert first.json == second.json and isinstance(first.json, int)
    assert second.headers["idempotency-replayed"] == "true"
    assert second.headers["location"] == first.headers["location"]
    admin.ask("DELETE", f"/contacts/{first.json}")
    gone = admin.simulate_post("/contacts", json={"lastname": "Once"}, headers=headers)
    assert gone.status_code == 404 and "this one changed nothing" in gone.text


def creations():
    return [each for each in catalogue().operations if each.id_depth]


@pytest.mark.parametrize("form", ["{}", "{}/", "/api/index.php{}", "/API/index.php/{}//"])
def test_the_address_of_each_creation_has_an_operation_that_reads_it(admin, form):
    """`tests/modules/every_operation` follows the addresses of real records."""
    assert len(creations()) > 10
    for each in creations():
        path = form.format(re.sub(r"{\w+}", "5", each.template))
        state = begin_request(request := falcon.testing.create_req(path=path))
        note_location(request, each.id_depth, {"id": 7})
        address = urljoin(f"https://example.org{path}", state.headers["Location"]).removeprefix("https://example.org")
        begin_request(request := falcon.testing.create_req(path=address))
        reading, _, variables, _ = Router().find(address, request)
        assert (reading.verb, reading.origin) == ("GET", each.origin), (path, address)
        assert [*variables.values()][-1] == "7", (path, address)


def test_every_creation_of_a_service_with_records_has_an_address(admin):
    without = [
        each.template
        for service in catalogue().services.values()
        for each in service.operations
        if each.verb == "POST" and not each.segments and each.result is int and not each.id_depth
    ]
    assert without == []
