"""Standbys that follow for real: of PostgreSQL by streaming, of MariaDB by its log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from core.storage.mysql import mysql_driver
from core.testing import Served
from core.testing.served import make_settings
from tests.own_databases import OwnServer, own_server, own_standby, why_missing

pytestmark = pytest.mark.thorough

#: a primary's URL, its standby's, and what lets the standby stand still
Pair = tuple[str, str, Callable[[], None]]


@contextmanager
def _postgresql() -> Iterator[Pair]:
    with own_server("postgresql") as primary, own_standby(primary) as standby:

        def stop() -> None:
            with psycopg.connect(standby.url, autocommit=True) as connection:
                connection.execute("SELECT pg_wal_replay_pause()")

        yield primary.url, standby.url, stop


@contextmanager
def _mysql() -> Iterator[Pair]:
    log = ("--log-bin", "--log-bin-trust-function-creators=1")
    with own_server("mysql", "--server-id=1", *log) as primary, own_server("mysql", "--server-id=2") as standby:
        _say(
            standby,
            f"CHANGE MASTER TO master_host = '127.0.0.1', master_port = {primary.port}, master_user = 'root', "
            "master_use_gtid = slave_pos",
            "START SLAVE",
        )
        yield primary.url, standby.url, lambda: _say(standby, "STOP SLAVE")


def _say(server: OwnServer, *statements: str) -> None:
    connection = mysql_driver.connect(host="127.0.0.1", port=server.port, user="root")
    for each in statements:
        connection.cursor().execute(each)
    connection.close()


@pytest.mark.parametrize("kind", ["postgresql", "mysql"])
def test_a_standby_is_asked_while_it_is_near_enough(kind: str, tmp_path: Path) -> None:
    if reason := why_missing(kind):
        pytest.skip(reason)
    with {"postgresql": _postgresql, "mysql": _mysql}[kind]() as (primary, standby, stop):
        served = Served(replace(make_settings(tmp_path, "sqlite"), database=primary, database_read=standby))
        try:
            client = served.client()

            def ask(seconds: int) -> tuple[int, bool]:
                answer = client.simulate_get("/thirdparties", headers={"Cache-Control": f"max-age={seconds}"})
                assert answer.status_code == 200, answer.text
                return len(answer.json), "Age" in answer.headers

            client.ask("POST", "/thirdparties", {"name": "First", "client": 1})
            end = time.monotonic() + 30
            while ask(60) != (1, True):
                assert time.monotonic() < end, ask(60)
                time.sleep(0.2)
            stop()
            time.sleep(0.5)
            client.ask("POST", "/thirdparties", {"name": "Second", "client": 1})
            assert ask(60) == (1, True)
            time.sleep(3)
            # Now it is further behind than two seconds, and not than sixty
            assert ask(2) == (2, False)
            assert ask(60) == (1, True)
        finally:
            served.close()
