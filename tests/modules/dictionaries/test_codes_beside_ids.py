"""The code of a dictionary entry beside its ID, on every record that returns both. FR is country 1, BE 2, DE 5."""

import itertools

import pytest

from core.testing import serving

_numbers = itertools.count(1)
COUNTRY = ("country_code", "country_id", ("FR", 1), ("BE", 2), ("DE", 5))
TERMS = ("cond_reglement_code", "cond_reglement_id", ("RECEP", 1), ("30D", 2), ("60D", 4))
OFFER = {"socid": "customer", "date": "2026-11-28"}
#: path of the records, the body of a new one, and a code with its ID
RECORDS = {
    "third parties": ("/thirdparties", {"name": "x"}, COUNTRY),
    "types of third parties": (
        "/thirdparties", {"name": "x"},
        ("typent_code", "typent_id", ("TE_STARTUP", 1), ("TE_GROUP", 2), ("TE_SMALL", 4)),
    ),
    "contacts": ("/contacts", {"lastname": "x"}, COUNTRY),
    "users": ("/users", {"login": "unique"}, COUNTRY),
    "products": ("/products", {"ref": "unique", "label": "x"}, COUNTRY),
    "warehouses": ("/warehouses", {"label": "unique"}, COUNTRY),
    "bank accounts": ("/bankaccounts", {"ref": "unique", "label": "unique", "date_solde": "2026-11-28"}, COUNTRY),
    "invoices": ("/invoices", OFFER, TERMS),
    "orders": ("/orders", OFFER, TERMS),
    "proposals": ("/proposals", OFFER, TERMS),
    "modes of payment": (
        "/orders", OFFER, ("mode_reglement_code", "mode_reglement_id", ("VIR", 2), ("PRE", 3), ("LIQ", 4)),
    ),
    "availabilities": ("/orders", OFFER, ("availability_code", "availability_id", ("AV_NOW", 1), ("AV_1W", 2), ("AV_2W", 3))),
    "origins": (
        "/proposals", OFFER,
        ("demand_reason_code", "demand_reason_id", ("SRC_INTE", 1), ("SRC_CAMP_MAIL", 2), ("SRC_CAMP_PHO", 3)),
    ),
}  # fmt: skip


@pytest.fixture(scope="module", params=["specification", "dolibarr16"])
def client(request, tmp_path_factory):
    with serving(tmp_path_factory.mktemp("codes"), profile_name=request.param) as served:
        yield served.client()


@pytest.fixture(params=RECORDS)
def case(request, client):
    """Path, body and codes, with a name or a customer of its own."""
    path, body, code = RECORDS[request.param]
    made = {"unique": lambda: f"u{next(_numbers)}", "customer": lambda: _customer(client)}
    return path, {name: made.get(value, lambda value=value: value)() for name, value in body.items()}, code


def _customer(client):
    return client.ask("POST", "/thirdparties", {"name": "Customer", "client": 1})


def shown(record, key, field):
    return record[key], int(record[field])


def test_a_code_sets_the_id(client, case):
    path, body, (key, field, first, second, third) = case
    made = f"{path}/{client.ask('POST', path, body | {key: first[0]})}"
    record = client.get(made)
    assert shown(record, key, field) == first
    # Read, one of the two changed, sent back whole
    record = client.ask("PUT", made, record | {key: second[0].lower()})
    assert shown(record, key, field) == second
    record = client.ask("PUT", made, record | {field: first[1]})
    assert shown(record, key, field) == first
    assert shown(client.ask("PUT", made, record), key, field) == first
    answer = client.simulate_patch(made, json={key: second[0]})
    assert (shown(answer.json, key, field), answer.headers.get("warning")) == (second, None)
    # A code that is empty beside an ID means nothing
    assert shown(client.ask("PATCH", made, {key: "", field: first[1]}), key, field) == first
    client.ask("PATCH", made, {key: None})
    assert client.get(made)[key] in (None, "")
    client.ask("PATCH", made, {key: third[0]})
    error = client.ask("PATCH", made, {key: first[0], field: second[1]}, status=400)["error"]
    assert {each["field"] for each in error["errors"]} == {key, field}
    assert shown(client.get(made), key, field) == third


def test_a_code_that_is_wrong(client, case):
    path, body, (key, field, first, second, _) = case
    error = client.ask("POST", path, body | {key: "NOSUCH"}, status=400)["error"]
    assert [each["field"] for each in error["errors"]] == [key]
    error = client.ask("POST", path, body | {key: first[0], field: second[1]}, status=400)["error"]
    assert {each["field"] for each in error["errors"]} == {key, field}


@pytest.mark.parametrize("kind", [name for name, (_, _, code) in RECORDS.items() if code == COUNTRY])
def test_a_state_has_a_code_in_its_country(client, kind):
    """Code 01 is Ain in France (300), and Antwerp in Belgium (139); 75 in France is Paris (375)."""
    path, body, _ = RECORDS[kind]
    body = {name: f"u{next(_numbers)}" if value == "unique" else value for name, value in body.items()}
    made = f"{path}/{client.ask('POST', path, body | {'country_code': 'FR', 'state_code': '01'})}"
    assert int(client.get(made)["state_id"]) == 300
    assert int(client.ask("PATCH", made, {"state_code": "75"})["state_id"]) == 375
    # In place of the ID as it was read
    assert int(client.ask("PUT", made, {**client.get(made), "state_code": "01"})["state_id"]) == 300
    moved = client.ask("PATCH", made, {"country_code": "BE", "state_code": "01"})
    assert (int(moved["country_id"]), int(moved["state_id"])) == (2, 139)
    for wrong in ({"state_code": "NOSUCH"}, {"country_code": None, "state_code": "01"}):
        error = client.ask("PATCH", made, wrong, status=400)["error"]
        assert [each["field"] for each in error["errors"]] == ["state_code"]
    error = client.ask("PATCH", made, {"state_code": "01", "state_id": 300}, status=400)["error"]
    assert {each["field"] for each in error["errors"]} == {"state_id", "state_code"}
