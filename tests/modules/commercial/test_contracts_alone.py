"""The samples' contracts on servers of their own: their references, and what goes wrong in them."""

import shutil
from pathlib import Path

import pytest

from modules.setup.constants import set_constant

SAMPLE = Path(__file__).parents[3] / "tests/samples" / "modules" / "contracts"


def act(client, identifier, name):
    """Make a move; answers the reference."""
    return str(client.ask("POST", f"/contracts/{identifier}/{name}", {})["ref"])


@pytest.fixture
def copy(tmp_path):
    """A copy of the module, to be changed."""
    target = tmp_path / "modules/contracts"
    shutil.copytree(SAMPLE, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def test_references_count_on_and_a_constant_chooses_another_mask(serve, kind):
    client = serve(kind, modules=str(SAMPLE.parent)).client()
    customer = client.ask("POST", "/thirdparties", {"name": "Customer"})
    first, second, third, fourth, fifth = (
        client.ask("POST", "/contracts", {"socid": customer, "date": date})
        for date in ("2026-11-21", "2026-12-05", "2026-11-21", "2026-11-21", "2026-11-21")
    )
    assert act(client, first, "validate") == "CT2611-0001"
    assert act(client, second, "validate") == "CT2612-0002"
    assert act(client, second, "settodraft") == act(client, second, "validate") == "CT2612-0002"
    client.ask("PUT", "/setup/conf/CONTRACTS_MASK", {"value": "SVC-{yyyy}-{000}"})
    assert act(client, third, "validate") == "SVC-2026-001"
    client.refused("PUT", "/setup/conf/CONTRACTS_MASK", {"value": "no counter"}, status=400)
    # Written past the server
    set_constant("CONTRACTS_MASK", "no counter")
    client.refused("POST", f"/contracts/{fourth}/validate", {}, status=405)
    client.ask("DELETE", "/setup/conf/CONTRACTS_MASK")
    assert act(client, fourth, "validate") == "CT2611-0003"
    # No state of the sample permits `delete`, so a document that has its reference stays
    client.refused("DELETE", f"/contracts/{fourth}", status=405)
    act(client, fourth, "settodraft")
    client.ask("DELETE", f"/contracts/{fourth}")
    assert act(client, fifth, "validate") == "CT2611-0003"
    assert client.get("/contracts/ref/CT2611-0003")["id"] == fifth


def test_the_other_profile_answers_in_its_own_way(serve):
    client = serve(modules=str(SAMPLE.parent), profile_name="dolibarr16").client()
    customer = client.ask("POST", "/thirdparties", {"name": "Customer"})
    body = {"socid": customer, "date": "2026-11-21", "note_private": "kept", "lines": [{"qty": 3, "subprice": "9.99"}]}
    identifier = client.ask("POST", "/contracts", body)
    record = client.ask("PUT", f"/contracts/{identifier}", {"note_public": "printed"})
    assert (record["note_public"], record["note_private"]) == ("printed", "kept")
    assert (record["statut"], record["end"], record["array_options"]) == ("0", "", [])
    assert (record["total_ht"], record["lines"][0]["qty"]) == ("29.97000000", "3")
    act(client, identifier, "validate")
    client.refused("POST", f"/contracts/{identifier}/reopen", {}, status=405)


@pytest.mark.parametrize("file", ["models.py", "contracts.py", "class/api_contracts.py"])
def test_a_broken_file_of_it_costs_only_itself(serve, copy, file):
    (copy / file).write_text("def broken(:\n")
    client = serve(modules=str(copy.parent)).client()
    client.get("/contracts", status=501)
    customer = client.ask("POST", "/thirdparties", {"name": "Customer"})
    offer = client.ask(
        "POST", "/proposals", {"socid": customer, "date": "2026-11-21", "lines": [{"desc": "Desk", "qty": 1}]}
    )
    assert len(client.get(f"/proposals/{offer}")["lines"]) == 1


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("lines = Lines(ContractLine)", "lines"),
        ('series = Series("contracts", "CT{yy}{mm}-{0000}", setting="CONTRACTS_MASK")', "series"),
    ],
)
def test_what_a_kind_forgets_to_say_is_named(serve, copy, line, missing):
    text = (copy / "contracts.py").read_text()
    assert line in text
    (copy / "contracts.py").write_text(text.replace(line, "pass"))
    client = serve(modules=str(copy.parent)).client()
    client.get("/contracts", status=501)
    assert f"Contracts must set {missing}" in str(client.get("/explorer/index.json")["failures"])
