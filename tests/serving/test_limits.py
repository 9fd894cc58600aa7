"""Limits of keys that several workers keep together: what each of them answers, and what all do."""

from __future__ import annotations

import http.client
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from core.testing import DATABASE_KINDS, drop_database, fresh_database, why_unavailable
from tests.needed import REDIS, why_no_redis
from tests.serving.conftest import Start
from tests.serving.running import Answer, Running

KEY = "a-key-of-this-test-0123456789"
#: what a worker logs when it cannot reach what all share, and when it can again
ALONE = "counted together"


@pytest.fixture(params=[*DATABASE_KINDS, "redis"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, str]]:
    """Settings that say where workers count."""
    kind = request.param if request.param != "redis" else "sqlite"
    if reason := why_no_redis() if request.param == "redis" else why_unavailable(kind):
        pytest.skip(reason)
    url = fresh_database(kind, tmp_path)
    yield {"database": url} | ({"cache": REDIS} if request.param == "redis" else {})
    drop_database(url)


def await_room(seconds: float = 10) -> None:
    """Wait for the next minute where this one may end too early."""
    if time.time() % 60 > 60 - seconds:
        time.sleep(60.2 - time.time() % 60)


def remaining(answer: Answer) -> int:
    return int(answer.headers["ratelimit"].partition("r=")[2].partition(";")[0])


def new_key(server: Running, rate: int) -> str:
    """A key with a limit of its own."""
    made = server.ask("/users/1/keys", "POST", {"rate": rate}, KEY)
    assert made.status == 200, made
    key: str = made.json["key"]
    return key


@pytest.mark.parametrize(
    "limit", [pytest.param(1, marks=pytest.mark.lasting), 10, pytest.param(25, marks=pytest.mark.lasting)]
)
def test_all_workers_together_answer_exactly_the_limit(start: Start, shared: dict[str, str], limit: int) -> None:
    server = start(workers=3, admin_key=KEY, **shared)
    if "cache" in shared:
        from redis import Redis

        # Identifiers of keys are the same in every new database
        with Redis.from_url(REDIS) as client:
            for name in client.scan_iter("comptoir:rate:*"):
                client.delete(name)
    for _ in range(3):
        key = new_key(server, limit)
        await_room()
        said = server.output.count(ALONE)
        with ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(partial(server.ask, "/status", key=key), ["GET"] * (limit + 12)))
        # A disk that is busy for too long: each worker says that it counts for itself, and that is no wrong count
        if server.output.count(ALONE) == said:
            break
    assert Counter(each.status for each in answers) == {200: limit, 429: 12}
    assert {each.headers["ratelimit-policy"] for each in answers} == {f'"key";q={limit};w=60'}
    for each in answers:
        if each.status == 429:
            assert 1 <= int(each.headers["retry-after"]) <= 60
            assert remaining(each) == 0
    # Every worker says so, also one that has answered nobody yet
    assert {server.ask("/status", key=key).status for _ in range(12)} == {429}


def test_a_key_of_many_requests_is_never_answered_more_often(start: Start) -> None:
    server = start(workers=3, admin_key=KEY)
    key = new_key(server, 150)
    # As many as a slow machine answers within the minute; a minute that ends meanwhile tells nothing
    for _ in range(3):
        await_room()
        minute = time.time() // 60
        with ThreadPoolExecutor(6) as pool:
            statuses = Counter(pool.map(lambda _: server.ask("/status", key=key).status, range(200)))
        if time.time() // 60 == minute:
            break
    # What a worker holds back is a few of its own at the most
    assert 140 <= statuses[200] <= 150, statuses
    assert statuses[200] + statuses[429] == 200


def test_a_request_whose_body_comes_later_counts_once(start: Start) -> None:
    server = start(workers=1, admin_key=KEY)
    key = new_key(server, 10)
    await_room()
    assert remaining(server.ask("/status", key=key)) == 9
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    for expected in (8, 7):
        connection.putrequest("POST", "/thirdparties")
        for name, value in (("DOLAPIKEY", key), ("Content-Type", "application/json"), ("Content-Length", "16")):
            connection.putheader(name, value)
        connection.endheaders()
        time.sleep(0.3)
        connection.send(b'{"name": "Slow"}')
        answer = connection.getresponse()
        assert (answer.status, answer.read().isdigit()) == (200, True)
        assert f"r={expected};" in (answer.headers["ratelimit"] or "")
    connection.close()


def test_the_service_goes_on_without_its_redis(start: Start) -> None:
    if reason := why_no_redis():
        pytest.skip(reason)
    server = start(workers=2, admin_key=KEY, cache="redis://127.0.0.1:1/0", rate=100_000)
    for _ in range(20):
        assert server.ask("/status", key=KEY).status == 200
    # Each worker says so once
    assert 1 <= server.output.count("requests of keys cannot be counted together") <= 2
