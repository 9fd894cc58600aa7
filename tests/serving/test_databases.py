"""A database that is restarted, killed, locked, or behind a pool of connections, under a server that goes on."""

import http.client
import threading
import time
from collections import Counter
from contextlib import ExitStack, contextmanager

import pytest

from core.storage.mysql import Mysql
from tests.own_databases import own_server, pgbouncer, why_missing
from tests.serving.running import Hands, Running, children, wait_until

KEY = "a-key-of-this-test-0123456789"
KINDS = ("postgresql", "mysql", pytest.param("pgbouncer", marks=pytest.mark.lasting))


@pytest.fixture(scope="module")
def servers():
    """``servers(kind)``: a server of this file's own."""
    made = {}
    with ExitStack() as running:

        def give(kind):
            if kind not in made:
                if reason := why_missing(kind):
                    pytest.skip(reason)
                made[kind] = running.enter_context(own_server(kind))
            return made[kind]

        yield give


@pytest.fixture(scope="module")
def server_over(servers, tmp_path_factory):
    """``server_over(kind)``: one over each of them, with threads for all who wait for a lock."""
    made = {}
    with ExitStack() as running:

        def give(kind):
            if kind not in made:
                settings = {"threads": 10, "database": servers(kind).url, "admin_key": KEY, "statement_timeout": 2}
                made[kind] = running.enter_context(
                    Running(tmp_path_factory.mktemp(kind), workers=2, known=True, **settings)
                )
            return made[kind]

        yield give


@pytest.fixture(params=KINDS)
def behind(request, servers, server_over, start):
    """A server of databases, and one of ours over it."""
    if request.param != "pgbouncer":
        yield servers(request.param), server_over(request.param)
        return
    if reason := why_missing("pgbouncer"):
        pytest.skip(reason)
    with pgbouncer(servers("postgresql").url) as pool:
        yield servers("postgresql"), start(workers=2, database=pool.url, admin_key=KEY)


class Load(Hands):
    """Requests one after the other from several hands; what each was answered, and when."""

    def __init__(self, server, hands=8):
        #: (when it was sent, when it was answered, status, the message)
        self.answers = []
        self._server = server
        super().__init__(hands)

    def _run(self, number):
        while not self._stop.is_set():
            sent = time.monotonic()
            verb, path, body = [("GET", "/contacts", None), ("POST", "/thirdparties", {"name": "Load"})][number % 2]
            try:
                answer = self._server.ask(path, verb, body, KEY)
                self.answers.append((sent, time.monotonic(), answer.status, answer.body.decode()))
            except (OSError, http.client.HTTPException) as error:
                self.answers.append((sent, time.monotonic(), 0, repr(error)))
            time.sleep(0.02)

    def statuses(self, since):
        """How often each status was the response to a request sent since then."""
        return Counter(status for sent, _, status, _ in self.answers if sent >= since)


@contextmanager
def other(url):
    """A connection of one's own."""
    import psycopg

    if url.startswith("postgresql"):
        with psycopg.connect(url) as connection:
            yield connection
        return
    port = int(url.rpartition(":")[2].partition("/")[0])
    connection = Mysql.driver().connect(host="127.0.0.1", port=port, user="root", database="comptoir")
    yield connection
    connection.close()


@pytest.mark.fault(
    "The database is stopped (MariaDB: killed) under load and restarted",
    "503 until it returns, then recovery; every confirmed write is kept",
)
def test_after_a_restart_of_the_database_all_is_good(behind, seen):
    own, server = behind
    with Load(server) as load:
        wait_until(lambda: len(load.answers) > 50)
        assert set(load.statuses(0)) == {200}, server.output
        # One of the three as a power cut would end it
        own.stop(kill=own.kind == "mysql")
        away = time.monotonic()
        wait_until(lambda: sum(load.statuses(away).values()) >= 50)
        returns = time.monotonic()
        own.start()
        back = time.monotonic()
        # Only good answers for a while
        wait_until(
            lambda: sum(load.statuses(back).values()) >= 100 and {each[2] for each in load.answers[-100:]} == {200},
            lambda: server.output,
        )
    # A request that is still waiting when the database returns may be answered with 200
    meanwhile = Counter(status for sent, at, status, _ in load.answers if away <= sent and at < returns)
    good = min((at for sent, at, status, _ in load.answers if status == 200 and sent >= returns), default=float("inf"))
    last_bad = max((at for _, at, status, _ in load.answers if status != 200), default=back)
    seen(
        f"during the outage {tell(meanwhile)}; recovered {good - back:.2f} s after its return, "
        f"last failure after {last_bad - back:.2f} s"
    )
    words = {text for _, _, status, text in load.answers if status == 503}
    assert all("the database" in each and "127.0.0.1" not in each for each in words)
    if own.url == server.settings["database"]:
        # A pool may let requests wait until it has tried again
        assert set(meanwhile) == {503}
        # Each process tells it once, however many requests fail
        assert 1 <= server.output.count("can't reach the database") <= len(children(server.master)) + 1
        assert "the database responds again" in server.output
    # What was answered as written is there
    written = [text for _, _, status, text in load.answers if status == 200 and text.isdigit()]
    last = server.ask("/thirdparties?sortfield=rowid&sortorder=DESC&limit=1&properties=id", key=KEY).json[0]["id"]
    assert len(written) == len(set(written))
    assert int(last) >= max(map(int, written))
    listed = server.ask("/thirdparties?limit=0&properties=id", key=KEY).json
    assert set(map(int, written)) <= {int(each["id"]) for each in listed}
    seen(f"{len(written)} writes, all kept")


def tell(statuses):
    return ", ".join(f"{many} × {status or 'no answer'}" for status, many in sorted(statuses.items())) or "no requests"


@pytest.mark.fault(
    "Eight requests wait for a locked table",
    "each fails with 503 within COMPTOIR_STATEMENT_TIMEOUT (2 s here); other requests are served",
)
@pytest.mark.parametrize("kind", ["postgresql", "mysql"])
def test_who_waits_for_a_lock_is_answered(server_over, servers, kind, seen):
    own, server = servers(kind), server_over(kind)
    assert server.ask("/contacts", key=KEY).status == 200
    lock = {"postgresql": "LOCK TABLE llx_socpeople", "mysql": "LOCK TABLES llx_socpeople WRITE"}[kind]
    with other(own.url) as connection:
        connection.cursor().execute(lock)
        with Load(server, hands=0) as load:
            threads = [threading.Thread(target=one, args=(server, load)) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        # however many waited, others are served
        asked = time.monotonic()
        assert server.ask("/status", key=KEY).status == 200
        took = time.monotonic() - asked
    longest = max(answered - sent for sent, answered, _, _ in load.answers)
    seen(f"{tell(load.statuses(0))}, the last after {longest:.1f} s; /status in {took * 1000:.0f} ms")
    assert load.statuses(0) == {503: 8}
    assert all("try again" in text.lower() for _, _, _, text in load.answers)
    assert server.ask("/contacts", key=KEY).status == 200


def one(server, load):
    """One request for what is locked."""
    sent = time.monotonic()
    answer = server.ask("/contacts", key=KEY)
    load.answers.append((sent, time.monotonic(), answer.status, answer.body.decode()))


@pytest.mark.lasting
@pytest.mark.fault(
    "A table is locked, and PgBouncer has one connection",
    "503 within 2 s; the time-out does not leak to other sessions",
)
def test_behind_a_pool_no_time_out_is_lost_and_none_leaks(start, servers, seen):
    if reason := why_missing("pgbouncer"):
        pytest.skip(reason)
    with pgbouncer(servers("postgresql").url, size=1) as pool:
        server = start(workers=2, database=pool.url, admin_key=KEY, statement_timeout=2)
        for _ in range(20):
            made = server.ask("/thirdparties", "POST", {"name": "Pooled"}, KEY)
            assert made.status == 200, made.body
            assert server.ask(f"/thirdparties/{made.json}", key=KEY).status == 200
        # The one connection to the server is everybody's
        import psycopg

        with psycopg.connect(pool.url, autocommit=True) as connection:
            told = [connection.execute(f"SHOW {name}").fetchone() for name in ("statement_timeout", "lock_timeout")]
        assert told == [("0",), ("0",)]
        with psycopg.connect(servers("postgresql").url) as connection:
            connection.execute("LOCK TABLE llx_socpeople")
            begun = time.monotonic()
            assert server.ask("/contacts", key=KEY).status == 503
            took = time.monotonic() - begun
            assert took < 2 + 4
            seen(f"503 after {took:.1f} s; afterwards the connection's time-outs are {told[0][0]} and {told[1][0]}")
        assert server.ask("/contacts", key=KEY).status == 200
