"""Where requests of keys are counted for all workers: the database of each kind, a Redis."""

import socket
from concurrent.futures import ThreadPoolExecutor

import peewee
import pytest

from core.access.keys import make_key
from core.access.limits import DatabaseStore, Limiter, RedisStore, TakenRequests, limiter
from core.for_natives import Restriction
from core.storage.database import close, database, ensure_connected
from core.testing import statements
from tests.needed import REDIS, unused_key_id, why_no_redis

pytestmark = pytest.mark.every_database

NOON = 1_795_348_800

needs_redis = pytest.mark.skipif(bool(why_no_redis()), reason=why_no_redis())


@pytest.fixture(params=["database", pytest.param("redis", marks=needs_redis)])
def store(request, server):
    ensure_connected()
    made = DatabaseStore() if request.param == "database" else RedisStore(REDIS)
    yield made
    if isinstance(made, RedisStore):
        made._client.close()


@pytest.fixture
def key_id():
    """An unused key."""
    return unused_key_id()


def test_what_is_taken_adds_up_in_its_window(store, key_id):
    assert [store.take(key_id, NOON, amount) for amount in (1, 5, 2)] == [1, 6, 8]
    assert store.take(key_id + 1, NOON, 3) == 3
    assert [store.take(key_id, NOON + 60, amount) for amount in (4, 1)] == [4, 5]


def test_a_host_whose_clock_is_late_does_not_begin_anew(server, key_id):
    store = DatabaseStore()
    assert store.take(key_id, NOON + 60, 4) == 4
    assert store.take(key_id, NOON, 1) == 5
    assert store.take(key_id, NOON + 60, 1) == 6
    # One whose clock is far ahead does not close the key for ever
    assert store.take(key_id, NOON + 6000, 50) == 50
    assert store.take(key_id, NOON + 120, 2) == 2


def test_portions_at_the_same_moment_are_all_counted(store, key_id, monkeypatch):
    # However slow the machine is
    monkeypatch.setattr("core.access.limits.LOCK_WAIT_SECONDS", 60)

    def take(_):
        try:
            return int(store.take(key_id, NOON, 3))
        finally:
            close()

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(take, range(40)))
    ensure_connected()
    assert sorted(answers) == [3 * number for number in range(1, 41)]


def test_old_windows_are_removed(server, key_id):
    store = DatabaseStore()
    store.take(key_id, NOON - 60, 1)
    store.take(key_id + 1, NOON, 1)
    store.forget(NOON)
    ensure_connected()
    kept = {row.key for row in TakenRequests.select()}
    assert key_id not in kept and key_id + 1 in kept


def test_nobody_waits_long_for_who_writes(serve, key_id, monkeypatch):
    """On SQLite one request in many would else wait for a long transaction of somebody else, though it only reads.

    It waits for a short one: a commit on a busy disk holds the lock for a few tenths of a second.
    """
    monkeypatch.setattr("core.access.limits.LOCK_WAIT_SECONDS", 0.05)
    serve()
    store = DatabaseStore()
    with ThreadPoolExecutor(1) as others, ThreadPoolExecutor(1) as patient:
        others.submit(ensure_connected).result()
        others.submit(database.begin, "IMMEDIATE").result()
        # Unless the wait ends, so does this test never
        with pytest.raises(peewee.PeeweeException, match="written for too long"):
            store.take(key_id, NOON, 1)
        monkeypatch.setattr("core.access.limits.LOCK_WAIT_SECONDS", 60)
        taken = patient.submit(store.take, key_id, NOON, 1)
        with pytest.raises(TimeoutError):
            taken.result(0.2)
        others.submit(database.rollback).result()
        assert taken.result() == 1
        for each in (others, patient):
            each.submit(close).result()


def test_a_redis_that_is_away_is_not_shared(key_id):
    pytest.importorskip("redis")
    store = RedisStore("redis://127.0.0.1:1/0")
    with pytest.raises(store.error, match=r"127\.0\.0\.1:1\. Connection refused"):
        store.take(key_id, NOON, 1)
    alone = Limiter(store)
    assert [alone.take(key_id, 2).is_spent for _ in range(3)] == [False, False, True]


def test_a_redis_that_does_not_respond_is_asked_once(key_id):
    pytest.importorskip("redis")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        store = RedisStore(f"redis://127.0.0.1:{silent.getsockname()[1]}/0")
        with pytest.raises(store.error, match="Timeout"):
            store.take(key_id, NOON, 1)
        asked, _ = silent.accept()
        silent.setblocking(False)
        with asked, pytest.raises(BlockingIOError):
            silent.accept()


@needs_redis
def test_a_redis_forgets_by_itself(key_id):
    from redis import Redis

    RedisStore(REDIS).take(key_id, NOON, 1)
    with Redis.from_url(REDIS) as client:
        assert 60 < client.ttl(f"comptoir:rate:{key_id}:{NOON}") <= 120


# Over HTTP ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def calm(server, monkeypatch):
    """A minute that does not end meanwhile."""
    monkeypatch.setattr(limiter, "value", Limiter(DatabaseStore(), lambda: NOON + 17.5))


def limited(server, rate, *rights):
    user = server.user(*rights)
    assert user.user_id is not None
    ensure_connected()
    return server.client(make_key(user.user_id, "limited", restriction=Restriction(rate=rate)))


def test_a_key_is_refused_beyond_its_limit(server, calm):
    client = limited(server, 5, "users.read")
    for remaining in (4, 3, 2, 1, 0):
        answer = client.simulate_get("/users")
        assert answer.status_code == 200
        assert answer.headers["ratelimit-policy"] == '"key";q=5;w=60'
        assert answer.headers["ratelimit"] == f'"key";r={remaining};t=43'
    answer = client.simulate_get("/users")
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "43")
    assert answer.json["error"]["message"].startswith("Too Many Requests: this key allows 5 requests per minute; try")
    assert answer.headers["ratelimit"] == '"key";r=0;t=43'
    # Another key of another user is not touched, and no limit is no header
    assert "ratelimit" not in server.client().simulate_get("/users").headers


@pytest.mark.parametrize(
    ("verb", "path", "status"),
    [
        ("GET", "/users", 401),
        ("GET", "/users/info", 200),
        ("GET", "/users/info?includepermissions=x", 400),
        ("POST", "/users/1/keys", 400),
    ],
)
def test_every_keyed_answer_says_what_is_left(server, calm, verb, path, status):
    answer = limited(server, 9).simulate_request(verb, path, json={"nosuch": 1} if verb == "POST" else None)
    assert (answer.status_code, answer.headers["ratelimit"]) == (status, '"key";r=8;t=43')


def test_what_needs_no_key_and_the_explorer_are_not_counted(server, calm):
    client = limited(server, 1)
    for _ in range(3):
        client.ask("GET", "/explorer/index.json")
        client.ask("GET", "/health/live")
    client.ask("GET", "/status")
    client.refused("GET", "/status", status=429)


def test_the_setting_holds_for_keys_that_say_nothing(serve):
    served = serve(rate=3)
    plain, more = served.client(), limited(served, 1000)
    # A minute may end meanwhile
    statuses = [plain.simulate_get("/status").status_code for _ in range(7)]
    assert (statuses[:3], 429 in statuses) == ([200] * 3, True)
    answer = more.simulate_get("/status")
    assert answer.headers["ratelimit-policy"] == '"key";q=1000;w=60'


def test_a_large_limit_costs_no_statement_at_most_requests(server, calm):
    client = limited(server, 1_000_000)
    for _ in range(64):
        client.get("/status")
    with statements() as seen:
        for _ in range(63):
            client.get("/status")
    # The 64 that were taken the last time last until now
    assert len(seen) == 63 + 1
