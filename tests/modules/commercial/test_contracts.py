"""A kind of document that somebody else wrote: the samples' contracts, its whole life on the library `commercial`."""

import itertools
import re
import shutil
from pathlib import Path

import pytest

from core.testing import serving

SAMPLE = Path(__file__).parents[3] / "tests/samples" / "modules" / "contracts"
DAY = 86400
#: 2026-11-21 and 2026-12-05, as the seconds of their midnight UTC
NOVEMBER, DECEMBER = 20778 * DAY, 20792 * DAY
VERBS = ("read", "write", "delete", "validate", "close")

HEARING = """
from core import warn


def after_contracts_validated(record):
    warn(f"heard {record['ref']} of {record['total_ttc']}")
"""

_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def contracting(kind, tmp_path_factory):
    """A server with the contracts and a module that listens to them."""
    folder = tmp_path_factory.mktemp(f"contracts_{kind}")
    (folder / "modules/listening").mkdir(parents=True)
    (folder / "modules/listening/events.py").write_text(HEARING)
    shutil.copytree(SAMPLE, folder / "modules/contracts", ignore=shutil.ignore_patterns("__pycache__"))
    with serving(folder, kind, modules=str(folder / "modules")) as served:
        for element, name in (("contract", "site"), ("contractline", "room")):
            definition = {"label": name, "type": "varchar", "size": "20"}
            served.client().ask("POST", f"/setup/extrafields/{element}/{name}", definition)
        yield served


@pytest.fixture
def client(contracting):
    return contracting.client()


@pytest.fixture
def customer(client):
    return int(client.ask("POST", "/thirdparties", {"name": f"Customer {next(_numbers)}"}))


def draft(client, customer, **more):
    """A contract with two lines, one of a product.

    12 * 49.90 less 5 % is 568.86, with 20 % VAT 682.632; 2 * 100 is 200.00, with 5.5 % VAT 211.00.
    """
    product = {"ref": f"P{next(_numbers)}", "label": "Cleaning", "type": 1, "price": "100", "tva_tx": "5.5"}
    lines = [
        {"desc": "Care", "qty": 12, "subprice": "49.90", "tva_tx": 20, "remise_percent": 5},
        {"fk_product": client.ask("POST", "/products", product), "qty": 2},
    ]
    body = {"socid": customer, "date": "2026-11-21", "lines": lines} | more
    return int(client.ask("POST", "/contracts", body))


def totals(record):
    return tuple(f"{float(record[f'total_{name}']):.2f}" for name in ("ht", "tva", "ttc"))


def act(client, identifier, *names):
    record = {}
    for name in names:
        record = client.ask("POST", f"/contracts/{identifier}/{name}", {})
    return record


# Records -------------------------------------------------------------------------------------------------------------


def test_a_draft_has_lines_totals_and_all_that_documents_have(client, customer):
    identifier = draft(
        client,
        customer,
        begin="2026-11-21",
        end="2026-12-05",
        note_public="printed",
        note_private="kept",
        cond_reglement_id=2,
        ref_ext=f"X{customer}",
        array_options={"options_site": "Hall 4"},
    )
    record = client.get(f"/contracts/{identifier}")
    assert record["ref"] == f"(PROV{identifier})"
    assert (record["statut"], record["socid"], record["date"]) == (0, customer, NOVEMBER)
    assert (record["begin"], record["end"], record["closed"]) == (NOVEMBER, DECEMBER, None)
    assert (record["note_public"], record["note_private"]) == ("printed", "kept")
    assert (record["cond_reglement_id"], record["cond_reglement_code"]) == (2, "30D")
    assert record["array_options"] == {"options_site": "Hall 4"}
    assert (record["contacts_ids"], record["linkedObjectsIds"]) == ([], {})
    assert [totals(line) for line in record["lines"]] == [("568.86", "113.77", "682.63"), ("200.00", "11.00", "211.00")]
    assert totals(record) == ("768.86", "124.77", "893.63")
    care, cleaning = record["lines"]
    assert (care["contract"], care["rang"], cleaning["rang"]) == (identifier, 1, 2)
    assert (cleaning["product_label"], cleaning["product_type"]) == ("Cleaning", 1)
    assert client.get(f"/contracts/ref/(PROV{identifier})") == record
    assert client.get(f"/contracts/ref_ext/X{customer}") == record
    assert client.get("/contracts", thirdparty_ids=str(customer)) == [record | {"linkedObjectsIds": None}]
    found = client.get("/contracts", sqlfilters="(ef.site:=:'Hall 4') and (t.begin:>=:'2026-11-21')", limit=500)
    assert identifier in [each["id"] for each in found]


def test_a_rule_of_its_own(client, customer):
    message = "Bad Request: `end`: expected a day that is not before `begin`"
    body = {"socid": customer, "date": NOVEMBER, "begin": DECEMBER, "end": NOVEMBER}
    assert client.refused("POST", "/contracts", body, status=400) == message
    identifier = draft(client, customer, begin=DECEMBER)
    assert client.refused("PATCH", f"/contracts/{identifier}", {"end": NOVEMBER}, status=400) == message
    assert client.ask("PATCH", f"/contracts/{identifier}", {"end": DECEMBER})["end"] == DECEMBER
    assert client.refused("PATCH", f"/contracts/{identifier}", {"cond_reglement_id": 999}, status=400)


# Moves ---------------------------------------------------------------------------------------------------------------

PATHS = {
    "draft": (),
    "validated": ("validate",),
    "running": ("validate", "start"),
    "closed": ("validate", "close"),
}
STATES = {name: number for number, name in enumerate(PATHS)}
MOVES = {
    ("draft", "validate"): "validated",
    ("validated", "settodraft"): "draft",
    ("validated", "start"): "running",
    ("validated", "close"): "closed",
    ("running", "close"): "closed",
    ("closed", "reopen"): "running",
}


@pytest.mark.parametrize("state", PATHS)
def test_every_move_is_made_or_refused_as_the_table_says(client, customer, state):
    for name in ("validate", "settodraft", "start", "close", "reopen"):
        identifier = draft(client, customer)
        act(client, identifier, *PATHS[state])
        if (state, name) in MOVES:
            assert act(client, identifier, name)["statut"] == STATES[MOVES[state, name]]
            continue
        message = client.refused("POST", f"/contracts/{identifier}/{name}", {}, status=405)
        verb, now = name.replace("settodraft", "set to draft"), state.replace("draft", "a draft")
        assert re.match(rf"Method Not Allowed: can't {verb}: the contract \S+ is (already )?{now}", message)
        assert client.get(f"/contracts/{identifier}")["statut"] == STATES[state]


def test_without_a_template_it_has_no_pdf(client, customer):
    identifier = draft(client, customer)
    said = client.refused("GET", f"/contracts/{identifier}/pdf", status=404)
    assert said == f"Not Found: Contract {identifier} has no PDF"


def test_a_move_notes_what_belongs_to_it_or_refuses(client, customer):
    identifier = draft(client, customer)
    record = act(client, identifier, "validate", "start", "close")
    assert record["closed"] % DAY == 0
    assert act(client, identifier, "reopen")["closed"] is None
    later = draft(client, customer, begin="2999-01-01")
    act(client, later, "validate")
    message = client.refused("POST", f"/contracts/{later}/start", {}, status=405)
    assert message.endswith("begins on 2999-01-01")


def test_another_module_hears_of_it(client, customer):
    identifier = draft(client, customer)
    answer = client.simulate_post(f"/contracts/{identifier}/validate", json={})
    assert f"heard {answer.json['ref']} of 893.63000000" in answer.headers["warning"]


# With others ---------------------------------------------------------------------------------------------------------


def test_it_is_linked_with_other_documents(client, customer):
    offer = client.ask("POST", "/proposals", {"socid": customer, "date": NOVEMBER})
    identifier = draft(client, customer, linked_objects={"propal": offer})
    (proposal,) = client.get(f"/contracts/{identifier}")["linkedObjectsIds"]["propal"].values()
    (contract,) = client.get(f"/proposals/{offer}")["linkedObjectsIds"]["contract"].values()
    assert (proposal, contract) == (offer, identifier)
    body = {"socid": customer, "date": NOVEMBER, "linked_objects": {"contract": identifier}}
    assert client.ask("POST", "/proposals", body)
    client.ask("DELETE", f"/contracts/{identifier}")
    assert client.get(f"/proposals/{offer}")["linkedObjectsIds"] == {}


def test_contacts_take_the_roles_that_it_brings(client, customer):
    identifier = draft(client, customer)
    person = client.ask("POST", "/contacts", {"lastname": "Person", "socid": customer})
    path = f"/contracts/{identifier}/contact/{person}"
    assert "expected one of CUSTOMER" in client.refused("POST", f"{path}/KEYS", {}, status=404)
    assert client.ask("POST", f"{path}/CUSTOMER", {})["contacts_ids"] == [person]
    assert [each["code"] for each in client.get(f"/contracts/{identifier}/contacts")] == ["CUSTOMER"]
    listed = client.get("/setup/dictionary/contact_types", type="contract")
    assert [(each["code"], each["label"]) for each in listed] == [("CUSTOMER", "Customer's contact")]
    assert client.ask("DELETE", f"{path}/CUSTOMER")["success"]["code"] == 200
    assert client.get(f"/contracts/{identifier}")["contacts_ids"] == []


def test_rights_and_rows_are_its_own(contracting, client, customer):
    mine, foreign = draft(client, customer), draft(client, client.ask("POST", "/thirdparties", {"name": "Foreign"}))
    reader = contracting.user("contracts.read", "thirdparties.all")
    assert reader.get(f"/contracts/{mine}")["id"] == mine
    for verb, place, right in (
        ("POST", "", "write"),
        ("PATCH", f"/{mine}", "write"),
        ("DELETE", f"/{mine}", "delete"),
        ("POST", f"/{mine}/validate", "validate"),
        ("POST", f"/{mine}/close", "close"),
    ):
        assert f"contracts.{right}" in reader.refused(verb, f"/contracts{place}", {}, status=401)
    external = contracting.user(*(f"contracts.{verb}" for verb in VERBS), socid=customer)
    assert [each["id"] for each in external.get("/contracts")] == [mine]
    for verb, place in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/validate"), ("POST", "/lines")):
        body = {"desc": "x"} if place == "/lines" else {}
        external.ask(verb, f"/contracts/{foreign}{place}", None if verb == "GET" else body, status=404)
    assert external.ask("POST", f"/contracts/{mine}/validate", {})["statut"] == 1


# Shown ----------------------------------------------------------------------------------------------------------------


def test_explorer_and_openapi_show_it_with_typed_bodies(client):
    document = client.get("/explorer/openapi.json")
    paths, schemas = document["paths"], document["components"]["schemas"]
    assert {"/contracts", "/contracts/{id}/lines/{lineid}", "/contracts/{id}/start"} <= set(paths)
    assert paths["/contracts/{id}/validate"]["post"]["summary"] == "Validate a contract"
    read = paths["/contracts/{id}"]["get"]
    assert read["summary"] == "Read a contract"
    assert read["description"] == "Includes its lines."
    assert paths["/contracts/{id}/lines/{lineid}"]["patch"]["summary"] == "Change some fields of a contract line"

    def body(path, verb):
        return paths[path][verb]["requestBody"]["content"]["application/json"]["schema"]

    def answer(path, verb):
        return paths[path][verb]["responses"]["200"]["content"]["application/json"]["schema"]

    assert body("/contracts", "post")["$ref"].endswith("/ContractNew")
    assert body("/contracts/{id}", "patch")["$ref"].endswith("/ContractChange")
    assert body("/contracts/{id}/lines/{lineid}", "patch")["$ref"].endswith("/ContractLineChange")
    assert answer("/contracts/{id}/close", "post")["$ref"].endswith("/Contract")
    new, record = schemas["ContractNew"]["properties"], schemas["Contract"]["properties"]
    assert new["lines"]["items"]["$ref"].endswith("/ContractLineNew")
    assert record["lines"]["items"]["$ref"].endswith("/ContractLine")
    assert "closed" in record
    assert new["closed"]["readOnly"] is True
    assert schemas["ContractNew"]["required"] == ["socid"]
    assert "options_site" in record["array_options"]["properties"]
    shown = {each["name"]: each for each in client.get("/explorer/index.json")["services"]}
    assert len(shown["contracts"]["operations"]) == 25


def test_what_is_open_of_a_third_partys_contracts(client, customer):
    path = f"/thirdparties/{customer}/outstandingcontracts"
    identifier = draft(client, customer)
    client.ask("POST", f"/contracts/{identifier}/validate")
    assert client.get(path)["refs"] == {}
    client.ask("POST", f"/contracts/{identifier}/start")
    answer = client.get(path)
    # 682.63 and 211.00 with taxes
    assert (answer["opened"], list(answer["refs"])) == ("893.63000000", [str(identifier)])
    client.refused("GET", "/thirdparties/999999/outstandingcontracts", status=404)
