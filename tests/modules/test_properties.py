"""`properties` of every list: each field has the value that it has in the whole record, although less is read."""

from typing import Any

import pytest

from core.contract.catalogue import catalogue
from core.records.records import Records
from core.storage.database import database, ensure_connected
from tests.filled import demonstration, filled

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["specification", "dolibarr16"])
def served(request, tmp_path_factory):
    return filled(tmp_path_factory, demonstration, profile_name=request.param)


def _lists(client):
    for service in catalogue().services.values():
        if service.records is None or not any(
            one.verb == "GET" and one.template == f"/{service.name}" for one in service.operations
        ):
            continue
        answer = client.simulate_get(f"/{service.name}", params={"limit": 20})
        if answer.status_code == 200 and isinstance(answer.json, list) and answer.json:
            yield service.name, answer.json


def test_each_field_is_that_of_the_whole_record(served):
    client, compared = served.client(), 0
    for name, whole in _lists(client):
        for key in whole[0]:
            asked = {"limit": 20, "properties": key}
            answer = client.simulate_get(f"/{name}", params=asked)
            assert answer.status_code == 200, (name, key, answer.text[:300])
            assert answer.json == [{key: each[key]} if key in each else {} for each in whole], (name, key)
            compared += 1
    assert compared > 300


def test_only_the_fields_that_are_needed_are_read(served):
    ensure_connected()
    seen = []
    database.obj.query_hooks.append(note := lambda event: seen.append(event.sql))
    try:
        served.client().ask("GET", "/contacts", params={"properties": "lastname"})
    finally:
        database.obj.query_hooks.remove(note)
    (sql,) = [each for each in seen if "ORDER BY" in each and "llx_socpeople" in each]
    assert "lastname" in sql
    assert "note_public" not in sql


def test_a_class_that_completes_its_records_reads_all_of_them_unless_it_lists_what_it_needs():
    class Completing(Records[Any]):
        def complete(self, records):
            super().complete(records)

    class Sparing(Completing):
        completed_from = ("name",)

    class Loading(Sparing):
        def loaders(self, *, alone):
            return []

    class Plain(Records[Any]):
        noun = "Thing"

    assert [each.completed_from for each in (Completing, Sparing, Loading, Plain)] == [None, ("name",), None, ()]
