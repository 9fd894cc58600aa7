"""Snapshots of SQLite: the reads of a request see one state of the database; a write is never based on an old one."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import peewee
import pytest

from core import Model, transaction
from core.schema.tables import ensure_tables
from core.storage.cache_version import read_generation
from core.storage.database import (
    backend,
    begin_work,
    close,
    end_of_request,
    ensure_connected,
    execute,
    lock_timeout,
    query,
)
from core.storage.retry import retry_undone
from core.storage.sqlite_lock import WriteAheadLog
from core.testing import serving
from core.web import sheets


class Entry(Model):
    """Something that is counted."""

    id = peewee.AutoField()
    text = peewee.CharField(default="")

    class Meta:
        table_name = "snapshot_entry"


@pytest.fixture(scope="module", autouse=True)
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("snapshots")) as served:
        ensure_tables([Entry])
        yield served


@pytest.fixture
def working():
    """``working()`` begins a request on this thread."""
    yield lambda **options: begin_work(read_generation(), **options)
    end_of_request()


def elsewhere(work):
    """Another connection does something."""

    def run():
        ensure_connected()
        work()
        close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


def elsewhere_failing(work):
    """Another connection does something, and its error is raised here; it waits for no lock."""

    def run():
        ensure_connected()
        try:
            with lock_timeout(0.05):
                work()
        finally:
            close()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(run).result()


def count():
    return int(query("SELECT COUNT(*) FROM snapshot_entry")[0][0])


def is_open():
    """Whether this thread's connection keeps a snapshot or a transaction."""
    return bool(backend().connection().in_transaction)


def test_reads_see_one_state_up_to_a_write(working):
    working()
    before = count()
    elsewhere(Entry.create)
    assert (count(), is_open()) == (before, True)
    with transaction():
        assert count() == before + 1
        Entry.create()
    assert not is_open()
    assert count() == before + 2
    end_of_request()
    assert not is_open()


def test_a_write_outside_a_transaction_is_based_on_what_is_there_now(working):
    working()
    before = count()
    elsewhere(Entry.create)
    # Neither the recorder nor the server begins a transaction for a table without an audit trail
    execute("INSERT INTO snapshot_entry (text) VALUES ('raw')")
    backend().run("UPDATE comptoir_generation SET number = number + 1")
    assert not is_open()
    assert count() == before + 2


def test_a_job_keeps_no_snapshot_between_its_statements(working):
    working(keeps_snapshot=False)
    before = count()
    elsewhere(Entry.create)
    assert (count(), is_open()) == (before + 1, False)
    rows = iter(Entry.select())
    next(rows)
    elsewhere(Entry.create)
    # Those that are still to be fetched are of the same state
    assert (len(list(rows)), is_open()) == (before, False)
    assert count() == before + 2


def test_a_transaction_that_a_module_begins_by_a_statement_is_left_alone(working):
    working()
    before = count()
    backend().run("BEGIN")
    backend().run("INSERT INTO snapshot_entry (text) VALUES ('raw')")
    assert (count(), is_open()) == (before + 1, True)
    backend().run("ROLLBACK")
    assert count() == before


def test_writers_that_read_first_neither_fail_nor_lose_anything():
    number = 60
    with transaction():
        Entry.delete().execute()

    def work(_):
        for _ in range(number):
            begin_work(read_generation())
            count()
            with transaction():
                Entry.create(text=str(count()))
            count()
            end_of_request()
        close()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    # Each saw all that were committed before
    assert sorted(int(text) for (text,) in query("SELECT text FROM snapshot_entry")) == list(range(4 * number))


@pytest.mark.parametrize("late", [True, False])
def test_nobody_waits_for_the_lock_with_a_snapshot(late, monkeypatch):
    """Otherwise, with several writers, some snapshot is always open, and the write-ahead log never starts again."""
    is_waiting, seen = threading.Event(), []
    wait = WriteAheadLog._wait

    def write():
        begin_work(read_generation())
        before = count()
        assert is_open()
        connection = backend().connection()

        def watched(log):
            seen.append(connection.in_transaction)
            is_waiting.set()
            wait(log)

        monkeypatch.setattr(WriteAheadLog, "_wait", watched)
        with transaction():
            Entry.create(text="waited")
        assert count() > before + 1
        end_of_request()

    with ThreadPoolExecutor(1) as pool:
        with transaction():
            Entry.create()
            run = (lambda: retry_undone(write, "test")) if late else write
            waiting = pool.submit(elsewhere, run)
            assert is_waiting.wait(60)
        waiting.result(60)
    assert seen == [False]


def attempts(work):
    """Do something as a request does, which may start again; return how often it began."""
    begun = []

    def attempt():
        begun.append(1)
        begin_work(read_generation())
        try:
            work()
        finally:
            end_of_request()

    retry_undone(attempt, "test")
    return len(begun)


@pytest.mark.parametrize("read", [count, Entry.select().count, lambda: len([*Entry.select()])])
def test_a_request_starts_again_if_a_row_that_it_has_read_has_changed(read):
    meanwhile = iter([Entry.create])

    def work():
        with transaction():
            before = read()
            for each in meanwhile:
                elsewhere(each)
            Entry.create(text=str(before))

    before = count()
    assert attempts(work) == 2
    assert [row.text for row in Entry.select().order_by(Entry.id.desc()).limit(1)] == [str(before + 1)]


def test_other_changes_do_not_matter():
    elsewhere(lambda: execute("INSERT INTO snapshot_entry (text) VALUES ('first')"))

    def work():
        with transaction():
            found = query("SELECT text FROM snapshot_entry WHERE text = 'first'")
            elsewhere(lambda: Entry.create(text="other"))
            Entry.create(text=f"after {found[0][0]}")
            assert query("SELECT COUNT(*) FROM snapshot_entry WHERE text = 'other'")[0][0] > 0

    assert attempts(work) == 1


def test_a_transaction_that_only_reads_or_fails_takes_no_lock():
    def work():
        with transaction():
            before = count()
            elsewhere(Entry.create)
            assert count() == before
        with suppress(LookupError), transaction():
            elsewhere(Entry.create)
            raise LookupError
        assert count() == before

    assert attempts(work) == 1


def test_what_locks_rows_takes_the_lock_first():
    def work():
        with transaction():
            backend().read(backend().lock_rows("SELECT * FROM snapshot_entry")).fetchall()
            with pytest.raises(peewee.OperationalError):
                elsewhere_failing(Entry.create)
            Entry.create()

    assert attempts(work) == 1


def test_what_cannot_be_undone_is_not_done_again():
    def work():
        with transaction():
            Entry.create()
        with transaction():
            count()
            with pytest.raises(peewee.OperationalError):
                elsewhere_failing(Entry.create)

    assert attempts(work) == 1


def test_nothing_is_open_once_a_request_is_answered(server, monkeypatch):
    monkeypatch.setattr(sheets, "PIECE", 1)
    admin = server.client()
    for path, status in (("/users", 200), ("/users/0815", 404), ("/status", 200), ("/users?sqlfilters=x", 400)):
        assert admin.simulate_get(path).status_code == status
        assert not is_open(), path
    seen = []
    dump = sheets._Stream.dump

    def watched(self, page):
        seen.append(is_open())
        return dump(self, page)

    monkeypatch.setattr(sheets._Stream, "dump", watched)
    assert admin.simulate_get("/users?all=1", headers={"Accept": "application/x-ndjson"}).status_code == 200
    assert seen and all(seen)
    assert not is_open()
