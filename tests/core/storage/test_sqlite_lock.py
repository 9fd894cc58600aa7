"""The queue for SQLite's lock."""

import errno
import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext, suppress
from pathlib import Path
from threading import Thread

import peewee
import pytest

from core.storage import sqlite_lock
from core.storage.error_kinds import LOCKED
from core.storage.sqlite import Sqlite

#: a process that writes a number for each line it reads, and keeps the transaction open if told to
WRITER = """
import os, sys
from core.storage.sqlite import Sqlite
opened = Sqlite(sys.argv[1], autoconnect=False, limit=600, **Sqlite.default_options)
opened.connect()
print("ready", flush=True)
for line in sys.stdin:
    number, *ends = line.split()
    with opened.atomic():
        opened.run("INSERT INTO noted VALUES (?)", (int(number),))
        if "fork" in ends and os.fork() == 0:
            os.close(0)
            while True:
                os.read(int(sys.argv[2]), 1) or os._exit(0)
        if ends:
            print("holds", flush=True)
            sys.stdin.read()
    print("done", flush=True)
"""


def connected(file, limit=600):
    opened = Sqlite(str(file), autoconnect=False, limit=limit, **Sqlite.default_options)
    opened.connect()
    return opened


@pytest.fixture
def opened(tmp_path):
    made = connected(tmp_path / "queue.db")
    made.run("CREATE TABLE noted (number INTEGER)")
    yield made
    made.drop()


@pytest.fixture
def writer(opened):
    started = []

    def start(*options, **more):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, opened.database, *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **more,
        )  # fmt: skip
        started.append(process)
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def told(process, line):
    assert process.stdin
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def heard(process):
    assert process.stdout
    return process.stdout.readline().strip()


def queue(opened):
    """Return the number of processes that have the lock of the queue, and of those that wait for it."""
    inode = os.stat(f"{opened.database}-lock").st_ino
    lines = [each for each in Path("/proc/locks").read_text().splitlines() if f":{inode} " in each and "FLOCK" in each]
    waiting = sum("->" in each for each in lines)
    return len(lines) - waiting, waiting


def until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


def note(opened, number):
    opened.connect(reuse_if_open=True)
    try:
        with opened.atomic():
            opened.run("INSERT INTO noted VALUES (?)", (number,))
    finally:
        opened.drop()


def noted(opened):
    return [number for (number,) in opened.read("SELECT number FROM noted ORDER BY rowid").fetchall()]


def test_processes_write_in_the_order_in_which_they_came(opened, writer):
    processes = [writer(), writer(), writer()]
    for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2)):
        opened.run("DELETE FROM noted")
        with opened.atomic():
            for before, place in enumerate(order):
                told(processes[place], str(place))
                until(lambda before=before: queue(opened) == (1, before + 1))
        assert [heard(each) for each in processes] == ["done"] * 3
        assert noted(opened) == [*order]
        assert queue(opened) == (0, 0)


def test_threads_that_read_first_neither_fail_nor_lose_anything(opened):
    def work(_):
        opened.connect()
        for _ in range(60):
            with opened.atomic():
                (before,) = opened.read("SELECT COUNT(*) FROM noted").fetchone()
                opened.run("INSERT INTO noted VALUES (?)", (before,))
        opened.drop()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    # Each saw all that were committed before
    assert noted(opened) == list(range(4 * 60))


def test_a_killed_process_leaves_the_queue(opened, writer):
    first, second = writer(), writer()
    told(first, "1 stays")
    assert heard(first) == "holds"
    told(second, "2")
    until(lambda: queue(opened) == (1, 1))
    last = Thread(target=note, args=(opened, 3))
    last.start()
    until(lambda: queue(opened) == (1, 2))
    # The one that waits, and then the one that writes
    second.kill()
    until(lambda: queue(opened) == (1, 1))
    first.kill()
    last.join(60)
    assert noted(opened) == [3]


def test_a_forked_process_does_not_inherit_the_turn(opened, writer):
    ends, lives = os.pipe()
    process = writer(str(ends), pass_fds=(ends,))
    try:
        told(process, "1 fork")
        assert heard(process) == "holds"
        assert queue(opened) == (1, 0)
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        # Its child still runs
        note(opened, 2)
        opened.connect()
        assert noted(opened) == [2]
    finally:
        os.close(ends)
        os.close(lives)


@pytest.mark.parametrize("holder", ["thread", "process"])
def test_the_wait_is_limited_and_the_place_is_given_up(opened, writer, holder):
    errors = []

    def hurry():
        opened.connect()
        try:
            with opened.lock_timeout(0.2), opened.atomic():
                opened.run("INSERT INTO noted VALUES (1)")
        except peewee.OperationalError as error:
            errors.append(error)
        opened.drop()

    if holder == "process":
        process = writer()
        told(process, "1 stays")
        assert heard(process) == "holds"
    with opened.atomic() if holder == "thread" else nullcontext():
        late = Thread(target=hurry)
        late.start()
        late.join(60)
    assert opened.classify(errors[0]) is LOCKED
    if holder == "process":
        process.kill()
        process.wait(60)
    # The place is free again without anyone having used it
    until(lambda: queue(opened) == (0, 0))
    note(opened, 2)
    opened.connect()
    assert noted(opened) == [2]


def test_another_program_does_not_queue_but_is_waited_for(opened):
    with closing(sqlite3.connect(opened.database, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        locked = pytest.raises(peewee.OperationalError, match="database is locked")
        with locked, opened.lock_timeout(0.1), opened.atomic():
            pass
        waits = Thread(target=note, args=(opened, 2))
        waits.start()
        until(lambda: queue(opened) == (1, 0))
        other.execute("INSERT INTO noted VALUES (3)")
        other.execute("COMMIT")
        waits.join(60)
        assert noted(opened) == [3, 2]


@pytest.mark.parametrize("lacks", ["file", "lock"])
def test_without_a_queue_sqlite_decides(opened, monkeypatch, lacks):
    def fails(*arguments):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(sqlite_lock, "flock" if lacks == "lock" else "LockFile", fails)
    note(opened, 1)
    note(opened, 2)
    opened.connect()
    assert noted(opened) == [1, 2]


def test_a_database_in_memory_has_no_lock_file():
    opened = connected(":memory:")
    opened.run("CREATE TABLE noted (number INTEGER)")
    with opened.atomic():
        opened.run("INSERT INTO noted VALUES (1)")
    assert noted(opened) == [1]
    opened.drop()


def test_the_lock_file_has_the_mode_and_the_owner_of_the_database(tmp_path):
    file = tmp_path / "shared.db"
    file.touch(0o600)
    file.chmod(0o660)
    if os.geteuid() == 0:
        os.chown(file, 1234, 2345)
    opened = connected(file)
    with opened.atomic():
        pass
    opened.drop()
    ours, theirs = Path(f"{file}-lock").stat(), file.stat()
    assert (ours.st_mode, ours.st_uid, ours.st_gid) == (theirs.st_mode, theirs.st_uid, theirs.st_gid)


def test_a_commit_waits_for_the_disk_unless_told_otherwise(opened):
    def level():
        return opened.read("PRAGMA synchronous").fetchone()[0]

    assert level() == 2
    with opened.synchronous_off(), opened.atomic():
        assert level() == 1
        opened.run("INSERT INTO noted VALUES (1)")
    assert level() == 2
    with suppress(LookupError), opened.synchronous_off(), opened.atomic():
        raise LookupError
    assert level() == 2
    until(lambda: queue(opened) == (0, 0))
