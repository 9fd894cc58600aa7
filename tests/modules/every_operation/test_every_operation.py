"""The operations of the interface that is spoken: each is served, and called with success and with a refusal."""

import csv
import re
import sys
from pathlib import Path

import pytest

from core.contract.catalogue import catalogue
from tests.modules.every_operation.script import BEFORE, GOODS, PEOPLE, SALES, SETUP
from tests.modules.replayed.published import Published

pytestmark = pytest.mark.every_database

with (Path(__file__).parent / "operations.tsv").open(encoding="utf-8") as lines:
    _ROWS = [*csv.DictReader(lines, delimiter="\t")]
OPERATIONS = [(row["verb"], row["path"]) for row in _ROWS]
#: operation → the parameters that the release names, in its query or its body
NAMED = {(row["verb"], row["path"]): (row["named"] or "").split() for row in _ROWS}


def _shape(verb, path):
    """An operation, whatever its variables are called."""
    return verb, re.sub(r"\{\w+\}", "{}", path).lower()


def test_each_operation_is_served_and_no_gateway_is(server):
    served = {_shape(each.verb, each.template) for each in catalogue().operations}
    assert len(OPERATIONS) == 199
    assert [f"{verb} {path}" for verb, path in OPERATIONS if _shape(verb, path) not in served] == []
    assert not [path for _, path in served if "gateways" in path]


def test_each_takes_what_the_release_names(server):
    served = {_shape(each.verb, each.template): each.inputs for each in catalogue().operations}
    for operation, named in NAMED.items():
        inputs = served[_shape(*operation)]
        if not any(each.place == "whole" for each in inputs):
            assert [name for name in named if name not in {each.name for each in inputs}] == [], operation


def test_a_single_parameter_may_stand_alone_or_with_others_and_the_body_may_be_empty(admin):
    customer = admin.ask("POST", "/thirdparties", {"name": "Empty", "client": 1})
    line = {"desc": "Work", "qty": 1, "subprice": 10, "tva_tx": 20}
    ways = {"proposals": ["settodraft"], "orders": ["close", "reopen", "settodraft"], "invoices": ["settopaid"]}
    for body in (None, {}, [], {"notrigger": 0}, {"idwarehouse": 0}, {"notrigger": 0, "idwarehouse": 0, "typo": 1}):
        for service, others in ways.items():
            made = admin.ask("POST", f"/{service}", {"socid": customer, "date": "2026-11-21", "lines": [line]})
            for action in ("validate", *others):
                sent = {} if body is None else {"json": body}
                answer = admin.simulate_post(f"/{service}/{made}/{action}", **sent)
                assert answer.status_code == 200, (service, action, body, answer.text)
                assert ("typo" in answer.headers.get("warning", "")) == ("typo" in (body or ())), (action, body)


def test_an_empty_place_in_a_path_is_400_and_so_is_the_identifier_0(admin):
    served = {_shape(each.verb, each.template): each.inputs for each in catalogue().operations}
    wrong = []
    # The third party that a merge would delete has to exist
    number = str(admin.ask("POST", "/thirdparties", {"name": "Second"}))
    for verb, path in OPERATIONS:
        numbers = {each.name for each in served[_shape(verb, path)] if each.place == "path" and each.type is int}
        for place, variable in enumerate(re.findall(r"{\w+}", path)):
            others = re.sub(r"{\w+}", number, path.replace(variable, "@"))
            # Without what stands behind the last slash it may be another operation, such as a list
            asked = [] if path.endswith(variable) and _shape(verb, path[: -len(variable) - 1]) in served else [""]
            # Whether the first of two is there is asked before what the second says
            asked += ["0"] if place == 0 and variable[1:-1] in numbers else []
            answers = {each: admin.simulate_request(verb, others.replace("@", each)).status_code for each in asked}
            wrong += [(verb, others, each, status) for each, status in answers.items() if status != 400]
    assert wrong == []


@pytest.mark.parametrize("service", ["proposals", "orders", "invoices", "shipments", "invoices/templates"])
def test_a_line_0_is_400(admin, service):
    customer = admin.ask("POST", "/thirdparties", {"name": "Lines", "client": 1})
    product = admin.ask("POST", "/products", {"ref": f"L{customer}", "label": "Lamp"})
    line = {"fk_product": product, "desc": "Lamp", "qty": 1, "subprice": 10}
    body = {"socid": customer, "date": "2026-11-21", "lines": [line]}
    if service == "shipments":
        order = admin.ask("POST", "/orders", body)
        admin.ask("POST", f"/orders/{order}/validate")
        warehouse = admin.ask("POST", "/warehouses", {"label": f"W{customer}"})
        (of_order,) = admin.get(f"/orders/{order}/lines")
        body = {"socid": customer, "origin_id": order, "origin": "commande", "lines": [
            {"origin_line_id": of_order["id"], "qty": 1, "entrepot_id": warehouse}]}  # fmt: skip
    if service == "invoices/templates":
        body |= {"title": f"Template {customer}", "frequency": 1, "unit_frequency": "m"}
    made = admin.ask("POST", f"/{service}", body)
    for verb in ("PUT", "PATCH", "DELETE"):
        said = admin.refused(verb, f"/{service}/{made}/lines/0", None if verb == "DELETE" else {}, status=400)
        assert said.endswith("Line ID is mandatory")
        admin.refused(verb, f"/{service}/{made}/lines/", None if verb == "DELETE" else {}, status=400)


def _make(admin, call, known):
    answer = call.make(admin, known)
    if call.keep in ("proposal", "order", "invoice"):
        known[f"{call.keep}_ref"] = f"(PROV{answer})"
    if call.text == "POST /invoices/{id}/validate" and call.at["id"] == "$invoice":
        known["invoice_ref"] = answer["ref"]
        known["file"] = f"{answer['ref']}/{answer['ref']}.pdf"
        known["uploaded"] = f"{answer['ref']}/terms.txt"
    if call.keep == "discounts":
        known["second_discount"] = answer[1]["id"]
    return answer


@pytest.fixture
def released(monkeypatch):
    """The list of the release's files, which a checkout does not have."""
    monkeypatch.setattr(sys.modules["modules.setup.integrity"], "release_files", lambda root: {"core/version.py": "0"})


@pytest.mark.usefixtures("released")
def test_each_is_called_with_success_and_with_a_refusal(server, admin):
    poor = server.client(None)
    password = "correct horse battery"
    known = {"login": "signs-in", "password": password}
    admin.ask("POST", "/users", {"login": known["login"], "pass": password})
    known["lonely"] = admin.ask("POST", "/thirdparties", {"name": "Lonely"})
    published = Published(server)
    succeeded, refused = set(), set()
    for call in (*BEFORE, *PEOPLE, *GOODS, *SALES, *SETUP):
        call.fail(admin, poor, known)
        refused.add(_shape(*call.operation))
        published.hold(call.text, *call.operation, 200, _make(admin, call, known))
        if "extrafields" in call.text:
            published.read_again()
        succeeded.add(_shape(*call.operation))
    # Each answer has the fields that the OpenAPI document describes, and no others
    assert published.wrong == []
    # This one exists in the other profile alone
    wanted = {_shape(*each) for each in OPERATIONS} - {("GET", "/login")}
    assert sorted(wanted - succeeded) == []
    assert sorted(wanted - refused) == []
