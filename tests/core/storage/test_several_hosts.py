"""PostgreSQL by a URL with several hosts, and servers that don't respond."""

import os
import signal
import threading
from contextlib import contextmanager

import peewee
import pytest

from core.storage.database import classify_error, close, database, ensure_connected, open_database, query, transaction
from core.storage.error_kinds import UNKNOWN_OUTCOME, UNREACHABLE
from tests.own_databases import own_server, pgbouncer, why_missing

WRITABLE = "?target_session_attrs=read-write"


@contextmanager
def opened(url):
    """Use another database meanwhile."""
    try:
        yield open_database(url)
    finally:
        close()
        open_database("sqlite:///:memory:")


@pytest.mark.thorough
def test_libpq_passes_over_a_host_that_is_away_or_can_only_be_read():
    """A standby is read-only until it is promoted. Nothing listens on port 1."""
    if reason := why_missing("postgresql"):
        pytest.skip(reason)
    with own_server("postgresql", "-c", "default_transaction_read_only=on") as standby, own_server("postgresql") as one:
        hosts = f"127.0.0.1:1,127.0.0.1:{standby.port}"
        with opened(one.url.replace("127.0.0.1", f"{hosts},127.0.0.1") + WRITABLE):
            ensure_connected()
            assert query("SELECT inet_server_port()") == [(one.port,)]
        with opened(one.url.replace(f"127.0.0.1:{one.port}", hosts) + WRITABLE), pytest.raises(peewee.OperationalError):
            ensure_connected()


@pytest.mark.thorough
def test_a_pool_that_holds_back_is_given_up_and_nobody_else_waits_for_it():
    """It takes the connection, but no statement comes to a database through it."""
    if reason := why_missing("postgresql") or why_missing("pgbouncer"):
        pytest.skip(reason)
    with (
        own_server("postgresql") as server,
        pgbouncer(server.url, size=1) as pool,
        opened(pool.url + "?connect_timeout=5"),
    ):
        connecting, failures = threading.Event(), list[peewee.PeeweeException]()

        def come_second():
            connecting.set()
            try:
                ensure_connected()
            except peewee.PeeweeException as error:
                failures.append(error)

        second = threading.Thread(target=come_second)
        with transaction():
            # The pool's only connection
            query("SELECT 1")
            second.start()
            connecting.wait()
            second.join(0.5)
            assert second.is_alive()
            threads = [threading.Thread(target=close) for _ in range(3)]
            for each in threads:
                each.start()
                each.join(30)
            # They gave their connections up while the second one was still waiting for its own
            assert second.is_alive()
            second.join(60)
        assert [classify_error(each) for each in failures] == [UNREACHABLE]


@pytest.mark.thorough
@pytest.mark.parametrize("within", [False, True])
def test_a_server_that_stands_still_is_given_up(within, monkeypatch):
    """It cannot end the statement, as it would at its time limit."""
    if reason := why_missing("postgresql"):
        pytest.skip(reason)
    monkeypatch.setattr("core.storage.postgresql.SLACK_SECONDS", 0)
    with own_server("postgresql") as server, opened(server.url) as there:
        there._limit = 1
        ensure_connected()
        with pytest.raises(peewee.OperationalError) as caught:
            if within:
                with transaction():
                    _stop_own()
                    query("SELECT 1")
            else:
                _stop_own()
                # A write is not tried again on another connection
                database.execute_sql("CREATE TABLE perhaps (id INTEGER)")
        assert classify_error(caught.value) is (UNREACHABLE if within else UNKNOWN_OUTCOME)
        ensure_connected()
        assert query("SELECT 1") == [(1,)]


def _stop_own():
    """Have the process that answers this thread stand still."""
    os.kill(query("SELECT pg_backend_pid()")[0][0], signal.SIGSTOP)
