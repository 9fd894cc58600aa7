"""A URL that names several hosts."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import peewee
import pytest

from core.common.database_hosts import host_places, split_hosts
from core.common.settings import settings
from core.storage.database import close, database, ensure_connected, query, transaction
from core.storage.opening import DatabaseUrlError, open_database
from core.storage.troubles import UNKNOWN_OUTCOME, UNREACHABLE, trouble_of
from core.testing import Served
from tests.own_databases import own_server, pgbouncer, why_missing

HOSTS = "mysql://user:p%40ss@a,b:3307,[::1]:3308/name?charset=utf8mb4"


def test_a_url_is_split_into_its_first_host_and_all() -> None:
    assert split_hosts(HOSTS) == (
        "mysql://user:p%40ss@a/name?charset=utf8mb4", ["a", "b:3307", "[::1]:3308"],
    )  # fmt: skip
    assert split_hosts("sqlite:///data/a,b@c.db") == ("sqlite:///data/a,b@c.db", [""])


def test_the_places_of_several_hosts() -> None:
    hosts = ["a", "b:3307", "[::1]:3308"]
    assert host_places("mysql", hosts) == [("a", 3306), ("b", 3307), ("::1", 3308)]
    assert host_places("postgresql", ["a", "b:6432"]) == [("a", 5432), ("b", 6432)]
    assert host_places("postgresql", ["a:5432"]) == []


@pytest.mark.parametrize("hosts", [["a", ""], ["a", "b:x"], ["a", "b:0"], ["a", ":5432"], ["a", "b:65536"]])
def test_a_host_that_is_none_is_refused(hosts: list[str]) -> None:
    with pytest.raises(ValueError, match="expected hosts"):
        host_places("postgresql", hosts)


def test_the_next_host_is_used_where_the_first_does_not_answer(server: Served) -> None:
    """Nothing listens on port 1."""
    url = settings().database
    if url.startswith("sqlite"):
        pytest.skip("a file has no host")
    usual: dict[str, Any] = {"postgresql": 5432, "mysql": 3306}
    first, (host,) = split_hosts(url)
    port = host.partition(":")[2] or usual[url.partition("://")[0]]
    several = first.replace(f"{host}/", f"127.0.0.1:1,{host.partition(':')[0]}:{port}/", 1)
    try:
        open_database(several)
        assert query("SELECT 1 + 1") == [(2,)]
        with pytest.raises(DatabaseUrlError, match="expected hosts"):
            open_database(several.replace("127.0.0.1:1,", ",", 1))
    finally:
        close()
        open_database(url)
    assert database.obj is not None


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "option"), [("postgresql", ("-c", "default_transaction_read_only=on")), ("mysql", ("--read-only=1",))]
)
def test_a_host_that_can_only_be_read_is_passed_over(kind: str, option: tuple[str, ...]) -> None:
    """As is a standby, until it is the primary."""
    if reason := why_missing(kind):
        pytest.skip(reason)
    with own_server(kind, *option) as standby, own_server(kind) as primary:
        try:
            open_database(primary.url.replace("127.0.0.1", f"127.0.0.1:{standby.port},127.0.0.1"))
            ensure_connected()
            setting = {"postgresql": "SHOW port", "mysql": "SELECT @@port"}[kind]
            assert str(query(setting)[0][0]) == str(primary.port)
            close()
            open_database(standby.url.replace("127.0.0.1", f"127.0.0.1:1,127.0.0.1:{standby.port},127.0.0.1"))
            with pytest.raises(peewee.OperationalError):
                ensure_connected()
        finally:
            close()
            open_database("sqlite:///:memory:")


@contextmanager
def opened(url: str) -> Iterator[Any]:
    """Another database in force meanwhile."""
    try:
        yield open_database(url)
    finally:
        close()
        open_database("sqlite:///:memory:")


@pytest.mark.thorough
def test_a_pool_that_holds_back_is_passed_over_and_nobody_else_waits_for_it() -> None:
    """It takes the connection, but no statement comes to a database through it."""
    if reason := why_missing("postgresql") or why_missing("pgbouncer"):
        pytest.skip(reason)
    with own_server("postgresql") as server, pgbouncer(server.url, size=1) as pool:
        several = pool.url.replace(f"127.0.0.1:{pool.port}", f"127.0.0.1:{pool.port},127.0.0.1:{server.port}")
        with opened(several + "?connect_timeout=2"):
            connecting, found = threading.Event(), list[Any]()

            def come_second() -> None:
                connecting.set()
                ensure_connected()
                found.append(query("SELECT inet_server_port()")[0][0])
                found.append(database.obj.own.pooled)
                close()

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
            assert found == [server.port, False]


@pytest.mark.thorough
@pytest.mark.parametrize("within", [False, True])
def test_a_server_that_stands_still_is_given_up(within: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It cannot end the statement, as it would at its time limit."""
    if reason := why_missing("postgresql"):
        pytest.skip(reason)
    monkeypatch.setattr("core.storage.postgresql.SLACK", 0)
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
                # What is written is not tried again on another connection
                database.execute_sql("CREATE TABLE perhaps (id INTEGER)")
        assert trouble_of(caught.value) is (UNREACHABLE if within else UNKNOWN_OUTCOME)
        ensure_connected()
        assert query("SELECT 1") == [(1,)]


def _stop_own() -> None:
    """Have the process that answers this thread stand still."""
    os.kill(query("SELECT pg_backend_pid()")[0][0], signal.SIGSTOP)
