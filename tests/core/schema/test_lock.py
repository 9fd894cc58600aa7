"""The lock under which tables are changed: one at a time over threads and processes, on each database."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import peewee
import pytest

from core.common.settings import settings
from core.schema.lock import schema_lock
from core.storage.database import close, database, ensure_connected, no_timeouts, query
from core.testing import Served

#: says when it has the lock, and keeps it
HOLDER = """
import sys, time
from core.storage.database import ensure_connected, no_timeouts
from core.storage.opening import open_database
from core.schema.lock import schema_lock
open_database(sys.argv[1])
ensure_connected()
with no_timeouts(), schema_lock():
    print("held", flush=True)
    time.sleep(120)
"""


@pytest.fixture(autouse=True)
def connected(server: Served) -> Iterator[None]:
    ensure_connected()
    yield
    close()


def test_one_at_a_time_over_threads() -> None:
    inside, most, order = 0, 0, threading.Lock()

    def work() -> None:
        nonlocal inside, most
        ensure_connected()
        for _ in range(3):
            with no_timeouts(), schema_lock():
                with order:
                    inside += 1
                    most = max(most, inside)
                time.sleep(0.02)
                with order:
                    inside -= 1
        close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert (inside, most) == (0, 1)


def test_its_holder_may_take_it_again() -> None:
    with schema_lock(), schema_lock():
        assert query("SELECT 1") == [(1,)]
    with schema_lock():
        pass


def test_a_holder_that_is_killed_loses_it() -> None:
    process = subprocess.Popen([sys.executable, "-c", HOLDER, settings().database], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "held\n"
        os.kill(process.pid, signal.SIGKILL)
        with no_timeouts(), schema_lock():
            pass
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_holder_whose_connection_is_lost_changes_nothing_more(kind: str) -> None:
    if kind == "sqlite":
        pytest.skip("there is no connection to lose")

    def read() -> None:
        with schema_lock():
            own = {"postgresql": "SELECT pg_backend_pid()", "mysql": "SELECT CONNECTION_ID()"}[kind]
            end = {"postgresql": "SELECT pg_terminate_backend({})", "mysql": "KILL {}"}[kind]
            ((number,),) = query(own)
            thread = threading.Thread(target=lambda: (ensure_connected(), query(end.format(number)), close()))
            thread.start()
            thread.join()
            try:
                query("SELECT 1")
            finally:
                # Read on a new connection, or not at all: neither holds the lock
                database.execute_sql("CREATE TABLE changed_without_the_lock (id INTEGER)")

    with pytest.raises(peewee.PeeweeException):
        read()
    ensure_connected()
    assert "changed_without_the_lock" not in database.get_tables()
    with schema_lock():
        pass
