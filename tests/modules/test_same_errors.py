"""Random bodies have the same errors in an operation, in a batch and in a bulk insert."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core import ApiError, catalogue
from core.storage.model import meta_of
from core.testing import Client

#: service → a body that is accepted once
SERVICES: dict[str, dict[str, Any]] = {
    "contacts": {"lastname": "Able"},
    "thirdparties": {"name": "Able Ltd", "code_client": "CU1-able"},
    "products": {"ref": "able", "label": "Able"},
    "warehouses": {"label": "able"},
    "bankaccounts": {
        "ref": "able",
        "label": "Able",
        "currency_code": "EUR",
        "country_id": 1,
        "date_solde": "2026-01-01",
    },
}
VALUES = st.sampled_from(
    [None, "", 0, -1, 1, 2, 999_999, "x", "9" * 40, 300 * "w", True, [], {}, {"a": 1}, 1.5, "1.5", "2026-01-01", "able",
     "nobody@example.org", 10**30]
)  # fmt: skip


@pytest.fixture(scope="module")
def made(admin: Client) -> dict[str, int]:
    """A record of each service."""
    return {service: admin.ask("POST", f"/{service}", body) for service, body in SERVICES.items()}


def bodies(service: str) -> st.SearchStrategy[dict[str, Any]]:
    names = [*meta_of(catalogue().services[service].records.model).fields, "array_options", "no_such_field"]
    random = st.dictionaries(st.sampled_from(names), VALUES, max_size=5)
    return st.builds(lambda base, more: base | more, st.sampled_from([{}, SERVICES[service]]), random)


def error_of(client: Client, verb: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """The error of a request without its ID; empty if it succeeds."""
    answer = client.simulate_request(verb, path, json=body)
    assert answer.status_code < 500, answer.text
    error: dict[str, Any] = {} if answer.status_code < 300 else answer.json["error"]
    return {name: value for name, value in error.items() if name != "request_id"}


def error_in_batch(client: Client, service: str, entry: dict[str, Any]) -> dict[str, Any]:
    answer = client.ask("POST", f"/{service}/batch", {"atomic": False, "entries": [entry]})
    error: dict[str, Any] = answer["results"][0].get("error", {})
    return error


def errors_in_bulk(service: str, body: dict[str, Any]) -> list[tuple[str, str]]:
    """The fields and reasons of `create_many`, without their place."""
    read = json.loads(json.dumps(body), parse_float=Decimal)
    try:
        catalogue().services[service].records.create_many([read])
    except ApiError as error:
        return [(name.removeprefix("rows[0]").removeprefix("."), reason) for name, reason in error.errors]
    return []


@pytest.mark.anywhere
@pytest.mark.parametrize("service", SERVICES)
@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_each_way_has_the_same_errors(admin: Client, made: dict[str, int], service: str, data: Any) -> None:
    body = data.draw(bodies(service))
    error = error_of(admin, "POST", f"/{service}", body)
    if error:
        assert error_in_batch(admin, service, {"method": "POST", "body": body}) == error
        listed = [(each["field"], each["message"]) for each in error.get("errors", [])]
        message = error["message"].partition(": ")[2]
        assert errors_in_bulk(service, body) == (listed or [("", message)])
    for verb in ("PUT", "PATCH"):
        error = error_of(admin, verb, f"/{service}/{made[service]}", body)
        entry = {"method": verb, "id": made[service], "body": body}
        assert error_in_batch(admin, service, entry) == error
