"""Demonstration data, on each database: its records are as those that requests create, and jobs print its PDFs."""

import importlib
import re
from collections import Counter, defaultdict
from decimal import Decimal

import pytest

from core.commands.demo import make_demonstration
from core.for_natives import Change, Job
from core.storage.database import ensure_connected

pytestmark = pytest.mark.slow

DOCUMENTS = ("proposals", "orders", "invoices", "shipments")
#: kind of document → the least number of them, and the states that it has
EXPECTED = {
    "proposals": (240, {0, 1, 2, 3, 4}),
    "orders": (200, {-1, 0, 1, 2, 3}),
    "invoices": (200, {0, 1, 2, 3}),
    "shipments": (1, {0, 1, 2}),
}
TOTALS = ("total_ht", "total_tva", "total_ttc")


@pytest.fixture(scope="module")
def made(server):
    ensure_connected()
    assert make_demonstration(server.settings) == []
    return server


def every(client, path):
    return client.get(path, limit=0, sortfield="t.rowid")


@pytest.mark.parametrize("service", DOCUMENTS)
def test_documents_have_references_without_a_gap(made, admin, service):
    records = every(admin, f"/{service}")
    least, states = EXPECTED[service]
    assert len(records) >= least
    assert {int(each["statut"]) for each in records} <= states
    numbers = defaultdict(list)
    for each in records:
        if int(each["statut"]) == 0:
            assert each["ref"] == f"(PROV{each['id']})"
        else:
            series, number = re.fullmatch(r"([A-Z]+)\d{4}-(\d+)", each["ref"]).groups()
            numbers[series].append(int(number))
    assert all(sorted(each) == [*range(1, len(each) + 1)] for each in numbers.values())


@pytest.mark.parametrize("service", ("proposals", "orders", "invoices"))
def test_totals_are_those_of_the_lines(made, admin, service):
    records = every(admin, f"/{service}")
    assert records
    for each in records:
        assert each["lines"]
        assert [int(line["rang"]) for line in each["lines"]] == [*range(1, len(each["lines"]) + 1)]
        for name in TOTALS:
            assert Decimal(each[name]) == sum(Decimal(line[name]) for line in each["lines"]), each["ref"]


def test_a_document_is_complete(made, admin):
    for service in DOCUMENTS:
        record = next(each for each in every(admin, f"/{service}") if int(each["statut"]) > 0)
        assert record["date_validation"] and record["date_creation"] and record["socid"]
    order = next(each for each in every(admin, "/orders") if int(each["id"]) == 1)
    (linked,) = admin.get(f"/orders/{order['id']}")["linkedObjectsIds"]["propal"].values()
    assert admin.get(f"/proposals/{linked}")["socid"] == order["socid"]


def test_invoices_are_paid_as_their_states_say(made, admin):
    kinds = Counter[str]()
    for each in every(admin, "/invoices"):
        if int(each["statut"]) == 2 and int(each["type"]) != 2:
            kinds["paid"] += 1
            assert (int(each["paye"]), Decimal(each["remaintopay"])) == (1, 0), each["ref"]
            assert each["date_closing"]
        kinds[str(each["type"])] += 1
    assert kinds["paid"] > 100 and kinds["2"] and kinds["3"]
    billed = [each for each in every(admin, "/orders") if int(each["billed"])]
    assert len(billed) > 50
    assert all("facture" in admin.get(f"/orders/{each['id']}")["linkedObjectsIds"] for each in billed[:5])


def test_the_audit_trail_has_every_document(made, admin):
    for table, service in (("llx_propal", "proposals"), ("llx_commande", "orders"), ("llx_facture", "invoices")):
        ids = {each["id"] for each in every(admin, f"/{service}")}
        noted = Change.select(Change.record).where((Change.element == table) & (Change.kind == "created"))
        assert {int(row.record) for row in noted} == {int(each) for each in ids}


def test_jobs_print_the_pdfs(made, monkeypatch):
    waiting = Job.select().where(Job.name == "print_documents").count()
    assert 10 < waiting < 40
    assert made.run_jobs() >= waiting
    findings = importlib.import_module("modules.documents.repair.findings")
    monkeypatch.setattr(findings, "YOUNG", -60)
    found = findings.find()
    assert (found.lost, found.changed, found.stray, found.missing) == ([], [], [], [])
    assert found.files > 500
