"""Connections that are lost, locks that are not let go, statements that take too long: on each database."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import peewee
import pytest

from core import Model, transaction
from core.common.settings import settings
from core.schema.tables import ensure_tables
from core.storage.database import (
    after_commit,
    close,
    database,
    dialect_name,
    ensure_connected,
    no_timeouts,
    query,
)
from core.storage.database_errors import classify_error
from core.storage.error_kinds import UNKNOWN_OUTCOME, UNREACHABLE
from core.storage.opening import open_database
from core.testing import DATABASE_KINDS, Client, Served

#: a statement that takes minutes, unless it is ended
ENDLESS = {
    "sqlite": "SELECT COUNT(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e12) SELECT i FROM n)",
    "postgresql": "SELECT pg_sleep(300)",
    "mysql": "SELECT SLEEP(300)",
}
OWN = {"postgresql": "SELECT pg_backend_pid()", "mysql": "SELECT CONNECTION_ID()"}
END = {"postgresql": "SELECT pg_terminate_backend({})", "mysql": "KILL {}"}


class Note(Model):
    """Something to write."""

    id = peewee.AutoField()
    text = peewee.CharField(null=True)
    number = peewee.IntegerField(default=0)

    class Meta:
        table_name = "connections_note"


@pytest.fixture(scope="module", autouse=True)
def tables(server: Served) -> None:
    ensure_tables([Note])


@pytest.fixture(autouse=True)
def empty(tables: None) -> Iterator[None]:
    ensure_connected()
    Note.delete().execute()
    yield
    close()


@pytest.fixture
def hasty() -> Iterator[None]:
    """A statement may take a second and a half, a lock one."""
    own: Any = database.obj
    before, own._limit = own._limit, 1
    close()
    ensure_connected()
    yield
    own._limit = before
    close()


def elsewhere(act: Callable[[], Any]) -> Any:
    """Do something on another connection."""
    answers: list[Any] = []

    def run() -> None:
        ensure_connected()
        answers.append(act())
        close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return answers[0]


def cut() -> None:
    """Have this thread's connection cut off by the server."""
    kind = dialect_name()
    if kind == "sqlite":
        database.obj._state.conn.close()
        return
    own = database.execute_sql(OWN[kind]).fetchone()[0]
    elsewhere(lambda: database.execute_sql(END[kind].format(own)).rowcount)


def count() -> int:
    return int(elsewhere(lambda: Note.select().count()))


@contextmanager
def locked() -> Iterator[None]:
    """Another connection holds a lock on the table meanwhile."""
    holds, enough = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction():
            if dialect_name() == "postgresql":
                database.execute_sql("LOCK TABLE connections_note")
            elif dialect_name() == "mysql":
                database.execute_sql("LOCK TABLE connections_note WRITE")
            else:
                Note.create(text="holds")
            holds.set()
            enough.wait(60)
            if dialect_name() == "mysql":
                database.execute_sql("UNLOCK TABLES")
            database.rollback()
            database.begin()
        close()

    thread = threading.Thread(target=hold)
    thread.start()
    assert holds.wait(60)
    yield
    enough.set()
    thread.join()


def test_a_read_is_tried_again_on_a_new_connection() -> None:
    Note.create(text="kept")
    cut()
    assert [note.text for note in Note.select()] == ["kept"]


def test_a_transaction_begins_on_a_new_connection() -> None:
    cut()
    with transaction():
        Note.create(text="written")
    assert count() == 1


def test_a_transaction_that_lost_its_connection_is_undone_as_a_whole() -> None:
    told: list[str] = []
    with pytest.raises(peewee.PeeweeException) as caught, transaction():
        after_commit(lambda: told.append("committed"))
        Note.create(text="first")
        cut()
        # Neither a read nor a write is repeated by itself, whoever catches the error, in whatever block
        for attempt in range(3):
            with pytest.raises(peewee.PeeweeException), transaction():
                Note.select().count() if attempt else Note.create(text="second")
    assert classify_error(caught.value) is UNREACHABLE
    assert (count(), told) == (0, [])
    # and the thread goes on
    ensure_connected()
    with transaction():
        Note.create(text="third")
    assert count() == 1


def test_a_connection_that_is_lost_while_committing_leaves_it_open(monkeypatch: pytest.MonkeyPatch) -> None:
    # Nothing but COMMIT is sent, then
    monkeypatch.setattr(database.obj, "recorder", None)
    with pytest.raises(peewee.PeeweeException) as caught, transaction():
        Note.create(text="perhaps")
        cut()
    assert classify_error(caught.value) is UNKNOWN_OUTCOME
    assert classify_error(caught.value).answer().headers == {}
    ensure_connected()
    assert Note.select().count() == 0


def test_a_connection_that_is_lost_before_the_trail_is_written_commits_nothing() -> None:
    with pytest.raises(peewee.PeeweeException) as caught, transaction():
        Note.create(text="not written")
        cut()
    # PostgreSQL is sent the trail and COMMIT at once
    assert classify_error(caught.value) is (UNKNOWN_OUTCOME if dialect_name() == "postgresql" else UNREACHABLE)
    ensure_connected()
    assert Note.select().count() == 0


@pytest.mark.parametrize("caught", [False, True])
def test_what_is_lost_while_the_trail_is_written_is_not_committed(
    monkeypatch: pytest.MonkeyPatch, caught: bool
) -> None:
    """A read for the trail, on a new connection, must not hide that the transaction is gone."""
    own: Any = database.obj
    settle = own.recorder.settle

    def settle_late(opened: Any) -> Any:
        last = settle(opened)
        cut()
        # Whoever catches it commits nothing, either
        with suppress(peewee.PeeweeException) if caught else nullcontext():
            opened.run("SELECT 1")
        return last

    told: list[str] = []
    with monkeypatch.context() as patch, pytest.raises(peewee.PeeweeException) as failed:
        patch.setattr(own.recorder, "settle", settle_late)
        with transaction():
            after_commit(lambda: told.append("committed"))
            Note.create(text="first")
    # Nothing has been committed, so it may be asked again
    assert classify_error(failed.value) is UNREACHABLE
    ensure_connected()
    assert (Note.select().count(), told) == (0, [])


def test_a_single_write_that_is_noted_begins_anew() -> None:
    """What notices the loss is the beginning of its transaction: nothing can have been written."""
    cut()
    Note.create(text="once")
    assert Note.select().count() == 1


def test_a_single_write_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    # Without the transaction around it that the audit trail asks for
    monkeypatch.setattr(database.obj, "recorder", None)
    cut()
    with pytest.raises(peewee.PeeweeException) as caught:
        Note.create(text="perhaps")
    assert classify_error(caught.value) is UNKNOWN_OUTCOME
    ensure_connected()
    assert Note.select().count() == 0


def test_a_transaction_whose_database_is_gone_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first statement asks for another connection, and there is none to be had."""
    if dialect_name() != "postgresql":
        pytest.skip("BEGIN is sent at once")

    def away() -> Any:
        raise peewee.OperationalError("nobody answers")

    monkeypatch.setattr("core.storage.retrying_database.CircuitBreaker.PAUSE", 0)
    for depth in range(2):
        cut()
        with monkeypatch.context() as patch:
            patch.setattr(database.obj, "_open", away)
            with pytest.raises(peewee.OperationalError, match="nobody answers"), transaction():
                # Who catches it, and goes on in a block of his own, writes nothing alone
                with (
                    pytest.raises(peewee.OperationalError, match="nobody answers"),
                    transaction() if depth else nullcontext(),
                ):
                    Note.create(text="first")
                patch.undo()
                with pytest.raises(peewee.OperationalError, match="nobody answers"), transaction():
                    Note.create(text="second")
                Note.create(text="third")
        ensure_connected()
        assert Note.select().count() == 0


@pytest.mark.fault("The database connection is killed before a request", "the request succeeds")
def test_requests_do_not_notice_a_lost_connection(admin: Client, seen: Callable[[str], None]) -> None:
    admin.get("/status")
    for verb, path, body in (("GET", "/contacts", None), ("POST", "/thirdparties", {"name": "RetryingDatabase"})):
        ensure_connected()
        cut()
        admin.ask(verb, path, body)
        seen(f"{verb} {path} 200")


def test_a_lock_is_waited_for() -> None:
    """For longer than SQLite waits by itself."""
    with ThreadPoolExecutor(1) as pool:
        with locked():
            made = pool.submit(elsewhere, lambda: Note.insert(text="waits").execute())
            time.sleep(0.2)
            assert not made.done()
        made.result(timeout=30)
    assert count() == 1


def test_a_lock_is_not_waited_for_without_end(hasty: None) -> None:
    with locked(), pytest.raises(peewee.OperationalError) as caught, transaction():
        Note.create(text="waits")
    trouble = classify_error(caught.value)
    assert trouble is not None
    answer = trouble.answer()
    assert (answer.status, answer.headers) == (503, {"Retry-After": "1"})
    assert "Try again." in answer.message
    ensure_connected()
    assert count() == 0


def test_a_statement_that_takes_too_long_is_ended_and_what_it_belongs_to_undone(hasty: None) -> None:
    with pytest.raises(Exception) as caught, transaction():
        Note.create(text="first")
        query(ENDLESS[dialect_name()])
    trouble = classify_error(caught.value)
    assert trouble is not None
    answer = trouble.answer()
    assert (answer.status, answer.headers) == (503, {})
    assert "Request fewer records" in answer.message
    assert count() == 0
    ensure_connected()
    assert query("SELECT 1") == [(1,)]


def test_what_was_undone_by_the_database_does_not_go_on(hasty: None) -> None:
    """A block that catches the error must not write its rest alone."""
    with pytest.raises(peewee.PeeweeException), transaction():
        Note.create(text="first")
        with pytest.raises(Exception):  # noqa: B017 - SQLite's own while rows are fetched
            database.execute_sql(f"UPDATE connections_note SET number = ({ENDLESS[dialect_name()]})")
        Note.create(text="second")
    assert count() == 0


def test_patience_lifts_the_limit(hasty: None) -> None:
    slow = {"postgresql": "SELECT pg_sleep(2)", "mysql": "SELECT SLEEP(2)"}
    with no_timeouts():
        assert database.obj.limits() == (0, 0)
        if dialect_name() in slow:
            query(slow[dialect_name()])
        with transaction(), no_timeouts():
            Note.create(text="kept")
    assert database.obj.limits() == (1.5, 1)
    assert count() == 1


def test_the_setting_is_what_a_statement_may_take(server: Served) -> None:
    assert settings().statement_timeout == 10
    assert database.obj.limits() == (10, 9)
    told = {
        "postgresql": ("SELECT current_setting('statement_timeout'), current_setting('lock_timeout')", ("10s", "9s")),
        "mysql": ("SELECT @@max_statement_time, @@innodb_lock_wait_timeout", (10, 9)),
        # It asks again and again, in short steps
        "sqlite": ("SELECT timeout FROM pragma_busy_timeout", (5,)),
    }[dialect_name()]
    assert tuple(query(told[0])[0]) == told[1]


def test_an_outage_is_told_once_and_answered_at_once(server: Served, admin: Client, caplog: Any) -> None:
    """Nobody listens at the new address; what was in force comes back."""
    kind = server.settings.database.partition(":")[0]
    away = {"postgresql": "postgresql://nobody@127.0.0.1:1/none", "mysql": "mysql://nobody@127.0.0.1:1/none"}
    if kind not in away:
        pytest.skip("a file is there or not")
    before = database.obj
    open_database(away[kind])
    try:
        with caplog.at_level(logging.INFO, "comptoir"):
            answers = [admin.simulate_get("/contacts") for _ in range(20)]
        assert {answer.status_code for answer in answers} == {503}
        assert {answer.headers["Retry-After"] for answer in answers} == {"1"}
        assert "the database can't be reached; try again" in answers[0].json["error"]["message"]
        assert len([each for each in caplog.records if each.levelno >= logging.INFO]) == 1
        assert "127.0.0.1" in caplog.text
        assert "127.0.0.1" not in answers[0].text
    finally:
        database.initialize(before)
        ensure_connected()


def test_a_connection_that_is_gone_costs_no_transaction_that_has_not_begun(kind: str) -> None:
    cut()
    with transaction():
        Note.create(number=1)
        Note.create(number=2)
    assert count() == 2


def test_a_first_statement_that_fails_leaves_a_transaction_behind_it(kind: str) -> None:
    with pytest.raises(RuntimeError), transaction():
        with pytest.raises(peewee.PeeweeException):
            database.execute_sql("INSERT INTO connections_note (number) VALUES (NULL)")
        if dialect_name() != "postgresql":
            # PostgreSQL does nothing more in such a transaction
            Note.create(number=1)
        raise RuntimeError
    assert count() == 0


def test_a_transaction_in_which_nothing_is_asked_is_no_way_to_the_database(kind: str) -> None:
    if dialect_name() != "postgresql":
        pytest.skip("BEGIN is sent at once")
    cut()
    with transaction():
        pass


def test_the_kinds_of_tests_are_the_kinds_there_are() -> None:
    assert set(ENDLESS) == set(DATABASE_KINDS)


@pytest.fixture
def widen() -> Iterator[Callable[[], Any]]:
    """Makes a column wider, on another connection; it is as before in the end."""
    changes = {"postgresql": "ALTER COLUMN number TYPE {}", "mysql": "MODIFY COLUMN number {} NOT NULL"}
    if dialect_name() not in changes:
        pytest.skip("its columns have no types that matter")
    change = f"ALTER TABLE connections_note {changes[dialect_name()]}"
    yield lambda: elsewhere(lambda: query(change.format("BIGINT")))
    elsewhere(lambda: query(change.format("INTEGER")))


def prepared_read() -> list[tuple[Any, ...]]:
    """A read that the driver has prepared by now, where it does that."""
    rows = []
    for _ in range(12):
        rows = query("SELECT number FROM connections_note")
    return rows


def test_a_table_that_changes_between_two_reads_costs_no_read(widen: Callable[[], Any]) -> None:
    Note.create(number=7)
    assert prepared_read() == [(7,)]
    widen()
    assert prepared_read() == [(7,)]


def test_a_table_that_changes_before_a_transaction_begins_with_it_costs_nothing(widen: Callable[[], Any]) -> None:
    Note.create(number=7)
    prepared_read()
    widen()
    with transaction():
        assert query("SELECT number FROM connections_note") == [(7,)]


def test_a_table_that_changes_before_a_transaction_reads_it_is_told_of(widen: Callable[[], Any]) -> None:
    Note.create(number=7)
    prepared_read()
    widen()
    refused = pytest.raises(peewee.PeeweeException) if dialect_name() == "postgresql" else nullcontext()
    with refused as told, transaction():
        query("SELECT 1")
        query("SELECT number FROM connections_note")
    if told is not None:
        trouble = classify_error(told.value)
        assert trouble is not None
        assert "try again" in trouble.message.lower()
        assert trouble.retry_after
    assert prepared_read() == [(7,)]
