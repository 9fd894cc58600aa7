"""What the server itself answers to any operation is documented at the operation: keys, media types, sizes, states."""

from typing import Any
from urllib.parse import quote

import pytest

from core import settings
from tests.explorer.fuzzing import Fuzzer

pytestmark = pytest.mark.slow

Operation = tuple[str, str, dict[str, Any]]


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory):
    """A server with demonstration data."""
    made = Fuzzer(tmp_path_factory)
    yield made
    made.close()


def operations(fuzzer):
    """Verb, path and what the document says, of every operation."""
    paths = fuzzer.document["paths"].items()
    return [(verb.upper(), path, said) for path, verbs in paths for verb, said in verbs.items()]


def ask(fuzzer, client, operation, **options):
    """The status of a request for a real record, with the example as its body; nothing of it is kept."""
    verb, path, said = operation
    for name, value in fuzzer.real.place(path).items():
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    body = said.get("requestBody", {}).get("content", {}).get("application/json", {})
    if "body" not in options and body:
        options["json"] = body["example"]
    status = client.simulate_request(verb, path, **options).status_code
    fuzzer.restorer.restore()
    return status


def undocumented(fuzzer, key="", chosen="", **options):
    """Operations whose answer is not documented, and every status that was answered."""
    client = fuzzer.client if key == "" else fuzzer.served.client(key)
    wrong, statuses = set(), set()
    for verb, path, said in operations(fuzzer):
        if not chosen or chosen in said:
            status = ask(fuzzer, client, (verb, path, said), **options)
            statuses.add(status)
            if str(status) not in said["responses"]:
                wrong.add(f"{verb} {path} {status}")
    return wrong, statuses


def test_without_a_key(fuzzer):
    wrong, statuses = undocumented(fuzzer, None)
    assert sorted(wrong) == []
    assert 401 in statuses


@pytest.mark.lasting
def test_without_a_right(fuzzer):
    client = fuzzer.served.user(login="nobody")
    fuzzer.restorer.remember()
    found = {}
    for operation in operations(fuzzer):
        status = ask(fuzzer, client, operation)
        if str(status) not in operation[2]["responses"]:
            found[operation[:2]] = status
    assert found == {}


@pytest.mark.lasting
def test_other_media_types_are_wanted(fuzzer):
    for accept in ("image/png", "text/csv"):
        wrong, statuses = undocumented(fuzzer, headers={"Accept": accept})
        assert wrong == set()
        assert 406 in statuses


@pytest.mark.lasting
@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"body": b"{", "headers": {"Content-Type": "application/json"}}, 400),
        ({"body": b"<a/>", "headers": {"Content-Type": "application/xml"}}, 415),
        ({"body": b"{}", "headers": {"Content-Length": "99999999"}}, 413),
    ],
)
def test_bodies_that_are_not_read(fuzzer, options, status):
    assert settings().max_body < 99999999
    wrong, statuses = undocumented(fuzzer, chosen="requestBody", **options)
    assert sorted(wrong) == []
    assert statuses == {status}


@pytest.mark.lasting
def test_another_state_of_the_record_is_named(fuzzer):
    wrong, statuses = undocumented(fuzzer, headers={"If-Match": '"another"'})
    assert sorted(wrong) == []
    assert 412 in statuses


@pytest.mark.lasting
def test_the_state_is_known(fuzzer):
    wrong, statuses = undocumented(fuzzer, headers={"If-None-Match": "*"})
    assert sorted(wrong) == []
    assert 304 in statuses
