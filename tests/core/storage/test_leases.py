"""Locks that are rows: one at a time over threads and processes, also when a holder dies; on each database."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from core.common.settings import settings
from core.schema.lock import schema_lock
from core.storage import leases
from core.storage.database import close, ensure_connected, query
from core.storage.leases import LeaseLost, leased, make_lease
from core.testing import Served

#: says when it has the lock of the schema, and keeps it
HOLDER = """
import sys, time
from core.storage import leases
from core.storage.database import ensure_connected, patience
from core.storage.opening import open_database
from core.schema.lock import schema_lock
leases.LEASE = int(sys.argv[2])
open_database(sys.argv[1])
ensure_connected()
with patience(), schema_lock():
    print("held", flush=True)
    time.sleep(120)
"""


@pytest.fixture(autouse=True)
def connected(server: Served) -> Iterator[None]:
    ensure_connected()
    yield
    close()


@pytest.fixture
def on_mariadb(kind: str) -> None:
    if kind != "mysql":
        pytest.skip("the others lock a row, or the file, until the transaction ends")


def test_one_at_a_time_over_threads() -> None:
    inside, most, order = 0, 0, threading.Lock()

    def work() -> None:
        nonlocal inside, most
        ensure_connected()
        for _ in range(3):
            with schema_lock():
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


def test_whoever_holds_it_may_take_it_again() -> None:
    with schema_lock(), schema_lock():
        assert query("SELECT 1") == [(1,)]
    with schema_lock():
        pass


def test_a_holder_that_is_killed_keeps_it_for_a_while_at_most(kind: str) -> None:
    if kind == "sqlite":
        pytest.skip("the system ends the lock of a file")
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, settings().database, "2"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "held\n"
        os.kill(process.pid, signal.SIGKILL)
        # PostgreSQL ends the transaction of a connection that is gone; a lease of 2 s ends in whole seconds
        with schema_lock():
            pass
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_it_is_renewed_while_it_is_held(on_mariadb: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "RENEWAL", 0.2)
    with leased("renewed"):
        ((first,),) = query("SELECT ends FROM comptoir_lease WHERE name = 'renewed'")
        end = time.monotonic() + 60
        while query("SELECT ends FROM comptoir_lease WHERE name = 'renewed'") == [(first,)]:
            assert time.monotonic() < end
            time.sleep(0.05)
        ((second,),) = query("SELECT ends FROM comptoir_lease WHERE name = 'renewed'")
        assert second > first
    assert query("SELECT ends FROM comptoir_lease WHERE name = 'renewed'") == [(0,)]


def test_whoever_has_lost_it_changes_nothing_more(on_mariadb: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "RENEWAL", 0.1)
    with pytest.raises(LeaseLost), leased("lost"):
        # Another host has taken it: its own node had been away for long
        query("UPDATE comptoir_lease SET holder = 'another', ends = UNIX_TIMESTAMP() + 60 WHERE name = 'lost'")
        end = time.monotonic() + 60
        while any(each.name == "lease lost" for each in threading.enumerate()):
            assert time.monotonic() < end
            time.sleep(0.05)
        query("UPDATE comptoir_lease SET ends = 1 WHERE name = 'lost'")
    ((holder, ends),) = query("SELECT holder, ends FROM comptoir_lease WHERE name = 'lost'")
    # What it gives back is not the other's
    assert (holder, ends > 1) == ("another", True)


def test_one_that_is_not_renewed_is_another_s(on_mariadb: None) -> None:
    make_lease("left")
    query("UPDATE comptoir_lease SET holder = 'gone', ends = UNIX_TIMESTAMP() + 2 WHERE name = 'left'")
    ((end,),) = query("SELECT ends FROM comptoir_lease WHERE name = 'left'")
    with leased("left"):
        assert query(f"SELECT UNIX_TIMESTAMP() >= {end}") == [(1,)]
        assert query("SELECT holder <> 'gone' FROM comptoir_lease WHERE name = 'left'") == [(1,)]
