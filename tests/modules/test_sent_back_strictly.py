"""Every record of the demonstration data can be sent back as it was read, with `Prefer: handling=strict`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from core.commands.demo import make_demonstration
from core.contract.catalogue import catalogue
from core.testing import Client, Served, serving

pytestmark = pytest.mark.slow

STRICT = {"Prefer": "handling=strict"}
#: records of one service that are sent back
MOST = 60


@pytest.fixture(scope="module", params=["specification", "dolibarr16"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("strict"), profile_name=request.param) as server:
        assert make_demonstration(server.settings) == []
        yield server


def listed(client: Client, path: str) -> list[dict[str, Any]]:
    answer = client.simulate_get(path, params={"limit": str(MOST)})
    return [each for each in answer.json if isinstance(each, dict)] if answer.status_code == 200 else []


def changes() -> Iterator[tuple[str, str, str]]:
    """Yield service, verb and name in the path of every operation that changes a record which can also be read."""
    for name, service in catalogue().services.items():
        reads = {each.template.lower() for each in service.operations if each.verb == "GET"}
        for each in service.operations:
            if each.verb in ("PUT", "PATCH") and len(each.segments) == 1 and f"/{name}" in reads:
                yield name, each.verb, each.segments[0]


def test_every_record(served: Served) -> None:
    client = served.client()
    sent = set()
    for service, verb, _ in changes():
        for listed_record in listed(client, f"/{service}"):
            answer = client.simulate_get(f"/{service}/{listed_record['id']}")
            record = answer.json if answer.status_code == 200 else listed_record
            done = client.simulate_request(verb, f"/{service}/{record['id']}", json=record, headers=STRICT)
            # Documents that are not drafts, and what records of other modules use, refuse some changes
            assert done.status_code in (200, 304, 405), f"{verb} /{service}/{record['id']}: {done.text}"
            sent.add((service, verb))
    assert {("orders", "PUT"), ("invoices", "PATCH"), ("products", "PUT"), ("thirdparties", "PATCH")} <= sent


@pytest.mark.parametrize("service", ["proposals", "orders", "invoices"])
def test_every_line(served: Served, service: str) -> None:
    client, number = served.client(), 0
    for record in listed(client, f"/{service}"):
        for line in record["lines"]:
            done = client.simulate_put(f"/{service}/{record['id']}/lines/{line['id']}", json=line, headers=STRICT)
            assert done.status_code in (200, 405), done.text
            number += done.status_code == 200
    assert number > 0


@pytest.mark.parametrize("service", ["proposals", "orders", "invoices"])
def test_a_copy_of_a_document(served: Served, service: str) -> None:
    """A new document may be made from one that was read; `id` and `ref` are ignored."""
    client = served.client()
    record = next(each for each in listed(client, f"/{service}") if each["lines"])
    made = client.simulate_post(f"/{service}", json=record, headers=STRICT)
    assert made.status_code == 200 and int(made.text.strip('"')) != int(record["id"]), made.text
