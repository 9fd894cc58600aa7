"""Limits of keys that several workers keep together: what each returns, and what all return.

A minute may end in any of these tests. Each response says in which minute it was counted, so nothing waits for one.
"""

import sqlite3
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from email.utils import parsedate_to_datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.needed import REDIS, unused_key_id, why_no_redis
from tests.serving.conftest import running_over
from tests.serving.running import PATIENCE, wait_until

KEY = "a-key-of-this-test-0123456789"
#: what a worker logs when it cannot reach what all share, and when it can again
ALONE = "each worker counts on its own"


# What MariaDB's statement does is tried in `tests/core/access`; its tables take twenty seconds to make
@pytest.fixture(
    scope="module", params=["sqlite", "postgresql", pytest.param("mysql", marks=pytest.mark.lasting), "redis"]
)
def server(request):
    """Three workers for each place in which they count."""
    settings = {"admin_key": KEY, "known": True}
    if request.param == "redis":
        if reason := why_no_redis():
            pytest.skip(reason)
        settings |= {"cache": REDIS}
    # A folder in memory: a commit there waits for no disk
    with TemporaryDirectory(dir="/dev/shm") as folder:
        kind = request.param if request.param != "redis" else "sqlite"
        with running_over(kind, Path(folder), **settings) as server:
            yield server


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


def ask_together(server, rate, number):
    """Do that with a new key; return the answers and the key. Again if a worker has waited too long for its turn, as on a busy machine."""
    found = []

    def are_counted_together():
        alone, key = server.output.count(ALONE), new_key(server, rate)
        found[:] = ask_until_refused(server, key, number), key
        return alone == server.output.count(ALONE) == server.output.count("the shared counter is available again")

    wait_until(are_counted_together, lambda: server.output)
    return found


def new_key(server, rate):
    """A key with a limit of its own."""
    made = server.ask("/users/1/keys", "POST", {"rate": rate}, KEY)
    assert made.status == 200, made
    if "cache" in server.settings:
        # IDs are the same in every new database, and other tests count in this Redis
        with closing(sqlite3.connect(server.settings["database"].removeprefix("sqlite:///"), PATIENCE)) as database:
            database.execute("UPDATE comptoir_key SET rowid = ? WHERE rowid = ?", (unused_key_id(), made.json["id"]))
            database.commit()
    return made.json["key"]


def test_all_workers_together_answer_exactly_the_limit(server):
    limit = 10
    answers, key = ask_together(server, limit, limit + 12)
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
