"""What every answer says of itself: its name, and how long it took."""

import logging
import re
import time

import peewee
import pytest

from core.common.request_state import current_state
from core.web.request_states import new_id

SLOW = '''
import time

from core import query


class Dawdle:
    """Dawdle.

    :access: public
    """

    def index(self, seconds: float = 0.0, fail: bool = False) -> int:
        """Wait, and ask the database twice."""
        query("SELECT 1")
        time.sleep(seconds)
        if fail:
            raise ValueError("private words")
        return query("SELECT 41 + 1")[0][0]
'''


@pytest.fixture(scope="module")
def client(sample_server):
    return sample_server.client()


@pytest.mark.parametrize(
    ("verb", "path", "status"),
    [
        ("GET", "/status", 200),
        ("HEAD", "/status", 200),
        ("GET", "/api/index.php/status", 200),
        ("GET", "/thirdparties/999999", 404),
        ("GET", "/thirdparties/one", 400),
        ("PATCH", "/status", 405),
        ("GET", "/nothing/here", 404),
        ("OPTIONS", "/status", 405),
        ("GET", "/", 302),
        ("GET", "/explorer", 200),
        ("GET", "/explorer/openapi.json", 200),
        ("POST", "/explorer", 405),
        ("POST", "/login", 400),
    ],
)
def test_every_answer_has_a_name(client, verb, path, status):
    answers = [client.simulate_request(verb, path, headers=headers) for headers in ({}, {"X-Request-Id": "a.B_9-z"})]
    assert [each.status_code for each in answers] == [status] * 2
    assert re.fullmatch(r"[0-9a-f]{10}-[0-9a-f]+", answers[0].headers["x-request-id"])
    assert answers[1].headers["x-request-id"] == "a.B_9-z"
    if status >= 400 and verb != "HEAD":
        assert [each.json["error"]["request_id"] for each in answers] == [
            each.headers["x-request-id"] for each in answers
        ]
    assert current_state() is None


def test_what_is_unchanged_has_a_name_too(client):
    for path in ("/status", "/explorer/openapi.json", "/explorer"):
        tag = client.simulate_get(path).headers["etag"]
        answer = client.simulate_get(path, headers={"If-None-Match": tag})
        assert answer.status_code == 304
        assert answer.headers["x-request-id"]


def test_a_missing_key_is_told_under_a_name(sample_server):
    answer = sample_server.client(None).simulate_get("/status")
    assert answer.status_code == 401
    assert answer.json["error"]["request_id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize("sent", ["", " ", "a b", "x" * 65, "ä", "a\tb", "a/b", "<b>", "a;b", "a,b"])
def test_a_name_that_is_no_plain_one_is_replaced(client, sent):
    answer = client.simulate_get("/status", headers={"X-Request-Id": sent})
    assert re.fullmatch(r"[0-9a-f]{10}-[0-9a-f]+", answer.headers["x-request-id"])


def test_a_long_plain_name_is_taken(client):
    answer = client.simulate_get("/status", headers={"X-Request-Id": "x" * 64})
    assert answer.headers["x-request-id"] == "x" * 64


def test_names_are_given_once():
    assert len({new_id() for _ in range(1000)}) == 1000


@pytest.fixture
def dawdle(serve, folder, write):
    write("dawdle/class/api_dawdle.py", SLOW)
    return lambda **options: serve(modules=str(folder), **options)


def durations(header):
    found = re.fullmatch(r"app;dur=(\d+\.\d), db;dur=(\d+\.\d)", header)
    assert found, header
    return float(found[1]), float(found[2])


def test_an_answer_of_an_operation_says_how_long_it_took(dawdle):
    client = dawdle().client(None)
    app, database = durations(client.simulate_get("/dawdle?seconds=0.2").headers["server-timing"])
    assert app >= 200
    assert 0 <= database < app - 190
    for path in ("/dawdle?seconds=x", "/dawdle?fail=1", "/thirdparties"):
        assert durations(client.simulate_get(path).headers["server-timing"]), path
    assert "server-timing" not in client.simulate_get("/nothing").headers


def test_what_waits_for_the_database_is_its_time(dawdle, monkeypatch):
    served = dawdle()
    commit = peewee.Database.commit

    def slow_commit(database):
        time.sleep(0.2)
        commit(database)

    monkeypatch.setattr(peewee.Database, "commit", slow_commit)
    answer = served.client().simulate_post("/thirdparties", json={"name": "Slow Ltd"})
    assert answer.status_code == 200
    assert durations(answer.headers["server-timing"])[1] >= 200


def test_a_slow_request_is_named(dawdle, caplog):
    client = dawdle(slow=0.1).client(None)
    caplog.set_level(logging.WARNING, "comptoir")
    client.get("/dawdle", seconds=0.15)
    (told,) = [record.getMessage() for record in caplog.records if record.name == "comptoir.slow"]
    assert re.fullmatch(
        r"slow: GET /dawdle took \d+\.\d\d s, of which \d+\.\d\d s in the database for 2 statements", told
    )


def test_no_request_is_slow_unless_that_is_set(dawdle, caplog):
    client = dawdle(slow=0).client(None)
    client.get("/dawdle", seconds=0.01)
    assert caplog.records == []


def test_an_unexpected_failure_is_logged_under_the_name_that_is_answered(dawdle, caplog):
    answer = dawdle().client(None).simulate_get("/dawdle?fail=1", headers={"X-Request-Id": "mine-7"})
    assert answer.status_code == 500
    assert answer.json["error"]["request_id"] == answer.headers["x-request-id"] == "mine-7"
    assert "request mine-7 failed" in caplog.text


@pytest.mark.filterwarnings("ignore:Unknown REQUEST_METHOD")
def test_a_request_can_be_told_of_that_falcon_refuses_before_it_begins(sample_server):
    answer = sample_server.client().simulate_request("WEBSOCKET", "/status")
    assert answer.status_code == 400
    assert answer.headers["x-request-id"]
    assert current_state() is None
