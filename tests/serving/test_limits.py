"""Limits of keys that several workers keep together: what each returns, and what all return.

A minute may end in any of these tests. Each response says in which minute it was counted, so nothing waits for one.
"""

import http.client
import sqlite3
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from email.utils import parsedate_to_datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from core.testing import drop_database, fresh_database, why_unavailable
from tests.needed import REDIS, why_no_redis

KEY = "a-key-of-this-test-0123456789"
#: what a worker logs when it cannot reach what all share, and when it can again
ALONE = "each worker counts on its own"


@pytest.fixture
def in_memory():
    """A folder in memory: a commit there waits for no disk, so all workers always count together."""
    with TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder)


# What MariaDB's statement does is tried in `tests/core/access`; its tables take twenty seconds to make
@pytest.fixture(params=["sqlite", "postgresql", pytest.param("mysql", marks=pytest.mark.lasting), "redis"])
def shared(request, in_memory):
    """Settings that say where workers count."""
    kind = request.param if request.param != "redis" else "sqlite"
    if reason := why_no_redis() if request.param == "redis" else why_unavailable(kind):
        pytest.skip(reason)
    url = fresh_database(kind, in_memory)
    yield {"database": url} | ({"cache": REDIS} if request.param == "redis" else {})
    drop_database(url)


def field(headers, letter):
    """A number of the header field `RateLimit`: `r` is what remains, `t` the seconds until the minute ends."""
    return int(headers["ratelimit"].partition(f"{letter}=")[2].partition(";")[0])


def minute(headers):
    """The minute a response was counted in, by the server's clock; exact if it took less than half a minute."""
    return round((parsedate_to_datetime(headers["date"]).timestamp() + field(headers, "t")) / 60) - 1


def by_minute(answers):
    """How often each status was returned in each minute."""
    minutes = {}
    for each in answers:
        minutes.setdefault(minute(each.headers), Counter())[each.status] += 1
    return minutes


def ask_until_refused(server, key, number):
    """Ask that many times at once, again if a minute's end has left each half below the limit."""
    answers = []
    with ThreadPoolExecutor(6) as pool:
        while all(each.status != 429 for each in answers):
            assert len(answers) < 10 * number, by_minute(answers)
            answers += pool.map(lambda _: server.ask("/status", key=key), range(number))
    return answers


def new_key(server, rate):
    """A key with a limit of its own."""
    made = server.ask("/users/1/keys", "POST", {"rate": rate}, KEY)
    assert made.status == 200, made
    return made.json["key"]


@pytest.mark.parametrize(
    "limit", [pytest.param(1, marks=pytest.mark.lasting), 10, pytest.param(25, marks=pytest.mark.lasting)]
)
def test_all_workers_together_answer_exactly_the_limit(start, shared, limit):
    server = start(workers=3, admin_key=KEY, **shared)
    if "cache" in shared:
        from redis import Redis

        # Identifiers of keys are the same in every new database
        with Redis.from_url(REDIS) as client:
            for name in client.scan_iter("comptoir:rate:*"):
                client.delete(name)
    key = new_key(server, limit)
    answers = ask_until_refused(server, key, limit + 12)
    assert ALONE not in server.output, server.output
    for statuses in by_minute(answers).values():
        assert statuses[200] == limit if statuses[429] else statuses[200] <= limit, by_minute(answers)
    assert {each.headers["ratelimit-policy"] for each in answers} == {f'"key";q={limit};w=60'}
    refused = [each for each in answers if each.status == 429]
    for each in refused:
        assert 1 <= int(each.headers["retry-after"]) <= 60
        assert field(each.headers, "r") == 0
    # Every worker says so, also one that has answered nobody yet
    spent = minute(refused[-1].headers)
    later = [server.ask("/status", key=key) for _ in range(12)]
    assert {each.status for each in later if minute(each.headers) == spent} <= {429}


def test_a_key_of_many_requests_is_never_answered_more_often(start, in_memory):
    server = start(workers=3, admin_key=KEY, database=f"sqlite:///{in_memory}/test.db")
    answers = ask_until_refused(server, new_key(server, 150), 200)
    assert ALONE not in server.output, server.output
    for statuses in by_minute(answers).values():
        assert statuses[200] <= 150, by_minute(answers)
        # A worker holds back a few of its own
        assert statuses[200] >= 140 or not statuses[429], by_minute(answers)


def test_a_limit_holds_while_somebody_writes(start, in_memory):
    """A commit on a busy disk holds SQLite's lock for a few tenths of a second."""
    server = start(workers=3, admin_key=KEY, database=f"sqlite:///{in_memory}/test.db")
    key = new_key(server, 60)
    writer = sqlite3.connect(in_memory / "test.db", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor(1) as others:
        burst = others.submit(ask_until_refused, server, key, 100)
        try:
            # Longer than one commit takes, and well within the second that a request waits
            with pytest.raises(TimeoutError):
                burst.result(0.2)
        finally:
            writer.execute("ROLLBACK")
            writer.close()
        answers = burst.result()
    assert ALONE not in server.output, server.output
    assert all(statuses[200] <= 60 for statuses in by_minute(answers).values()), by_minute(answers)


def test_a_request_whose_body_comes_later_counts_once(start):
    server = start(workers=1, admin_key=KEY)
    key = new_key(server, 10)
    counted = [server.ask("/status", key=key).headers]
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    for _ in range(2):
        connection.putrequest("POST", "/thirdparties")
        for name, value in (("DOLAPIKEY", key), ("Content-Type", "application/json"), ("Content-Length", "16")):
            connection.putheader(name, value)
        connection.endheaders()
        time.sleep(0.3)
        connection.send(b'{"name": "Slow"}')
        answer = connection.getresponse()
        assert (answer.status, answer.read().isdigit()) == (200, True)
        counted.append({name.lower(): value for name, value in answer.getheaders()})
    connection.close()
    place = Counter[int]()
    for headers in counted:
        place[minute(headers)] += 1
        assert field(headers, "r") == 10 - place[minute(headers)], counted


def test_the_service_goes_on_without_its_redis(start):
    if reason := why_no_redis():
        pytest.skip(reason)
    server = start(workers=2, admin_key=KEY, cache="redis://127.0.0.1:1/0", rate=100_000)
    for _ in range(20):
        assert server.ask("/status", key=KEY).status == 200
    # Each worker says so once
    assert 1 <= server.output.count(ALONE) <= 2
