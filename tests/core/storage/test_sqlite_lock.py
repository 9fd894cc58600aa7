"""The queue for SQLite's lock, and the disk that a COMMIT waits for."""

import errno
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import peewee
import pytest

from core.storage import sqlite_lock
from core.storage.error_kinds import LOCKED, OutcomeUnknown
from core.storage.sqlite import Sqlite
from core.storage.sqlite_lock import WriteAheadLog

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
    """Return the number of those that have the lock of the log, and of those that wait for it."""
    inode = os.stat(f"{opened.database}-wal").st_ino
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


def test_threads_and_processes_write_in_the_order_in_which_they_came(opened, writer):
    processes = [writer(), writer()]
    for places in ("tatb", "btta", "abtt"):
        opened.run("DELETE FROM noted")
        threads = []
        with opened.atomic():
            for number, place in enumerate(places):
                if place == "t":
                    threads.append(Thread(target=note, args=(opened, number)))
                    threads[-1].start()
                else:
                    told(processes["ab".index(place)], str(number))
                until(lambda before=number: queue(opened) == (1, before + 1))
        for each in threads:
            each.join(60)
        assert [heard(each) for each in processes] == ["done", "done"]
        assert noted(opened) == [0, 1, 2, 3]
        assert queue(opened) == (0, 0)


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


def test_the_wait_is_limited_and_the_place_is_given_up(opened):
    errors = []

    def hurry():
        opened.connect()
        opened.own.lock_seconds = 0.2
        try:
            note(opened, 1)
        except peewee.OperationalError as error:
            errors.append(error)

    with opened.atomic():
        late = Thread(target=hurry)
        late.start()
        late.join(60)
        assert opened.classify(errors[0]) is LOCKED
        assert str(errors[0]) == "database is locked"
    # The place is free again without anyone having used it
    until(lambda: queue(opened) == (0, 0))
    note(opened, 2)
    opened.connect()
    assert noted(opened) == [2]


def test_another_program_does_not_queue_but_is_waited_for(opened):
    with closing(sqlite3.connect(opened.database, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        opened.own.lock_seconds = 0.1
        with pytest.raises(peewee.OperationalError, match="database is locked"):
            note(opened, 1)
        opened.connect()
        opened.own.lock_seconds = 0.0
        waits = Thread(target=note, args=(opened, 2))
        waits.start()
        until(lambda: queue(opened) == (1, 0))
        other.execute("INSERT INTO noted VALUES (3)")
        other.execute("COMMIT")
        waits.join(60)
        assert noted(opened) == [3, 2]


def test_a_statement_that_only_reads_does_not_queue(opened):
    is_done = Event()

    def look():
        opened.connect()
        assert opened.run("SELECT COUNT(*) FROM noted").fetchone() == (0,)
        opened.drop()
        is_done.set()

    with opened.atomic():
        opened.run("INSERT INTO noted VALUES (1)")
        Thread(target=look).start()
        assert is_done.wait(60)


@pytest.mark.parametrize("lacks", ["log", "lock"])
def test_without_a_queue_sqlite_decides(opened, monkeypatch, lacks):
    def fails(*arguments):
        raise OSError(errno.ENOLCK, "No locks available")

    if lacks == "lock":
        monkeypatch.setattr(sqlite_lock, "flock", fails)
    else:
        monkeypatch.setattr(WriteAheadLog, "__init__", fails)
    with opened.atomic():
        opened.run("INSERT INTO noted VALUES (1)")
    # SQLite waits for the disk itself
    assert opened.run("PRAGMA synchronous").fetchone() == (2,)
    assert noted(opened) == [1]


def test_a_database_without_a_log(tmp_path):
    with closing(sqlite3.connect(tmp_path / "old.db")) as made:
        made.execute("CREATE TABLE noted (number INTEGER)")
    options = {**Sqlite.default_options, "pragmas": {"journal_mode": "delete", "synchronous": "full"}}
    for opened in (Sqlite(str(tmp_path / "old.db"), **options), connected(":memory:")):
        if opened.database == ":memory:":
            opened.run("CREATE TABLE noted (number INTEGER)")
        with opened.atomic():
            opened.run("INSERT INTO noted VALUES (1)")
        assert noted(opened) == [1]
        assert opened.run("PRAGMA synchronous").fetchone() == (2,)
        opened.drop()


def test_the_disk_is_waited_for_when_others_can_write(opened, monkeypatch):
    sync, seen = WriteAheadLog.sync, []

    def look(log):
        seen.append(noted(opened))
        if len(seen) == 1:
            other = Thread(target=note, args=(opened, 2))
            other.start()
            other.join(60)
        sync(log)

    monkeypatch.setattr(WriteAheadLog, "sync", look)
    note(opened, 1)
    opened.connect()
    # The second one was written, and waited for, meanwhile
    assert seen == [[1], [1, 2]]
    with opened.atomic():
        opened.read("SELECT 1").fetchall()
    with opened.synchronous_off(), opened.atomic():
        opened.run("DELETE FROM noted")
    assert len(seen) == 2
    # SQLite waits for the disk after a statement without a transaction
    opened.run("INSERT INTO noted VALUES (2)")
    assert opened.run("PRAGMA synchronous").fetchone() == (2,)
    assert len(seen) == 2


def test_a_disk_that_fails_leaves_the_outcome_open(opened, monkeypatch):
    def fails(log):
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(WriteAheadLog, "sync", fails)
        with pytest.raises(OutcomeUnknown, match="Input/output error"), opened.atomic():
            opened.run("INSERT INTO noted VALUES (1)")
    assert opened.is_closed()
    opened.connect()
    assert queue(opened) == (0, 0)
    note(opened, 2)
    opened.connect()
    assert noted(opened) == [1, 2]
