"""A replayed answer goes only to callers who may still read the records that it is about."""

from itertools import count

import pytest

from core.for_natives import Grant
from core.storage.database import ensure_connected
from core.testing import serving

DAY = 1795219200
RIGHTS = [
    f"{service}.{verb}"
    for service in ("thirdparties", "contacts", "invoices", "orders", "proposals")
    for verb in ("read", "write", "delete", "validate", "close")
]
LINES = [{"qty": 1, "subprice": 5, "desc": "Desk"}]
_numbers = count(1)


@pytest.fixture(scope="module")
def served(kind, tmp_path_factory):
    with serving(tmp_path_factory.mktemp(kind), kind) as made:
        yield made


def clerk_of(served):
    """A user who sees all third parties until `blind`."""
    return served.user(*RIGHTS, "thirdparties.all")


def firm_of(served):
    return int(served.client().ask("POST", "/thirdparties", {"name": "Acme", "client": 3}))


@pytest.fixture
def clerk(served):
    return clerk_of(served)


@pytest.fixture
def firm(served):
    return firm_of(served)


def lose(clerk, right):
    ensure_connected()
    Grant.delete().where(Grant.user == clerk.user_id, Grant.name == right).execute()


def blind(clerk):
    lose(clerk, "thirdparties.all")


class Request:
    """A POST under a key of its own, as often as it is sent."""

    def __init__(self, client, path, body):
        self._client, self._path, self._body = client, path, body
        self._headers = {"Idempotency-Key": f'"replay-{next(_numbers)}"'}

    def send(self, status=200):
        """The answer, once its status is the expected one."""
        answer = self._client.simulate_post(self._path, json=self._body, headers=self._headers)
        assert answer.status_code == status, answer.text
        return answer.json


def refused(request):
    error = request.send(404)["error"]
    assert "not found" in error["message"]
    assert error["done"] is True


def invoice(firm):
    return {"socid": firm, "date": DAY, "lines": LINES}


def test_a_change_of_a_record_that_is_hidden_since(served, clerk, firm):
    check_hidden_change(served, clerk, firm)


def test_dolibarr_clients_change_a_record_that_is_hidden_since(serve):
    """Their responses have IDs as text."""
    old = serve(profile_name="dolibarr16")
    check_hidden_change(old, clerk_of(old), firm_of(old))


def check_hidden_change(served, clerk, firm):
    made = served.client().ask("POST", "/invoices", invoice(firm))
    request = Request(clerk, f"/invoices/{made}/validate", {})
    assert request.send() == request.send()
    blind(clerk)
    clerk.get(f"/invoices/{made}", status=404)
    refused(request)


@pytest.mark.parametrize("hidden", [True, False])
def test_a_creation_whose_record_is_hidden_or_gone_since(clerk, firm, hidden):
    request = Request(clerk, "/invoices", invoice(firm))
    made = request.send()
    assert request.send() == made
    if hidden:
        blind(clerk)
    else:
        clerk.ask("DELETE", f"/invoices/{made}")
    refused(request)


def test_a_creation_is_not_done_again_when_its_record_is_gone(served, clerk, firm):
    body = {"lastname": "Roy", "socid": firm}
    request = Request(clerk, "/contacts", body)
    first, second = request.send(), clerk.ask("POST", "/contacts", body)
    clerk.ask("DELETE", f"/contacts/{first}")
    refused(request)
    assert [int(each["id"]) for each in served.client().get("/contacts", thirdparty_ids=str(firm))] == [second]


def test_a_record_that_is_answered_below_no_id(served, clerk, firm):
    admin = served.client()
    proposal = admin.ask("POST", "/proposals", {**invoice(firm), "duree_validite": 15})
    admin.ask("POST", f"/proposals/{proposal}/validate", {})
    admin.ask("POST", f"/proposals/{proposal}/close", {"status": 2})
    request = Request(clerk, f"/orders/createfromproposal/{proposal}", {})
    assert request.send() == request.send()
    blind(clerk)
    refused(request)


def test_a_batch_of_records_of_which_one_is_hidden_since(served, clerk, firm):
    admin = served.client()
    first, second = (admin.ask("POST", "/contacts", {"lastname": "Roy", "socid": firm}) for _ in range(2))
    admin.ask("POST", f"/thirdparties/{firm}/representatives/{clerk.user_id}", {})
    other = admin.ask("POST", "/thirdparties", {"name": "Other"})
    entries = [
        {"method": "PATCH", "id": first, "body": {"town": "Lyon"}},
        {"method": "DELETE", "id": second},
        {"method": "POST", "body": {"lastname": "New", "socid": other}},
    ]
    request = Request(clerk, "/contacts/batch", {"entries": entries})
    # What it has deleted is gone, as it says
    assert request.send() == request.send()
    blind(clerk)
    refused(request)


def test_a_permission_that_is_lost_since(clerk):
    """Each entry of a batch has its own; any of them opens the batch."""
    made = clerk.ask("POST", "/contacts", {"lastname": "Roy"})
    change, deletion = (
        Request(clerk, "/contacts/batch", {"entries": [{"method": verb, "id": identifier, **body}]})
        for verb, identifier, body in (
            ("PATCH", made, {"body": {"town": "Lyon"}}),
            ("DELETE", clerk.ask("POST", "/contacts", {"lastname": "Gone"}), {}),
        )
    )
    creation = Request(clerk, "/contacts", {"lastname": "New"})
    for request in (change, deletion, creation):
        assert request.send() == request.send()
    lose(clerk, "contacts.write")
    change.send(401)
    creation.send(401)
    deletion.send()


def test_the_id_of_a_line_is_not_that_of_a_document(clerk, firm):
    made = clerk.ask("POST", "/invoices", invoice(firm))
    for _ in range(40):
        request = Request(clerk, f"/invoices/{made}/lines", LINES[0])
        line = request.send()
    clerk.get(f"/invoices/{line}", status=404)
    assert request.send() == line
